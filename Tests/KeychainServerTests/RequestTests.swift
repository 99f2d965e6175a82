import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import Testing

@testable import KeychainServer

@Suite("The service's answers")
struct RequestTests {
    @Test
    func `the four calls work over the socket`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        #expect(try client.count(RawClient.add("a")) == 0)
        #expect(try client.count(RawClient.find("a")) == 1)
        var update = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        update.changes.attributes["labl"] = .string("label")
        #expect(try client.count(.update(update)) == 1)
        #expect(try client.count(RawClient.delete("a")) == 1)
        #expect(try client.count(RawClient.find("a")) == 0)
    }

    @Test
    func `a batch answers each operation, and one that fails keeps none of the others`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        let parts = try client.ask(
            .batch([
                RawClient.add("a"), RawClient.add("a"), RawClient.add("b"), RawClient.find(limit: .all),
                RawClient.delete("b"),
            ])
        )
        guard case .batch(let outcomes) = try #require(parts.first), parts.count == 1 else {
            Issue.record("\(parts)")
            return
        }
        #expect(outcomes.map(\.summary) == ["0 items", "duplicateItem", "0 items", "2 items", "1"])
    }

    @Test
    func `a transaction does all or nothing, and says why not`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a"))
        let refused = try client.ask(.transaction([RawClient.delete("a"), RawClient.add("b"), RawClient.add("b")]))
        guard case .outcome(.failure(let error)) = try #require(refused.first), refused.count == 1 else {
            Issue.record("\(refused)")
            return
        }
        #expect(error.code == .duplicateItem)
        #expect(try client.count(RawClient.find("a")) == 1)
        #expect(try client.count(RawClient.find("b")) == 0)
        let done = try client.ask(.transaction([RawClient.delete("a"), RawClient.add("b"), RawClient.find("b")]))
        guard case .batch(let outcomes) = try #require(done.first), done.count == 1 else {
            Issue.record("\(done)")
            return
        }
        #expect(outcomes.map(\.summary) == ["1", "0 items", "1 items"])
        #expect(try client.count(RawClient.find("a")) == 0)
    }

    @Test
    func `a long list comes in parts, whole`() throws {
        var limits = TestService.quickLimits
        limits.answerTime = .seconds(60)
        limits.frameTime = .seconds(60)
        let service = try TestService(limits: limits)
        let client = try RawClient.admitted(service.socket)
        let secret = [UInt8](repeating: 7, count: 40_000)
        _ = try client.ask(.batch((0..<100).map { RawClient.add("account \($0)", secret: secret) }))
        let parts = try client.ask(.operation(RawClient.find(limit: .all)))
        #expect(parts.count > 1)
        #expect(try client.count(RawClient.find(limit: .all)) == 100)
    }

    @Test
    func `why nothing matched is told to who asks for it, and to nobody else`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a"))
        func explanation(_ explain: Bool) throws -> [String] {
            let answer = try client.ask(.operation(RawClient.find("b", explain: explain)))
            guard case .outcome(let outcome) = answer.first else { throw RawClient.Ended() }
            return try outcome.get().explanation
        }
        #expect(try explanation(true).contains { $0.contains("kSecAttrAccount") })
        #expect(try explanation(false).isEmpty)
    }

    @Test
    func `status counts, and tells of nobody's items`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a"))
        let status = try client.status()
        #expect(status.version == "test")
        #expect(status.mode == .system)
        #expect(status.connections == 1)
        #expect(status.counts.operations == 1)
        #expect(!"\(status)".contains("group"))
    }

    @Test
    func `a user is told own counts alone, and root those of all (as root)`() throws {
        try #require(getuid() == 0, "only root can be other users")
        let service = try TestService()
        let users = try [64_510, 64_511].map { try RawClient.admitted(service.socket, uid: $0) }
        let more = try (0..<3).map { _ in try RawClient.admitted(service.socket, uid: 64_511) }
        for _ in 0..<5 { _ = try users[1].count(RawClient.find("a")) }
        _ = try users[1].count(RawClient.add("a"))
        #expect(throws: KeychainError(.duplicateItem, "")) { try users[1].count(RawClient.add("a")) }
        func told(_ client: RawClient) throws -> [Int] {
            let status = try client.status()
            let counts = status.counts
            return [status.connections, counts.accepted, counts.requests, counts.operations, counts.failures]
        }
        #expect(try told(users[0]) == [1, 1, 1, 0, 0])
        #expect(try told(users[1]) == [4, 4, 8, 7, 1])
        // The control: whoever may know is told.
        let root = try RawClient.admitted(service.socket)
        #expect(try told(root) == [6, 6, 10, 7, 1])
        withExtendedLifetime(more) {}
    }

    @Test func `of more users than are remembered, the counts go of who was away for longest`() {
        let counters = UserCounters(ServiceCounter(), most: 3)
        let users = [1, 2, 3].map(counters.user)
        _ = counters.user(1)
        _ = counters.user(4)
        #expect(counters.user(1) === users[0] && counters.user(3) === users[2])
        #expect(counters.user(2) !== users[1])
    }

    @Test
    func `requests that came before the service stopped are answered`() throws {
        let service = try TestService()
        let clients = try (0..<8).map { _ in try RawClient.admitted(service.socket) }
        _ = try clients[0].count(RawClient.add("a"))
        for client in clients { client.send(try RawClient.frame(.operation(RawClient.find("a")))) }
        service.stop()
        for client in clients {
            #expect(throws: Never.self) { try client.answer() }
            #expect(throws: RawClient.Ended.self) { try client.receive() }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: service.folder() + "/keychain/keychain.db-wal")).isEmpty)
    }

    @Test
    func `the record says who did what with which outcome, and no account, service or value`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("secret account"))
        _ = try client.count(RawClient.find("secret account"))
        #expect(throws: KeychainError.self) { try client.count(RawClient.add("secret account")) }
        _ = try client.count(RawClient.delete("secret account"))
        let lines = service.audit()
        struct Entry: Decodable {
            let uid: UInt32
            let caller: String
            let operation: String
            let outcome: String
            let groups: [String]?
            let rows: [String]?
        }
        let entries = try lines.map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
        #expect(entries.map(\.operation) == ["add", "find", "add", "delete"])
        #expect(entries.map(\.outcome) == ["ok", "ok", "duplicateItem", "ok"])
        #expect(entries.allSatisfy { $0.uid == getuid() && $0.caller == "test" })
        #expect(entries[0].groups == ["group"])
        #expect(entries[0].rows?.count == 1 && entries[0].rows == entries[1].rows && entries[0].rows == entries[3].rows)
        for forbidden in ["secret", "service"] { #expect(!lines.joined().contains(forbidden)) }
        let attributes = try FileManager.default.attributesOfItem(atPath: service.folder() + "/audit.log")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `the record has the program for which a caller says that it asks, and no more of it`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        _ = try client.ask(.onBehalf(of: "/usr/bin/mail", .operation(RawClient.add("a"))))
        _ = try client.ask(.onBehalf(of: "\",\"caller\":\"other\",\n\u{202E}", .batch([RawClient.find("a")])))
        _ = try client.ask(.onBehalf(of: String(repeating: "x", count: 100_000), .operation(RawClient.find("a"))))
        _ = try client.count(RawClient.find("a"))
        struct Entry: Decodable {
            let caller: String
            let onBehalfOf: String?
        }
        let lines = service.audit()
        let entries = try lines.map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
        #expect(entries.map(\.caller) == ["test", "test", "test", "test"])
        #expect(
            entries.map(\.onBehalfOf) == [
                "/usr/bin/mail", "\",\"caller\":\"other\",\n\u{202E}", String(repeating: "x", count: 256), nil,
            ]
        )
        #expect(lines.allSatisfy { !$0.contains("\u{202E}") })
    }

    @Test
    func `a keychain whose uid was another user's is not handed on`() throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a"))
        client.close()
        service.stop()
        let owner = service.folder() + "/owner"
        let contents = try String(contentsOfFile: owner, encoding: .utf8)
        #expect(contents.hasPrefix("uid \(getuid())\nname "))
        let other = try TestService()
        try FileManager.default.createDirectory(
            atPath: other.folder() + "/",
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try Data("uid \(getuid())\nname somebody-else\n".utf8).write(
            to: URL(fileURLWithPath: other.folder() + "/owner")
        )
        chmod(other.folder() + "/owner", 0o600)
        let second = try RawClient.admitted(other.socket)
        #expect(throws: KeychainError(.notAvailable, "")) { try second.count(RawClient.find("a")) }
    }

    @Test
    func `users have keychains of their own (as root)`() throws {
        try #require(getuid() == 0, "only root can be other users")
        let service = try TestService()
        let first = try RawClient.admitted(service.socket, uid: 4001)
        let second = try RawClient.admitted(service.socket, uid: 4002)
        _ = try first.count(RawClient.add("a"))
        #expect(try second.count(RawClient.find(limit: .all)) == 0)
        #expect(try first.count(RawClient.find(limit: .all)) == 1)
    }
}
