import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import KeychainVault
import Logging
import Synchronization
import Testing

@testable import KeychainStore

/// Databases of older versions, as a later program finds them.
///
/// The newest version plays the older one. A pretend one plays the next: it has an attribute more, a table more, and an
/// index.
@Suite("A database of an older version", .serialized)
struct MigrationTests {
    static let old = Schema.current.version
    static let new = old + 1
    static let next = Schema(
        steps: Schema.current.steps + [
            """
            ALTER TABLE genp ADD COLUMN b_zzzz BLOB;
            CREATE INDEX genp_zzzz ON genp (b_zzzz);
            CREATE TABLE later (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
            INSERT INTO later (content) SELECT uuid FROM genp;
            """
        ]
    )

    private let keychain: TestKeychain

    init() throws {
        keychain = try TestKeychain(in: TestKeychain.folderInMemory)
        let connection = keychain.connection()
        for number in 0..<40 {
            try connection.add("item \(number)", value: String(repeating: "v", count: 100 * number))
        }
    }

    private func open(
        _ schema: Schema = next,
        check: (Header) throws(KeychainError) -> Void = { (_) throws(KeychainError) in }
    ) throws(KeychainError) -> KeychainStore {
        try keychain.open(schema, check: check)
    }

    private func version() throws -> Int32? {
        try keychain.sql { try Int32.fetchOne($0, sql: "PRAGMA user_version") }
    }

    @Test func `it is brought to the newest, with all its rows, and has the text of a new one`() throws {
        let store = try open()
        #expect(try store.passwords == 40)
        #expect(try version() == Self.new)
        let text = try keychain.sql(Schema.text)
        #expect(try text == Self.next.form(of: Self.new).text)
        #expect(try keychain.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM later") } == 40)
        store.close()
        #expect(try open().passwords == 40)
        // The program of before leaves it alone.
        do {
            _ = try keychain.connection().all()
            Issue.record("an older program has opened it")
        } catch {
            #expect(error.message.contains("newer"))
        }
    }

    @Test func `a new database is made by the same steps`() throws {
        let path = keychain.surroundings + "/new.db"
        try KeychainStore.create(path: path, header: Header(content: [1], code: [2]), schema: Self.next)
        let queue = try DatabaseQueue(path: path)
        #expect(try queue.read(Schema.text) == Self.next.form(of: Self.new).text)
        #expect(try queue.read { try Int32.fetchOne($0, sql: "PRAGMA user_version") } == Self.new)
    }

    @Test func `it stays what it was where it is another keychain's, or has something planted`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: keychain.database))
        #expect(throws: KeychainError(.notAvailable, "not mine")) {
            try open { (_) throws(KeychainError) in throw KeychainError(.notAvailable, "not mine") }
        }
        let isUnchanged = try Data(contentsOf: URL(fileURLWithPath: keychain.database)) == before
        #expect(isUnchanged)
        #expect(try version() == Self.old)
        try keychain.sql {
            try $0.execute(sql: "CREATE TRIGGER planted AFTER UPDATE ON genp BEGIN DELETE FROM genp; END")
        }
        #expect(throws: KeychainError.self) { try open() }
        #expect(try version() == Self.old)
    }

    @Test func `one that says that it is newer than it is, or of no version, is refused`() throws {
        try keychain.sql { try $0.execute(sql: "PRAGMA user_version = \(Self.new)") }
        #expect(throws: KeychainError.self) { try open() }
        try keychain.sql { try $0.execute(sql: "PRAGMA user_version = 0") }
        #expect(throws: KeychainError.self) { try open() }
        try keychain.sql { try $0.execute(sql: "PRAGMA user_version = -1") }
        #expect(throws: KeychainError.self) { try open() }
        try keychain.sql { try $0.execute(sql: "PRAGMA user_version = \(Self.old)") }
        #expect(try open().passwords == 40)
    }

    @Test func `many that open it at once bring it to the newest once`() throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let store = try open()
                let count = try store.passwords
                if count != 40 { failures.withLock { $0.append("\(count) passwords") } }
                store.close()
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock(\.self) == [])
        #expect(try keychain.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM later") } == 40)
    }

    // MARK: - Looking at one that is damaged, and saving what is in it

    @Test func `it is looked at, and saved from, as it is`() throws {
        let inspection = try DatabaseInspection(path: keychain.database, schema: Self.next)
        #expect(inspection.version == Self.old && inspection.isOlder)
        #expect(inspection.faults == [] && inspection.strangeObjects == [])
        var count = 0
        try inspection.forEachRow(of: .genericPassword) { row, _ in if row.isWellFormed { count += 1 } }
        #expect(count == 40)
        let isComplete = try inspection.forEachReachableRow(of: .genericPassword) { _, _ in count += 1 }
        #expect(isComplete && count == 80)
        #expect(try version() == Self.old)
    }

    @Test func `where its schema cannot be read, it gets that of its own version`() throws {
        let header = try open(.current).header()
        // The first page, but for the file's description.
        let file = try #require(FileHandle(forUpdatingAtPath: keychain.database))
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 3_996))
        try file.close()
        let replacement = DatabaseReplacement(of: keychain.database, schema: Self.next)
        let inspection = try replacement.prepare(header: header)
        var count = 0
        _ = try inspection.forEachReachableRow(of: .genericPassword) { row, _ in if row.isWellFormed { count += 1 } }
        #expect(count == 40)
        replacement.discard()
        let left = try FileManager.default.contentsOfDirectory(atPath: keychain.path).filter { $0.contains(".copy") }
        #expect(left == [])
    }

    // MARK: - The newest

    @Test func `no index has a condition for which SQLite would prepare a search anew for each value`() throws {
        // It looks at the values of searches where a condition is `column = value`.
        let conditions = try Schema.current.form(of: Schema.current.version).text.compactMap { text in
            text.range(of: " WHERE ").map { String(text[$0.upperBound...]) }
        }
        #expect(!conditions.isEmpty && conditions.allSatisfy { $0 == "sync <> 0" })
    }

    @Test(arguments: ItemClass.stored)
    func `the newest schema has the columns and indexes of the attribute table, and no others`(
        itemClass: ItemClass
    ) throws {
        let form = try Schema.current.form(of: Schema.current.version)
        let table = try #require(ItemTable.all[itemClass])
        #expect(form.columns[table.name] == Set(table.columns + ["id", "aside"]))
        #expect(form.indexes.filter { $0.contains(table.name) } == Set(table.indexes.map(\.name) + [table.sharedIndex]))
        let text = try #require(form.text.first { $0.hasPrefix("table|\(table.name)|") })
        #expect(text.contains("UNIQUE (\(table.primaryKey.joined(separator: ", ")))"))
        // SQL takes two NULLs for different values, so what is part of the key is never NULL.
        for column in table.primaryKey { #expect(text.contains("\(column) BLOB NOT NULL") || !column.hasPrefix("b_")) }
    }
}

extension TestKeychain {
    /// Opens the database as a program does that knows these versions.
    func open(
        _ schema: Schema,
        check: (Header) throws(KeychainError) -> Void = { (_) throws(KeychainError) in }
    ) throws(KeychainError) -> KeychainStore {
        try KeychainStore(
            path: database,
            lock: WriterLock(path: lock),
            schema: schema,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            check: check
        )
    }
}

extension KeychainStore {
    /// The number of whole rows of generic passwords.
    var passwords: Int {
        get throws {
            var count = 0
            try read(snapshot: true) { (transaction) throws(KeychainError) in
                try transaction.forEachRow(of: .genericPassword) { row in
                    if row.isWellFormed, !row.row.secret.isEmpty { count += 1 }
                }
            }
            return count
        }
    }
}
