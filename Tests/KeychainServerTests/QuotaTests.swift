import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import Testing

/// A user who fills the service's disk, and what is left to this user and to the others.
@Suite("Quotas of users", .serialized)
struct QuotaTests {
    private static let small = StorageQuota.Limit(bytes: 8 << 20, items: 500)
    private static let large = [UInt8](repeating: 7, count: 1 << 20)

    private func failure(_ body: () throws -> Int) -> KeychainError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? KeychainError)?.code
        }
    }

    /// Adds until it is refused.
    ///
    /// - Returns: how many were added.
    private func fill(_ client: RawClient, _ secret: [UInt8] = [1]) throws -> Int {
        for number in 0..<2_000 {
            let refused = failure { try client.count(RawClient.add("account \(number)", secret: secret)) }
            guard let refused else { continue }
            #expect(refused == .diskFull)
            return number
        }
        return 2_000
    }

    private func size(of service: TestService) -> Int64 {
        let folder = service.folder() + "/keychain/"
        return ["keychain.db", "keychain.db-wal"].reduce(0) { sum, name in
            var status = stat()
            return stat(folder + name, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    private func everything() -> KeychainOperation {
        .delete(DeleteRequest(query: ItemQuery(itemClass: .genericPassword)))
    }

    @Test(arguments: [false, true])
    func `who fills a keychain is told that it is full, can delete all, and begin again`(areLarge: Bool) throws {
        let service = try TestService(limits: ServiceLimits(), quota: Self.small)
        let client = try RawClient.admitted(service.socket)
        let count = try fill(client, areLarge ? Self.large : [1])
        #expect(areLarge ? (5...8).contains(count) : count == 500)
        #expect(size(of: service) < 8 << 20 + 6 << 20)
        // It stays refused, and what is there can be read and made smaller.
        #expect(failure { try client.count(RawClient.add("more", secret: Self.large)) } == .diskFull)
        #expect(try client.count(RawClient.find("account 1")) == 1)
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string("account 1")
        var update = UpdateRequest(query: query)
        update.changes.secrets[.valueData] = SecretBytes([1, 2, 3])
        #expect(try client.count(.update(update)) == 1)
        #expect(try client.count(RawClient.delete("account 2")) == 1)
        #expect(try client.count(everything()) == count - 1)
        #expect(try client.count(RawClient.find(limit: .all)) == 0)
        #expect(try fill(client, areLarge ? Self.large : [1]) >= count - 1)
    }

    @Test
    func `an update that makes items grow beyond the quota changes none of them`() throws {
        let service = try TestService(limits: ServiceLimits(), quota: Self.small)
        let client = try RawClient.admitted(service.socket)
        for number in 0..<20 { _ = try client.count(RawClient.add("account \(number)")) }
        var update = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        update.changes.secrets[.valueData] = SecretBytes(Self.large)
        #expect(failure { try client.count(.update(update)) } == .diskFull)
        #expect(try client.count(RawClient.find(limit: .all)) == 20)
        #expect(try client.ask(.operation(RawClient.find("account 7"))).count == 1)
        #expect(size(of: service) < 64 << 20)
        // The control: one of them may grow.
        update.query.filters["acct"] = .string("account 7")
        #expect(try client.count(.update(update)) == 1)
    }

    @Test
    func `of a batch, what fits is done and what does not is refused`() throws {
        let service = try TestService(limits: ServiceLimits(), quota: Self.small)
        let client = try RawClient.admitted(service.socket)
        let adds = (0..<12).map { RawClient.add("account \($0)", secret: Self.large) }
        let parts = try client.ask(.batch(adds + [RawClient.delete("account 0"), RawClient.add("small")]))
        let outcomes = parts.flatMap { part -> [OperationOutcome] in
            if case .batch(let some) = part { some } else { [] }
        }
        #expect(outcomes.count == 14)
        let summaries = outcomes.map(\.summary)
        #expect(summaries.prefix(5).allSatisfy { $0 == "0 items" }, "\(summaries)")
        #expect(summaries[11] == "diskFull")
        #expect(summaries[12] == "1" && summaries[13] == "0 items", "\(summaries)")
    }

    @Test
    func `tombstones count, and go when they are asked to`() throws {
        let service = try TestService(limits: ServiceLimits(), quota: StorageQuota.Limit(bytes: 8 << 20, items: 20))
        let client = try RawClient.admitted(service.socket)
        func add(_ number: Int) -> KeychainOperation {
            guard case .add(var request) = RawClient.add("account \(number)").action else { return RawClient.add("") }
            request.isSynchronizable = true
            return .add(request)
        }
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .only(true)
        for number in 0..<20 { _ = try client.count(add(number)) }
        #expect(try client.count(.delete(DeleteRequest(query: query))) == 20)
        #expect(failure { try client.count(add(100)) } == .diskFull)
        // The same item takes the place of its tombstone.
        #expect(failure { try client.count(add(3)) } == nil)
        query.findsTombstones = true
        var request = DeleteRequest(query: query)
        request.leavesTombstone = false
        #expect(try client.count(.delete(request)) == 19)
        #expect(failure { try client.count(add(100)) } == nil)
    }

    @Test
    func `who is over a quota that was lowered can read and delete, and nothing else`() throws {
        let service = try TestService(limits: ServiceLimits(), quota: StorageQuota.Limit(bytes: 64 << 20, items: 500))
        let client = try RawClient.admitted(service.socket)
        for number in 0..<20 { _ = try client.count(RawClient.add("account \(number)", secret: Self.large)) }
        try write("default 8M 10\n", of: service)
        sleep(2)
        // Any connection has the file looked at.
        _ = try RawClient.admitted(service.socket)
        #expect(failure { try client.count(RawClient.add("more")) } == .diskFull)
        #expect(try client.count(RawClient.find("account 1")) == 1)
        for number in 0..<10 { #expect(try client.count(RawClient.delete("account \(number)")) == 1) }
        // Ten items, and more bytes than allowed: the file's free pages are not given away.
        #expect(failure { try client.count(RawClient.add("more")) } == .diskFull)
        for number in 10..<19 { #expect(try client.count(RawClient.delete("account \(number)")) == 1) }
        #expect(failure { try client.count(RawClient.add("more")) } == nil)
    }

    @Test
    func `a full keychain fills nobody else's (as root)`() throws {
        try #require(getuid() == 0, "only root can be other users")
        let service = try TestService(limits: ServiceLimits(), quota: Self.small)
        let full = try RawClient.admitted(service.socket, uid: 4003)
        _ = try fill(full, Self.large)
        let other = try RawClient.admitted(service.socket, uid: 4004)
        #expect(try other.count(RawClient.add("a", secret: Self.large)) == 0)
        #expect(try other.count(RawClient.find("a")) == 1)
    }

    @Test
    func `the status tells a user's own use and quota`() throws {
        let service = try TestService(limits: ServiceLimits(), quota: Self.small)
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a", secret: Self.large))
        let room = try #require(try client.status().room)
        #expect(room.items == KeychainRoom.Share(used: 1, quota: 500))
        #expect(room.bytes.quota == 8_388_608)
        #expect(room.bytes.used > 1_048_576 && room.bytes.used < 2_097_152)
    }

    private func write(_ text: String, of service: TestService) throws {
        try Data(text.utf8).write(to: URL(filePath: service.folder + "/quotas"))
        chmod(service.folder + "/quotas", 0o644)
    }
}
