import Foundation
import KeychainEngine
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Logging
import Synchronization
import Testing

@Suite("Group commit")
struct GroupCommitTests {
    private let keychain: TestKeychain
    private let caller = Caller(name: "test", groups: AccessGroups(["group"]))

    init() throws {
        keychain = try TestKeychain()
    }

    private func engine() throws -> KeychainEngine {
        try KeychainDirectory(path: keychain.path, patience: .seconds(30)).open(log: Logger(label: "test"))
    }

    private func add(_ account: String) -> AddRequest {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.secrets[.valueData] = SecretBytes(Array(account.utf8))
        return request
    }

    private func count(_ engine: KeychainEngine) throws -> Int {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.limit = .all
        return try engine.keychain(of: caller).find(request).count
    }

    /// Runs the bodies on a thread each while somebody else holds the writer's lock, which is let go of when all wait.
    private func whileLocked(_ engine: KeychainEngine, _ bodies: [@Sendable () -> Void]) throws {
        let lock = try WriterLock(path: keychain.path + "/lock", patience: .seconds(30))
        let group = DispatchGroup()
        var isWaiting = false
        try lock.withLock { () throws(KeychainError) in
            for body in bodies {
                group.enter()
                Thread.detachNewThread {
                    body()
                    group.leave()
                }
            }
            isWaiting = eventually(pause: 1_000) { engine.commitCounts.waiting >= bodies.count }
        }
        group.wait()
        try #require(isWaiting, "not all \(bodies.count) calls came to wait for the lock")
    }

    @Test
    func `adds that wait at the same time are one transaction`() throws {
        let engine = try engine()
        let failures = Mutex(0)
        let before = engine.commitCounts.done
        try whileLocked(
            engine,
            (0..<32).map { number in
                {
                    do throws(KeychainError) {
                        _ = try engine.keychain(of: caller).add(add("account \(number)"))
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
        )
        #expect(engine.commitCounts.done - before == 1)
        #expect(failures.withLock { $0 } == 0)
        #expect(try count(engine) == 32)
    }

    @Test
    func `an add that fails among others changes nothing and keeps none of them`() throws {
        let engine = try engine()
        _ = try engine.keychain(of: caller).add(add("taken"))
        let before = engine.commitCounts.done
        let errors = Mutex<[KeychainError.Code]>([])
        try whileLocked(
            engine,
            (0..<9).map { number in
                {
                    do throws(KeychainError) {
                        _ = try engine.keychain(of: caller).add(add(number % 3 == 0 ? "taken" : "account \(number)"))
                    } catch {
                        errors.withLock { $0.append(error.code) }
                    }
                }
            }
        )
        #expect(engine.commitCounts.done - before == 1)
        #expect(errors.withLock { $0 } == [.duplicateItem, .duplicateItem, .duplicateItem])
        #expect(try count(engine) == 7)
    }

    @Test
    func `writers that wait too long fail by themselves, and later ones succeed`() throws {
        let engine = try KeychainDirectory(path: keychain.path, patience: .milliseconds(50)).open(
            log: Logger(label: "test")
        )
        let lock = try WriterLock(path: keychain.path + "/lock", patience: .seconds(30))
        let codes = Mutex<[KeychainError.Code]>([])
        let group = DispatchGroup()
        try lock.withLock { () throws(KeychainError) in
            for number in 0..<4 {
                group.enter()
                Thread.detachNewThread {
                    do throws(KeychainError) {
                        _ = try engine.keychain(of: caller).add(add("account \(number)"))
                    } catch {
                        codes.withLock { $0.append(error.code) }
                    }
                    group.leave()
                }
            }
            group.wait()
        }
        #expect(codes.withLock { $0 } == Array(repeating: .notAvailable, count: 4))
        _ = try engine.keychain(of: caller).add(add("later"))
        #expect(try count(engine) == 1)
    }

    @Test
    func `a batch is one transaction, sees its own changes, and each operation succeeds or fails by itself`() throws {
        let engine = try engine()
        let before = engine.commitCounts.done
        var find = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        find.limit = .all
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string("b")
        let results = try engine.perform(
            [
                .add(add("a")), .add(add("b")), .add(add("a")), .find(find), .delete(DeleteRequest(query: query)),
                .find(find),
            ],
            for: caller
        )
        #expect(engine.commitCounts.done - before == 1)
        let outcomes = results.map { result in
            switch result {
            case .failure(let error): "\(error.code)"
            case .success(let result):
                switch result.answer {
                case .items(let items): "\(items.count) items"
                case .count(let count): "\(count)"
                case .key, .secret: "a key"
                }
            }
        }
        #expect(outcomes == ["0 items", "0 items", "duplicateItem", "2 items", "1", "1 items"])
    }

    @Test
    func `a search for more than its answer may hold fails, and others in the batch do not`() throws {
        let engine = try engine()
        for number in 0..<10 { _ = try engine.keychain(of: caller).add(add("account \(number)")) }
        var all = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        all.limit = .all
        let one = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        let results = try engine.perform(
            [.find(all), .find(one)],
            for: caller,
            within: MemoryAllowance(MemoryAllowance.Size(answer: 4096, row: 4096))
        )
        guard case .failure(let error) = results[0], case .success = results[1] else {
            Issue.record("\(results)")
            return
        }
        #expect(error.code == .dataTooLarge)
    }
}
