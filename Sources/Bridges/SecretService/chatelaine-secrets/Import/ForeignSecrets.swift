import Foundation
import Glibc
import KeychainModel
import MessageBus
import SecretServiceModel
import Terminal

/// The Secret Service that has the name on the bus, as its clients see it.
final class ForeignSecrets {
    struct Item {
        let path: String
        let label: String
        let details: ItemDetails
        let secret: SecretBytes
    }

    private let bus: MessageBus
    private let owner: String
    private let session: String
    private let root = "/org/freedesktop/secrets"
    private static let prefix = "org.freedesktop.Secret."

    init() throws {
        bus = try MessageBus.ofSession()
        bus.start(SecretInterface.name)
        guard let found = NameOwner(of: SecretInterface.name, on: bus) else {
            throw Failure("nobody serves \(SecretInterface.name)")
        }
        guard !found.isService else {
            throw Failure("\(SecretInterface.name) is served by this keychain already; nothing is to be taken")
        }
        owner = found.name
        do throws(BusError) {
            let opened = try bus.call(
                owner,
                root,
                Self.prefix + "Service",
                "OpenSession",
                [.string("plain"), .variant(.string(""))]
            )
            guard case .path(let session) = opened.last else {
                throw BusError("", "it opens no session")
            }
            self.session = session
        } catch {
            throw Failure("the Secret Service cannot be read: \(error.text)")
        }
    }

    // MARK: - Collections

    /// All collections but the session's own, by their paths.
    func collections() throws(BusError) -> [String] {
        let session = try alias("session")
        return try property("Collections", of: root, "Service").paths.filter { $0 != session }
    }

    func label(ofCollection path: String) throws(BusError) -> String {
        try property("Label", of: path, "Collection").text ?? ""
    }

    func alias(_ name: String) throws(BusError) -> String? {
        let answer = try bus.call(owner, root, Self.prefix + "Service", "ReadAlias", [.string(name)])
        guard case .path(let path) = answer.first, path != "/" else { return nil }
        return path
    }

    /// Collections by their other names, as far as they can be learned: no call lists them. Those that have no collection
    /// are left out.
    ///
    /// - Parameter more: names to ask for, besides those of the specification and those that are objects.
    func aliases(_ more: [String]) throws(BusError) -> [String: String] {
        var found: [String: String] = [:]
        for name in ["default", "login"] + nodes(of: root + "/aliases") + more where name != "session" {
            if let path = try alias(name) { found[name] = path }
        }
        return found
    }

    /// The names of the objects below one.
    private func nodes(of path: String) -> [String] {
        let answer = try? bus.call(owner, path, "org.freedesktop.DBus.Introspectable", "Introspect")
        return (answer?.first?.text ?? "").components(separatedBy: "<node ").dropFirst().compactMap { node in
            let parts = node.split(separator: "\"", maxSplits: 2)
            guard parts.count > 1, parts[0] == "name=", !parts[1].contains("/") else { return nil }
            return String(parts[1])
        }
    }

    func items(of collection: String) throws(BusError) -> [String] {
        try property("Items", of: collection, "Collection").paths
    }

    /// Has the other service unlock a collection, by asking whom it asks.
    ///
    /// - Returns: whether it is unlocked now.
    func unlock(_ collection: String) throws -> Bool {
        guard try property("Locked", of: collection, "Collection") == .bool(true) else { return true }
        let answer = try bus.call(owner, root, Self.prefix + "Service", "Unlock", [.paths([collection])])
        if case .path(let prompt) = answer.last, prompt != "/" {
            try bus.watch("type='signal',interface='\(Self.prefix)Prompt',member='Completed',path='\(prompt)'")
            _ = try bus.call(owner, prompt, Self.prefix + "Prompt", "Prompt", [.string("")], seconds: 200)
            try waitForCompletion(of: prompt)
        }
        return try property("Locked", of: collection, "Collection") == .bool(false)
    }

    private func waitForCompletion(of prompt: String) throws {
        var present = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &present)
        let end = UInt64(present.tv_sec + 200) * 1_000_000
        while true {
            switch try bus.next(wake: -1, end: end) {
            case .signal(prompt, _, "Completed", _, _), .wake, .late: return
            case .call, .signal, .refused, .answer: break
            }
        }
    }

    // MARK: - Items

    /// - Throws: where it cannot be read, or is none that can be taken.
    func item(_ path: String) throws(BusError) -> Item {
        let label = try property("Label", of: path, "Item").text ?? ""
        let attributes: SecretAttributes
        do throws(BusError) {
            attributes = try SecretAttributes(try? property("Attributes", of: path, "Item"))
        } catch {
            throw BusError(error.name, error.text)
        }
        // gnome-keyring's, of a collection whose attributes it cannot read itself.
        if attributes.pairs.contains(where: { $0.name.hasPrefix("gkr:compat:hashed:") }) {
            throw BusError("", "its attributes are encrypted")
        }
        let answer = try bus.call(owner, path, Self.prefix + "Item", "GetSecret", [.path(session)])
        guard case .structure(let fields) = answer.first, fields.count == 4, case .bytes(let value) = fields[2],
            case .string(let type) = fields[3]
        else { throw BusError("", "its secret cannot be read") }
        return Item(
            path: path,
            label: label,
            details: ItemDetails(attributes: attributes, contentType: type),
            secret: SecretBytes(value)
        )
    }

    private func property(_ name: String, of path: String, _ interface: String) throws(BusError) -> BusValue {
        let answer = try bus.call(
            owner,
            path,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string(Self.prefix + interface), .string(name)]
        )
        guard case .variant(let value) = answer.first else {
            throw BusError("", "\(name) cannot be read")
        }
        return value
    }
}
