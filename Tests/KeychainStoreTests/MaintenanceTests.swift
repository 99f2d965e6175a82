import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("Verifying and repairing")
struct MaintenanceTests {
    private let keychain: TestKeychain
    private let connection: EmbeddedKeychain

    init() throws {
        keychain = try TestKeychain()
        connection = keychain.connection()
        for account in ["alice", "bob", "carol"] { try connection.add(account, value: "value of " + account) }
    }

    private static let all = ["alice", "bob", "carol"].map { "\($0)=value of \($0)" }

    private var problems: [String] {
        get throws { try connection.verify().problems.map { "\($0.place) \($0.message)" } }
    }

    private func expectRefusal(saying hint: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = try keychain.contents()
        let error = #expect(throws: KeychainError.self, sourceLocation: sourceLocation) {
            try keychain.connection().repair()
        }
        #expect(error?.code == .notAvailable, sourceLocation: sourceLocation)
        #expect(error?.message.contains(hint) ?? false, "\(error?.message ?? "")", sourceLocation: sourceLocation)
        #expect(try keychain.contents() == before, sourceLocation: sourceLocation)
    }

    // MARK: - Verifying

    @Test func `a sound keychain is whole, and looking changes nothing`() throws {
        let reference = try connection.add("dave") { $0.isSynchronizable = true }
        var deletion = DeleteRequest(query: ItemQuery(itemClass: .genericPassword))
        deletion.query.reference = reference
        deletion.query.synchronizable = .any
        #expect(try connection.delete(deletion) == 1)
        let before = try keychain.contents()
        let report = try connection.verify()
        #expect(report.isWhole, "\(report.problems)")
        #expect(report.counts[.genericPassword]?.whole == 3)
        #expect(report.counts[.genericPassword]?.tombstones == 1)
        #expect(report.counts.count == 4)
        #expect(try connection.repair().outcome == .nothingToDo)
        #expect(try keychain.contents() == before)
    }

    @Test func `where there is no keychain, none is made`() throws {
        let none = try TestKeychain()
        #expect(failure { () throws(KeychainError) in try none.connection().verify() } == .notAvailable)
        #expect(failure { () throws(KeychainError) in try none.connection().repair() } == .notAvailable)
        #expect(!FileManager.default.fileExists(atPath: none.path))
    }

    @Test(arguments: [
        ("metadata", "attributes or filter columns"), ("b_acct", "attributes or filter columns"),
        ("key", "a key that does not open"), ("secret", "a value that does not open"), ("version", "a column"),
        ("agrp", "a column"), ("uuid", "a column"),
    ])
    func `a damaged row is named with what is wrong with it, and nothing of what is in it`(
        column: String,
        complaint: String
    ) throws {
        try keychain.sql("UPDATE genp SET \(column) = randomblob(16) WHERE id = 1")
        let report = try connection.verify()
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.message.contains(complaint) ?? false, "\(report.problems)")
        #expect(report.counts[.genericPassword]?.whole == 2)
        #expect(report.counts[.genericPassword]?.damaged == 1)
        let text = try problems.joined()
        for value in ["alice", "bob", "service", "value of"] { #expect(!text.contains(value)) }
    }

    @Test func `files that are open to others or missing are named`() throws {
        chmod(keychain.keybag, 0o644)
        chmod(keychain.path, 0o755)
        #expect(try problems.contains { $0.hasPrefix("keybag can be opened by others") })
        #expect(try problems.contains { $0.hasPrefix("the folder can be opened by others") })
        chmod(keychain.path, 0o700)
        chmod(keychain.keybag, 0o600)
        unlink(keychain.keybag)
        #expect(try problems == ["keybag is missing; put it back from a copy"])
    }

    // MARK: - Rows

    @Test func `damaged rows are set aside in their table, and can be added anew`() throws {
        try keychain.sql("UPDATE genp SET secret = randomblob(60) WHERE id = 1")
        try keychain.sql("UPDATE genp SET metadata = randomblob(60) WHERE id = 2")
        let before = try keychain.sql { try Row.fetchAll($0, sql: "SELECT uuid, metadata, key, secret FROM genp") }
        let report = try connection.repair()
        #expect(report.outcome == .rowsSetAside)
        #expect((report.kept, report.setAside) == (1, 2))
        #expect(
            try keychain.sql { try Row.fetchAll($0, sql: "SELECT uuid, metadata, key, secret FROM genp") } == before
        )
        #expect(try connection.verify().isWhole)
        #expect(try connection.verify().counts[.genericPassword]?.aside == 2)
        #expect(try connection.accounts() == ["carol"])
        try connection.add("alice", value: "new")
        #expect(try connection.all() == ["alice=new", "carol=value of carol"])
        #expect(try connection.repair().outcome == .nothingToDo)
    }

    // MARK: - The database

    @Test(arguments: [
        "CREATE TRIGGER planted AFTER INSERT ON genp BEGIN DELETE FROM genp; END",
        "CREATE TABLE planted (x)", "DROP INDEX genp_acct", "ALTER TABLE genp ADD COLUMN planted",
        "DELETE FROM header", "UPDATE header SET code = zeroblob(32)", "UPDATE header SET content = zeroblob(41)",
        "DELETE FROM usage WHERE pdmn = 1", "DROP TABLE usage", "DROP TABLE header", "DROP TABLE inet",
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE (b_svce', 'UNIQUE (b_labl') WHERE name = 'genp'
        """,
    ])
    func `a database with another schema or header gives its rows to a new one and stays beside it`(
        harm: String
    ) throws {
        try keychain.sql(harm)
        #expect(try !connection.verify().isWhole)
        let report = try connection.repair()
        guard case .replaced(let name) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect((report.kept, report.setAside) == (3, 0))
        // The program that had it open, and a new one.
        #expect(try connection.all() == Self.all)
        #expect(try keychain.connection().all() == Self.all)
        #expect(try connection.verify().problems.map(\.message) == [])
        #expect(name == keychain.database + ".damaged-1")
        #expect(FileManager.default.fileExists(atPath: name))
        try connection.add("dave")
        #expect(try keychain.connection().accounts() == ["alice", "bob", "carol", "dave"])
        #expect(!FileManager.default.fileExists(atPath: keychain.database + ".new"))
        #expect(!FileManager.default.fileExists(atPath: keychain.database + ".copy"))
    }

    @Test func `an item that demands its owner goes along into a new database, and is whole without them`() throws {
        let control = try AccessControl(protection: "ak", flags: .userPresence)
        try connection.add("dave", value: "value of dave") { $0.accessControl = control }
        #expect(try connection.verify().isWhole)
        try keychain.sql("UPDATE header SET code = zeroblob(32)")
        #expect((try connection.repair().kept, try connection.verify().isWhole) == (4, true))
        // There is no passcode to ask for.
        #expect(failure { () throws(KeychainError) in try connection.value(of: "dave") } == .authenticationFailed)
        try keychain.sql("UPDATE genp SET key = randomblob(108) WHERE id = 4")
        #expect(try connection.verify().problems.count == 1)
    }

    @Test func `an item under an application password goes along into a new database, and only it opens it there`()
        throws
    {
        let password = SecretBytes(Array("open sesame".utf8))
        let control = try AccessControl(protection: "ak", flags: .applicationPassword)
        try connection.add("dave", value: "value of dave") { request in
            request.accessControl = control
            request.authentication.applicationPassword = password
        }
        #expect(try connection.verify().isWhole)
        try keychain.sql("UPDATE header SET code = zeroblob(32)")
        #expect((try connection.repair().kept, try connection.verify().isWhole) == (4, true))
        #expect(failure { () throws(KeychainError) in try connection.value(of: "dave") } == .interactionNotAllowed)
        #expect(
            try connection.all { $0.authentication.applicationPassword = password } == Self.all + ["dave=value of dave"]
        )
        // What is damaged is so with and without it.
        try keychain.sql("UPDATE genp SET key = randomblob(108) WHERE id = 4")
        #expect(try connection.verify().problems.count == 1)
    }

    @Test func `rows that were set aside stay aside in the new database, and damaged ones in the damaged file`() throws
    {
        try keychain.sql("UPDATE genp SET secret = randomblob(60) WHERE id = 1")
        _ = try connection.repair()
        try connection.add("alice", value: "new")
        // A whole row that somebody has set aside.
        try keychain.sql("UPDATE genp SET aside = id WHERE id = 2")
        try connection.add("bob", value: "new too")
        try keychain.sql("DELETE FROM header")
        let report = try connection.repair()
        #expect((report.kept, report.setAside) == (3, 1))
        #expect(try connection.all() == ["alice=new", "bob=new too", "carol=value of carol"])
        #expect(try connection.verify().counts[.genericPassword]?.aside == 1)
    }

    @Test func `repairs of one keychain give the damaged files different names`() throws {
        for number in 1...3 {
            try keychain.sql("DELETE FROM header")
            #expect(try connection.repair().outcome == .replaced(damaged: keychain.database + ".damaged-\(number)"))
        }
        #expect(try connection.all() == Self.all)
    }

    @Test func `how many rows a key has sealed is remembered, and half of what it may where that is lost`() throws {
        try keychain.sql("UPDATE usage SET seals = 1000 WHERE pdmn = 1; UPDATE usage SET seals = 'x' WHERE pdmn = 2")
        try keychain.sql("DELETE FROM header")
        _ = try connection.repair()
        func seals(_ code: Int) throws -> Int64? {
            try keychain.sql { try Int64.fetchOne($0, sql: "SELECT seals FROM usage WHERE pdmn = \(code)") }
        }
        #expect(try seals(1) == 1003)
        #expect(try seals(2) == 1 << 31)
    }

    @Test func `of a database whose pages are damaged, what still opens is kept`() throws {
        for index in 0..<200 { try connection.add("more-\(index)", value: "value-\(index)") }
        try connection.delete("more-0")
        let before = try Set(connection.all())
        var bytes = try keychain.read(keychain.database)
        let page = 4096 * (bytes.count / 4096 / 2)
        for index in page..<(page + 4096) { bytes[index] = 0xA5 }
        try keychain.write(bytes, to: keychain.database)
        let fresh = keychain.connection()
        #expect(try !fresh.verify().isWhole)
        _ = try fresh.repair()
        let after = try Set(fresh.all())
        #expect(after.isSubset(of: before))
        #expect(after.count > 150)
        #expect(try fresh.verify().isWhole)
    }

    @Test func `a database without its first page gives what the journal has`() throws {
        try keychain.write([], to: keychain.database)
        #expect(try !connection.verify().isWhole)
        _ = try connection.repair()
        #expect(try keychain.connection().all() == Self.all)
    }

    // MARK: - What cannot be mended

    @Test func `without keybag, device key or database nothing is repaired and nothing is changed`() throws {
        for file in [keychain.keybag, keychain.deviceKey, keychain.database] {
            let bytes = try keychain.read(file)
            unlink(file)
            try expectRefusal(saying: "missing")
            try keychain.write(bytes, to: file)
        }
        var bytes = try keychain.read(keychain.keybag)
        bytes[100] ^= 1
        try keychain.write(bytes, to: keychain.keybag)
        try expectRefusal(saying: "the keybag is damaged")
    }

    @Test func `another keychain's database is not emptied by a repair`() throws {
        let other = try TestKeychain()
        try other.connection().add("mallory")
        try other.connection().delete("mallory")
        try other.connection().add("mallory")
        try keychain.write([], to: keychain.journal)
        try keychain.write(other.read(other.database), to: keychain.database)
        try expectRefusal(saying: "another keychain's")
    }

    @Test func `a database of a newer version is not taken back to this one`() throws {
        try keychain.sql("PRAGMA user_version = \(MigrationTests.new); PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try keychain.connection().verify().problems.map(\.remedy) == [.upgrade])
        try expectRefusal(saying: "newer")
    }
}
