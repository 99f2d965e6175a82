import Foundation
import Testing

@testable import KeychainServer

/// Whom the service knows, by the system's files, and whom it does not.
struct ServiceUsersTests {
    private let folder: String
    private let users: ServiceUsers

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/users-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder + "/users/70001/keychain",
            withIntermediateDirectories: true
        )
        users = ServiceUsers(folder: folder, accounts: folder + "/passwd", lending: folder + "/subuid")
        try write("root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n", to: "passwd")
        try write("alice:100000:65536\nroot:400000:10\n", to: "subuid")
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }

    @Test func `users of the system and owners of keychains are known, lent ones have no place, others are strangers`()
    {
        #expect([0, 1000, 70001].map(users.standing) == [.known, .known, .known])
        #expect([100_000, 165_535].map(users.standing) == [.lent, .lent])
        // What root gives away, root answers for.
        #expect(
            [99_999, 165_536, 400_001, 70_002].map(users.standing) == [.stranger, .stranger, .stranger, .stranger]
        )
    }

    @Test func `a keychain makes nobody known to whom the number was lent`() throws {
        try FileManager.default.createDirectory(
            atPath: folder + "/users/100001/keychain",
            withIntermediateDirectories: true
        )
        #expect(users.standing(of: 100_001) == .lent)
    }

    @Test func `a change of the files is seen, and so is their end`() throws {
        try write("bob:x:1001:1001::/:/bin/sh\n", to: "passwd")
        try write("", to: "subuid")
        #expect([1000, 1001, 100_000].map(users.standing) == [.stranger, .known, .stranger])
        try FileManager.default.removeItem(atPath: folder + "/passwd")
        #expect(users.standing(of: 1001) == .stranger)
    }

    @Test(arguments: ["::::", "a:b:c\n\n:::1\n", "x:x:99999999999999999999:\n", "a:4294967295:18446744073709551615"])
    func `lines that are none are no users`(_ line: String) throws {
        try write(line, to: "passwd")
        try write(line, to: "subuid")
        #expect(users.standing(of: 1000) == .stranger)
        #expect(users.standing(of: 1) == .stranger)
    }

    @Test func `who was seen in somebody's namespace is refused for a while, and a known user never`() {
        users.noteLending(of: 500_000)
        users.noteLending(of: 1000)
        #expect([500_000, 1000].map(users.standing) == [.lent, .known])
        // More than are remembered do no harm.
        for uid in UInt32(500_001)..<510_000 { users.noteLending(of: uid) }
        #expect(users.standing(of: 1000) == .known)
    }
}
