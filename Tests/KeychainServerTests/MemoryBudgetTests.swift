import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainServer

/// Who gets memory, and who waits for it.
@Suite("The budget of memory")
struct MemoryBudgetTests {
    private let users = (0..<3).map { _ in UserShare(limits: ServiceLimits()) }

    @Test
    func `nobody gets more than a share, and what is given back is there again`() throws {
        let budget = MemoryBudget(100, share: 60)
        for _ in 0..<3 {
            let first = try budget.take(60, for: users[0], before: .now)
            #expect(throws: KeychainError.self) { _ = try budget.take(1, for: users[0], before: .now) }
            let second = try budget.take(40, for: users[1], before: .now)
            #expect(throws: KeychainError.self) { _ = try budget.take(1, for: users[2], before: .now) }
            _ = consume first
            let third = try budget.take(1_000, for: users[2], before: .now)
            _ = consume second
            _ = consume third
        }
    }

    @Test
    func `of those who wait, the user who has least is next`() throws {
        let budget = MemoryBudget(100, share: 100)
        let order = Mutex<[Int]>([])
        let group = DispatchGroup()
        let held = try budget.take(60, for: users[0], before: .now)
        let rest = try budget.take(40, for: users[1], before: .now)
        for (index, user) in [0, 0, 0, 2].enumerated() {
            let share = users[user]
            group.enter()
            Thread.detachNewThread {
                if let grant = try? budget.take(40, for: share, before: .now + .seconds(30)) {
                    order.withLock { $0.append(user) }
                    usleep(20_000)
                    _ = consume grant
                }
                group.leave()
            }
            try waitUntil("\(index + 1) wait") { budget.waiterCount == index + 1 }
        }
        _ = consume rest
        group.wait()
        _ = consume held
        #expect(order.withLock { $0 } == [2, 0, 0, 0])
    }

    @Test
    func `a search for a large item, and one for a long list, get more memory and the same answers`() throws {
        let service = try TestService(limits: ServiceLimits())
        let client = try RawClient.admitted(service.socket)
        let large = [UInt8](repeating: 9, count: 12 << 20)
        _ = try client.count(RawClient.add("large", secret: large))
        let some = [UInt8](repeating: 8, count: 20_000)
        _ = try client.ask(.batch((0..<200).map { RawClient.add("item \($0)", secret: some) }))
        #expect(try client.count(RawClient.find("large")) == 1)
        #expect(try client.count(RawClient.find(limit: .all)) == 201)
        #expect(try client.count(RawClient.find(limit: .count(150))) == 150)
        let parts = try client.ask(.batch([RawClient.find("large"), RawClient.find("item 7"), RawClient.add("new")]))
        let outcomes = parts.flatMap { part -> [OperationOutcome] in
            if case .batch(let some) = part { some } else { [] }
        }
        #expect(outcomes.map(\.summary) == ["1 items", "1 items", "0 items"])
        // More than the answer to a batch may be made of: 32 MiB.
        _ = try client.count(RawClient.add("large too", secret: large))
        _ = try client.count(RawClient.add("large as well", secret: large))
        let refused = try client.ask(.batch([RawClient.find(limit: .all)])).flatMap { part -> [OperationOutcome] in
            if case .batch(let some) = part { some } else { [] }
        }
        #expect(refused.map(\.summary) == ["dataTooLarge"])
        #expect(try client.count(RawClient.find(limit: .all)) == 204)
    }

    @Test
    func `deleting and changing large items takes one of them at a time`() throws {
        let service = try TestService(limits: ServiceLimits())
        let client = try RawClient.admitted(service.socket)
        let large = [UInt8](repeating: 9, count: 2 << 20)
        for number in 0..<8 { _ = try client.count(RawClient.add("large \(number)", secret: large)) }
        var update = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        update.changes.attributes["labl"] = .string("changed")
        #expect(try client.count(.update(update)) == 8)
        let everything = DeleteRequest(query: ItemQuery(itemClass: .genericPassword))
        #expect(try client.count(.delete(everything)) == 8)
        #expect(try client.count(RawClient.find(limit: .all)) == 0)
    }
}
