import Foundation
import KeychainModel
import MessageBus
import SecretServiceModel
import Terminal

/// Whether a program of this session that asks for the Secret Service comes to this keychain, and if not, why.
struct SecretsDiagnosis {
    /// Sentences for people.
    private(set) var findings: [String] = []
    /// Whether a program is given its secrets now.
    private(set) var isReached = false

    private let bus: MessageBus
    private let environment: [String: String]
    private let activations: [ActivationFile]

    /// - Throws: `Failure` where there is no bus, or no home folder.
    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        self.environment = environment
        bus = try MessageBus.ofSession(environment)
        activations = ActivationFile.all(in: environment)
        let isEnabled = try SessionFiles(environment).isEnabled
        if let owner = NameOwner(of: SecretInterface.name, on: bus) {
            look(at: owner, isEnabled: isEnabled)
        } else {
            lookWhyNobodyServes(isEnabled: isEnabled)
        }
    }

    private mutating func say(_ finding: String) { findings.append(finding) }

    // MARK: - Somebody has the name

    private mutating func look(at owner: NameOwner, isEnabled: Bool) {
        guard owner.isService else {
            say("\(SecretInterface.name) is served by \(owner.described), and not by this keychain.")
            guard isEnabled else { return say(Self.notEnabled) }
            if !sayWhoWins() { say("This service is enabled. It takes the name when that program is gone: log out.") }
            return
        }
        say("\(SecretInterface.name) is served by this keychain: \(owner.described).")
        if owner.isReplaced {
            say("Its file has been replaced since: systemctl --user restart chatelaine-secrets, or log out.")
        }
        if !isEnabled {
            say("It is not enabled: after the next log-in another program may have the name.")
        } else {
            sayWhoWins()
        }
        guard keychainIsOpen() else { return }
        isReached = true
        for label in lockedCollections(of: owner) {
            say("“\(label)” was locked by a program. The next one that reads it has the owner asked.")
        }
    }

    private static let notEnabled =
        "This service is not enabled. chatelaine secrets enable has it take the name from the next log-in on."

    /// Says which file keeps the bus from starting this service.
    ///
    /// - Returns: whether there is one.
    @discardableResult
    private mutating func sayWhoWins() -> Bool {
        guard let first = activations.first, !first.isOwn else { return false }
        say("The bus starts \(first.program) for the name, by \(first.path), which comes first.")
        return true
    }

    // MARK: - Nobody has it

    private mutating func lookWhyNobodyServes(isEnabled: Bool) {
        guard let first = activations.first(where: \.isOwn), isEnabled else {
            say("Nobody serves \(SecretInterface.name).")
            say(Self.notEnabled)
            sayWhoWins()
            return
        }
        guard !sayWhoWins() else { return }
        // As for any program that asks.
        bus.start(SecretInterface.name)
        if let owner = NameOwner(of: SecretInterface.name, on: bus) { return look(at: owner, isEnabled: isEnabled) }
        say("This service is enabled and not running, and the bus cannot start it.")
        let known = sayWhyItDoesNotStart(first)
        // Without its keychain it does not start.
        if keychainIsOpen(), !known {
            say("chatelaine secrets serve says why.")
        }
    }

    private static let anew = "chatelaine secrets enable writes that file anew."

    /// - Returns: whether the reason is known.
    private mutating func sayWhyItDoesNotStart(_ file: ActivationFile) -> Bool {
        if !FileManager.default.isExecutableFile(atPath: file.program) {
            say("\(file.program), which \(file.path) names, is not there. \(Self.anew)")
            return true
        }
        guard let name = file.unit else { return false }
        guard let unit = UserUnit(name, in: environment) else {
            say("The unit \(name), which \(file.path) names, is not there. \(Self.anew)")
            return true
        }
        if unit.isMasked { say("The unit is disabled by \(unit.path): systemctl --user unmask \(name)") }
        return unit.isMasked
    }

    // MARK: - The keychain

    private mutating func keychainIsOpen() -> Bool {
        do throws(KeychainError) {
            guard try KeychainSecrets(callers: BusCallers()).lockState() == .locked else { return true }
            say("The keychain is locked: programs are given no secret before it is opened (chatelaine unlock).")
        } catch {
            say("The keychain cannot be used: \(error.message)")
        }
        return false
    }

    /// The labels of what is locked, though the keychain is not.
    private func lockedCollections(of owner: NameOwner) -> [String] {
        func property(_ name: String, of path: String, _ interface: String) -> BusValue? {
            let answer = try? bus.call(
                owner.name,
                path,
                SecretInterface.properties,
                "Get",
                [.string(interface), .string(name)]
            )
            guard case .variant(let value) = answer?.first else { return nil }
            return value
        }
        let paths = property("Collections", of: "/org/freedesktop/secrets", SecretInterface.service)?.paths ?? []
        return paths.filter { property("Locked", of: $0, SecretInterface.collection) == .bool(true) }
            .map { property("Label", of: $0, SecretInterface.collection)?.text ?? $0 }
    }
}

extension MessageBus {
    /// - Throws: what tells a person why there is none.
    static func ofSession(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) -> MessageBus {
        do throws(BusFailure) {
            return try MessageBus(.session)
        } catch {
            if error.code == -ENOSYS { throw Failure("libsystemd is missing, by which the session's bus is used") }
            if let address = environment["DBUS_SESSION_BUS_ADDRESS"] {
                throw Failure("the session's bus at \(address) cannot be used: \(error.text)")
            }
            guard let folder = environment["XDG_RUNTIME_DIR"] else {
                throw Failure("there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
            }
            throw Failure(
                "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and \(folder)/bus cannot be used: "
                    + error.text
            )
        }
    }
}
