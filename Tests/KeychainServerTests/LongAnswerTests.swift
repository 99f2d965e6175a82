import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import KeychainTestSupport
import Testing

/// Answers that the service does not have in memory as a whole.
@Suite("Long answers", .timeLimit(.minutes(10)))
struct LongAnswerTests {
    /// Pages of so few bytes that some items fill one.
    private func limits(page: Int) -> ServiceLimits {
        var limits = ServiceLimits()
        (limits.smallAnswer, limits.pageSize) = (page, page)
        return limits
    }

    private func accounts(_ parts: [Response.Body]) throws -> [String] {
        try parts.flatMap { part -> [String] in
            guard case .outcome(let outcome) = part, case .items(let items) = try outcome.get().answer else {
                throw RawClient.Ended()
            }
            return items.compactMap {
                if case .string(let account)? = $0.attributes["acct"] { account } else { nil }
            }
        }
    }

    private func query(_ account: String? = nil) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        if let account { query.filters["acct"] = .string(account) }
        return query
    }

    private func add(_ account: String, to group: String, _ size: Int = 6) -> KeychainOperation {
        guard case .add(var request) = RawClient.add(account, secret: [UInt8](repeating: 5, count: size)).action
        else {
            return RawClient.add(account)
        }
        request.accessGroup = group
        return .add(request)
    }

    @Test
    func `an answer of many times a page comes whole`() throws {
        let service = try TestService(limits: ServiceLimits())
        let client = try RawClient.admitted(service.socket)
        for number in 0..<5 {
            let secret = [UInt8](repeating: UInt8(number), count: 10 << 20)
            _ = try client.count(RawClient.add("large \(number)", secret: secret))
        }
        var sizes: [Int] = []
        for part in try client.ask(.operation(RawClient.find(limit: .all))) {
            guard case .outcome(let outcome) = part, case .items(let items) = outcome.answer else {
                throw RawClient.Ended()
            }
            for item in items {
                let first = try #require(item.secrets[.valueData]).withUnsafeBytes { $0.first }
                #expect(Int(first ?? 255) == sizes.count)
                sizes.append(item.secrets[.valueData]?.count ?? 0)
            }
        }
        let areWhole = sizes == [Int](repeating: 10 << 20, count: 5)
        #expect(areWhole)
    }

    @Test
    func `pages give what one answer gives, in the same order, whatever is asked`() throws {
        let gate = OpenGate(groups: { ["one", "two", "three"] })
        let whole = try TestService(limits: ServiceLimits(), gate: gate)
        let paged = try TestService(limits: limits(page: 2_000), gate: gate)
        let clients = try [whole, paged].map { try RawClient.admitted($0.socket) }
        var random = Seeded()
        for number in 0..<120 {
            let group = ["one", "two", "three"].randomElement(using: &random) ?? "one"
            let size = Int.random(in: 0...4_000, using: &random)
            for client in clients { _ = try client.count(add("item \(number)", to: group, size)) }
        }
        for number in stride(from: 0, to: 120, by: 7) {
            for client in clients { _ = try client.count(RawClient.delete("item \(number)")) }
        }
        for limit in [MatchLimit.all, .count(1), .count(2), .count(50), .count(1_000)] {
            for returns in [ReturnSelection.attributes, [.attributes, .data], [.attributes, .persistentReference]] {
                var request = FindRequest(query: query())
                (request.limit, request.returns) = (limit, returns)
                let parts = try clients.map { try $0.ask(.operation(.find(request).explained)) }
                let found = try parts.map(accounts)
                #expect(found[1].count == min(limit.maximum, 102))
                // Which of them there are is not promised where they are too many.
                guard limit.maximum >= 102 else { continue }
                #expect(found[0] == found[1], "\(limit), \(returns)")
                #expect(parts[1].count > 10)
            }
        }
        // What only one of the groups has, and what none has.
        for group in ["one", "nobody"] {
            var request = FindRequest(query: query())
            request.query.accessGroup = group
            (request.limit, request.returns) = (.all, [.attributes, .data])
            let answers = clients.map { client in
                Result { try accounts(client.ask(.operation(.find(request).explained))) }
            }
            #expect((try? answers[0].get()) == (try? answers[1].get()))
        }
    }

    /// Asks for everything and reads nothing yet: so much that no socket takes it.
    private func askSlowly(_ service: TestService) throws -> RawClient {
        let slow = try RawClient.admitted(service.socket)
        var size: Int32 = 4_096
        setsockopt(slow.socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        slow.send(try RawClient.frame(.operation(RawClient.find(limit: .all))))
        // Until the first page is on its way.
        usleep(300_000)
        return slow
    }

    private func fill(_ client: RawClient, _ count: Int = 60) throws {
        for number in 0..<count {
            _ = try client.count(RawClient.add("item \(number)", secret: [UInt8](repeating: 3, count: 100_000)))
        }
    }

    @Test
    func `while a client is slow to read, others write and delete, and nothing deleted stays in the journal`() throws {
        var limits = limits(page: 200_000)
        limits.largeAnswerTime = .seconds(30)
        let service = try TestService(limits: limits)
        let other = try RawClient.admitted(service.socket)
        try fill(other)
        let slow = try askSlowly(service)
        #expect(try other.count(RawClient.delete("item 50")) == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: service.folder() + "/keychain/keychain.db-wal")).isEmpty)
        var change = UpdateRequest(query: query("item 58"))
        change.changes.attributes["acct"] = .string("item 58, renamed")
        #expect(try other.count(.update(change)) == 1)
        #expect(try other.count(RawClient.add("came later")) == 0)
        let found = try accounts(try slow.answer())
        let kept = (0..<58).filter { $0 != 50 }.map { "item \($0)" }
        #expect(found == kept + ["item 58, renamed", "item 59"])
    }

    @Test
    func `a row that has come to another group since is not found in the old one`() throws {
        var limits = limits(page: 200_000)
        limits.largeAnswerTime = .seconds(30)
        let service = try TestService(limits: limits, gate: OpenGate(groups: { ["one", "two"] }))
        let other = try RawClient.admitted(service.socket)
        for number in 0..<60 { _ = try other.count(add("item \(number)", to: "one", 100_000)) }
        let slow = try RawClient.admitted(service.socket)
        var request = FindRequest(query: query())
        request.query.accessGroup = "one"
        (request.limit, request.returns) = (.all, [.attributes, .data])
        slow.send(try RawClient.frame(.operation(.find(request))))
        usleep(300_000)
        // The number of the last row is taken by an item of the other group.
        #expect(try other.count(RawClient.delete("item 59")) == 1)
        #expect(try other.count(add("not yours", to: "two")) == 0)
        var change = UpdateRequest(query: query("item 58"))
        change.changes.accessGroup = "two"
        #expect(try other.count(.update(change)) == 1)
        #expect(try accounts(try slow.answer()) == (0..<58).map { "item \($0)" })
    }

    @Test
    func `who reads too slowly is cut off, and the record says how much they had got`() throws {
        var limits = limits(page: 200_000)
        (limits.largeAnswerTime, limits.pageTime) = (.milliseconds(700), .milliseconds(1))
        let service = try TestService(limits: limits)
        let other = try RawClient.admitted(service.socket)
        try fill(other)
        let slow = try askSlowly(service)
        let found = { service.audit().last { $0.contains("\"operation\":\"find\"") } }
        try waitUntil("it is cut off") { found() != nil }
        #expect(throws: RawClient.Ended.self) { try slow.answer() }
        let entry = try #require(found())
        #expect(entry.contains("\"outcome\":\"notAvailable\""))
        let count = try #require(entry.firstMatch(of: /"count":(\d+)/)?.1).description
        #expect((1..<60).contains(Int(count) ?? 0))
        // Whoever reads gets everything, however many pages that is.
        #expect(try other.count(RawClient.find(limit: .all)) == 60)
        #expect(service.audit().contains { $0.contains("\"count\":60") })
    }

    @Test(.enabled(if: getuid() == 0, "needs root"))
    func `slow readers of one user leave another user's long answers alone`() throws {
        var limits = limits(page: 200_000)
        limits.largeAnswerTime = .seconds(20)
        limits.patience = .seconds(2)
        let service = try TestService(limits: limits)
        let other = try RawClient.admitted(service.socket, uid: 64_077)
        try fill(other)
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("large", secret: [UInt8](repeating: 1, count: 8 << 20)))
        try fill(client, 40)
        // Each may take as much as one of the largest rows does.
        let slow = try (0..<8).map { _ in try askSlowly(service) }
        #expect(try other.count(RawClient.find(limit: .all)) == 60)
        withExtendedLifetime(slow) {}
    }

    @Test
    func `a batch whose answers are longer than any may be fails with that status, and the connection goes on`() throws
    {
        var limits = TestService.quickLimits
        limits.answerSize = 100_000
        let service = try TestService(limits: limits)
        let client = try RawClient.admitted(service.socket)
        for number in 0..<4 {
            _ = try client.count(RawClient.add("\(number)", secret: [UInt8](repeating: 1, count: 40_000)))
        }
        let parts = try client.ask(.batch([RawClient.find(limit: .all), RawClient.find("1")]))
        let outcomes = parts.flatMap { part -> [OperationOutcome] in
            if case .batch(let some) = part { some } else { [] }
        }
        #expect(outcomes.map(\.summary) == ["dataTooLarge", "1 items"])
        // By itself, the same search is answered in pages.
        #expect(try client.count(RawClient.find(limit: .all)) == 4)
    }
}
