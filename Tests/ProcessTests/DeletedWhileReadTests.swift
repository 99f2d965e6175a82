import Foundation
import GRDB
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("What is left of items that were deleted while somebody read")
struct DeletedWhileReadTests {
    private func secret(_ keychain: TestKeychain) throws -> [UInt8] {
        try keychain.sql { Array(try Data.fetchOne($0, sql: "SELECT secret FROM genp") ?? Data()) }
    }

    @Test(arguments: ["delete", "update"])
    func `an item that another process still saw is in no file once that one is done`(operation: String) throws {
        let keychain = try TestKeychain()
        let connection = keychain.connection()
        try connection.add("alice")
        let secret = try secret(keychain)
        let reader = try ProbeProcess(keychain, ["hold-snapshot", keychain.path])
        #expect(reader.waitForLine("held"))
        if operation == "delete" {
            #expect(try connection.delete("alice") == 1)
        } else {
            #expect(try connection.update("alice", value: "new") == 1)
        }
        #expect(try !keychain.files(containing: secret).isEmpty, "nobody stood in the way: the test proves nothing")
        reader.release()
        #expect(reader.wait() == 0)
        #expect(try eventually { try keychain.files(containing: secret).isEmpty })
    }

    @Test func `the next write cleans up, whoever makes it, where nobody was left to do it`() throws {
        let keychain = try TestKeychain()
        try keychain.connection(groups: ["KeychainProbe"]).add("alice", service: "probe")
        let secret = try secret(keychain)
        let reader = try ProbeProcess(keychain, ["hold-snapshot", keychain.path])
        #expect(reader.waitForLine("held"))
        let deleter = try ProbeProcess(keychain, ["delete-and-wait", "alice"])
        #expect(deleter.waitForLine("deleted"))
        #expect(deleter.lines.first == "0")
        deleter.kill()
        reader.release()
        #expect(reader.wait() == 0)
        #expect(try !keychain.files(containing: secret).isEmpty, "nobody stood in the way: the test proves nothing")
        // A new opening, by a process that only reads.
        #expect(try keychain.connection(groups: ["KeychainProbe"]).accounts() == [])
        #expect(try eventually { try keychain.files(containing: secret).isEmpty })
    }

    @Test func `many deletions during one long reading leave nothing either`() throws {
        let keychain = try TestKeychain()
        let connection = keychain.connection()
        for index in 0..<30 { try connection.add("account-\(index)") }
        let names = try keychain.sql { try Data.fetchAll($0, sql: "SELECT uuid FROM genp").map { Array($0) } }
        let reader = try ProbeProcess(keychain, ["hold-snapshot", keychain.path])
        #expect(reader.waitForLine("held"))
        for index in 0..<30 { #expect(try connection.delete("account-\(index)") == 1) }
        reader.release()
        reader.wait()
        #expect(try eventually { try names.allSatisfy { try keychain.files(containing: $0).isEmpty } })
    }
}
