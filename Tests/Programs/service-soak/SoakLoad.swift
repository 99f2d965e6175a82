import Foundation
import KeychainClient
import KeychainModel
import Logging
import Synchronization

/// Clients that add, find, change and delete items of their own, and remember what they were told.
final class SoakLoad: Sendable {
    private struct State {
        var acknowledged = 0
        var reads = 0
        /// Changes of which nobody knows whether they were made.
        var unknown = 0
        var faults: [String] = []
        var items: [String: Set<String?>] = [:]
        var isOver = false
    }

    private let address: ServiceAddress
    private let clients: Int
    private let idle: UInt32
    private let state = Mutex(State())
    private let group = DispatchGroup()
    private static let accountsOfClient = 20

    init(address: ServiceAddress, clients: Int, idle: UInt32) {
        self.address = address
        self.clients = clients
        self.idle = idle
    }

    var faults: [String] { state.withLock { $0.faults } }

    var summary: String {
        state.withLock { "acknowledged changes: \($0.acknowledged), unknown: \($0.unknown), reads: \($0.reads)" }
    }

    func begin() {
        for client in 0..<clients {
            group.enter()
            Thread.detachNewThread {
                self.run(client)
                self.group.leave()
            }
        }
    }

    func end() {
        state.withLock { $0.isOver = true }
        group.wait()
    }

    private func connection() -> ServiceConnection {
        var quiet = Logger(label: "soak")
        quiet.logLevel = .critical
        return ServiceConnection(address, log: quiet, queryLog: quiet)
    }

    private func run(_ client: Int) {
        let service = connection()
        // What the item may be: one value, or more after an answer that never came.
        var items: [String: Set<String?>] = [:]
        for number in 0..<Self.accountsOfClient { items["\(client)-\(number)"] = [nil] }
        while !state.withLock({ $0.isOver }) {
            guard let account = items.keys.randomElement(), let before = items[account] else { return }
            items[account] = step(account, before, service)
            if idle > 0 { usleep(idle) }
        }
        state.withLock { $0.items.merge(items) { $1 } }
    }

    /// - Returns: what the item may be after it.
    private func step(_ account: String, _ before: Set<String?>, _ service: ServiceConnection) -> Set<String?> {
        let value = UUID().uuidString
        do throws(KeychainError) {
            switch Int.random(in: 0..<10) {
            case 0..<5:
                let found = try find(account, service)
                state.withLock { $0.reads += 1 }
                if !before.contains(found) { fault("\(account) is \(found ?? "not there"), expected \(before)") }
                return [found]
            case 5..<7:
                return try changed(before, to: value) { () throws(KeychainError) in
                    do throws(KeychainError) {
                        _ = try service.add(addition(account, value))
                        if !before.contains(nil) { fault("\(account) was added although it was there") }
                        return [value]
                    } catch {
                        guard error.code == .duplicateItem else { throw error }
                        // A second try of the client's may have met its first.
                        let present = before.filter { $0 != nil }
                        if present.isEmpty { fault("\(account) is called a duplicate, and was not there") }
                        return present
                    }
                }
            case 7..<9:
                return try changed(before, to: value) { () throws(KeychainError) in
                    var request = UpdateRequest(query: query(account))
                    request.changes.secrets[.valueData] = SecretBytes(Array(value.utf8))
                    let count = try service.update(request)
                    if count == 0, !before.contains(nil) { fault("\(account) was not there to be changed") }
                    return count == 0 ? [nil] : [value]
                }
            default:
                return try changed(before, to: nil) { () throws(KeychainError) in
                    let count = try service.delete(DeleteRequest(query: query(account)))
                    if count == 0, !before.contains(nil) { fault("\(account) was not there to be deleted") }
                    return [nil]
                }
            }
        } catch {
            if error.code != .notAvailable { fault("\(account): \(error)") }
            usleep(1000)
            return before
        }
    }

    /// Does a change, which may have been made where no answer came.
    private func changed(
        _ before: Set<String?>,
        to value: String?,
        _ body: () throws(KeychainError) -> Set<String?>
    ) throws(KeychainError) -> Set<String?> {
        do throws(KeychainError) {
            let after = try body()
            state.withLock { $0.acknowledged += 1 }
            return after
        } catch {
            guard error.code == .notAvailable else { throw error }
            state.withLock { $0.unknown += 1 }
            return before.union([value])
        }
    }

    /// Looks at every item once more.
    func compareAll() -> [String] {
        let service = connection()
        return state.withLock { $0.items }.compactMap { account, expected in
            do {
                let found = try find(account, service)
                return expected.contains(found)
                    ? nil : "\(account) ended as \(found ?? "not there"), expected \(expected)"
            } catch {
                return "\(account) ended as \(error)"
            }
        }
    }

    private func fault(_ text: String) {
        state.withLock { $0.faults.append(text) }
    }

    // MARK: - Requests

    private func addition(_ account: String, _ value: String) -> AddRequest {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.secrets[.valueData] = SecretBytes(Array(value.utf8))
        return request
    }

    private func query(_ account: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string(account)
        return query
    }

    private func find(_ account: String, _ service: ServiceConnection) throws(KeychainError) -> String? {
        var request = FindRequest(query: query(account))
        request.returns = .data
        guard let secret = try service.find(request).first?.secrets[.valueData] else { return nil }
        return secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
