import EnclaveClient
import EnclaveInterface
import Foundation
import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Synchronization
import Testing

/// `chatelaine rotate-keys` against the service as it is started.
@Suite("Keys that are rotated while the service runs", .serialized, .timeLimit(.minutes(5)))
struct RotationTests {
    private static func secret(_ account: String) -> [UInt8] { Array("secret of \(account)".utf8) }

    /// - Returns: the names of the items.
    private func fill(_ service: LockedService, _ count: Int) throws -> [String] {
        let accounts = (0..<count).map { "item \($0)" }
        let perThread = (count + 7) / 8
        let group = DispatchGroup()
        let failures = Mutex<[KeychainError]>([])
        for part in 0..<8 {
            DispatchQueue.global().async(group: group) {
                let client = service.client
                for account in accounts.dropFirst(part * perThread).prefix(perThread) {
                    do throws(KeychainError) {
                        _ = try client.add(Item.add(account, secret: Self.secret(account)))
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
            }
        }
        group.wait()
        try #require(failures.withLock { $0.isEmpty })
        return accounts
    }

    private func expectAll(_ accounts: [String], in service: LockedService) throws {
        let items = try service.client.find(Item.find())
        var found: [String: [UInt8]] = [:]
        for item in items {
            guard case .string(let account) = item.attributes["acct"] else { continue }
            found[account] = item.secrets[.valueData]?.withUnsafeBytes { Array($0) }
        }
        let expected = Dictionary(uniqueKeysWithValues: accounts.map { ($0, Self.secret($0)) })
        #expect(found == expected)
    }

    @Test(arguments: ServiceProcess.Mode.possible)
    func `requests are answered while keys are rotated, and afterwards all items are under the new ones`(
        mode: ServiceProcess.Mode
    ) throws {
        let service = try LockedService(mode)
        let accounts = try fill(service, 600)
        let before = try service.control().state().generation
        let isOver = Atomic<Bool>(false)
        let added = Mutex<[String]>([])
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        for thread in 0..<3 {
            DispatchQueue.global().async(group: group) {
                let client = service.client
                var number = 0
                while !isOver.load(ordering: .relaxed) {
                    do throws(KeychainError) {
                        let account = "\(thread)-\(number)"
                        _ = try client.add(Item.add(account, secret: Self.secret(account)))
                        added.withLock { $0.append(account) }
                        let known = accounts[number % accounts.count]
                        let found = try client.find(Item.find(known)).first?.secrets[.valueData]
                        if found?.withUnsafeBytes({ Array($0) }) != Self.secret(known) {
                            failures.withLock { $0.append("\(known) is not what it was") }
                        }
                    } catch {
                        failures.withLock { $0.append(error.message) }
                    }
                    number += 1
                }
            }
        }
        let outcome = try service.chatelaine(["rotate-keys"])
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(failures.withLock { $0 } == [])
        let state = try service.control().state()
        #expect(state.generation > before)
        #expect(!state.isRotating)
        try expectAll(accounts + added.withLock { $0 }, in: service)
    }

    @Test(arguments: ServiceProcess.Mode.possible)
    func `a rotation whose service was killed goes on at the next use, and loses nothing`(
        mode: ServiceProcess.Mode
    ) throws {
        let service = try LockedService(mode)
        let accounts = try fill(service, 800)
        var stopped = 0
        for round in 0..<3 {
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) { _ = try? service.chatelaine(["rotate-keys"]) }
            // Killed somewhere between the making of the keys and the last item.
            let control = try service.control()
            for _ in 0..<5_000 {
                if try control.state().isRotating { break }
                usleep(1_000)
            }
            usleep(useconds_t(round) * 100_000)
            service.process.kill()
            group.wait()
            // What the dead left behind.
            if try service.copiedEnclave().state().isRotating { stopped += 1 }
            try service.restart()
            // Opens it, which goes on with what was stopped.
            _ = try service.client.find(Item.find("item 0"))
            for _ in 0..<3_000 where try service.control().state().isRotating {
                _ = try service.client.find(Item.find("item 1"))
                usleep(20_000)
            }
            #expect(try !service.control().state().isRotating)
            try expectAll(accounts, in: service)
        }
        // Or there was nothing to go on with.
        #expect(stopped > 0)
    }
}
