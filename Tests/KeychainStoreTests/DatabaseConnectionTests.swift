import Foundation
import GRDB
import KeychainModel
import KeychainTestSupport
import Logging
import Testing

@testable import KeychainStore

@Suite("How the database is opened")
struct DatabaseConnectionTests {
    private let keychain: TestKeychain
    private let store: KeychainStore

    init() throws {
        keychain = try TestKeychain()
        try keychain.connection().add("alice")
        let lock = try WriterLock(path: keychain.lock)
        store = try KeychainStore(path: keychain.database, lock: lock, log: Logger(label: "test"))
    }

    /// What a connection that the store itself uses says.
    private func pragma(_ name: String, writer: Bool) throws -> String? {
        func read(_ database: Database) throws -> String? { try String.fetchOne(database, sql: "PRAGMA \(name)") }
        if writer { return try store.writer.inDatabase(read) }
        return try ReaderPool(path: keychain.database).read(read)
    }

    @Test func `the writer syncs fully`() throws {
        #expect(try pragma("synchronous", writer: true) == "2")
    }

    @Test(arguments: [true, false])
    func `every connection writes ahead, erases what it deletes, distrusts the schema and never checkpoints by itself`(
        writer: Bool
    ) throws {
        #expect(try pragma("journal_mode", writer: writer) == "wal")
        #expect(try pragma("secure_delete", writer: writer) == "1")
        #expect(try pragma("trusted_schema", writer: writer) == "0")
        #expect(try pragma("wal_autocheckpoint", writer: writer) == "0")
        #expect(try pragma("cell_size_check", writer: writer) == "1")
        #expect(try pragma("temp_store", writer: writer) == "2")
        #expect(try pragma("mmap_size", writer: writer) == "0")
    }

    @Test(arguments: [true, false])
    func `every connection is defensive: SQL cannot edit the schema`(writer: Bool) throws {
        let attack = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql WHERE name = 'genp'"
        #expect(throws: DatabaseError.self) {
            if writer {
                try store.writer.inDatabase { try $0.execute(sql: attack) }
            } else {
                let queue = try DatabaseConnection.open(path: keychain.database, for: .reading)
                // The lesser guard is taken away, so that it is the mode that answers.
                try queue.inDatabase { try $0.execute(sql: "PRAGMA query_only = OFF; " + attack) }
            }
        }
    }

    @Test func `a reader cannot write`() throws {
        #expect(throws: KeychainError.self) {
            try ReaderPool(path: keychain.database).read { try $0.execute(sql: "DELETE FROM genp") }
        }
        #expect(try keychain.connection().accounts() == ["alice"])
    }

    @Test func `no connection writes the journal back, however long it gets, nor when it is closed`() throws {
        let before = try keychain.read(keychain.database)
        let queue = try DatabaseConnection.open(path: keychain.database, for: .writing)
        try queue.writeWithoutTransaction { database in
            for _ in 0..<12 {
                try database.execute(sql: "UPDATE genp SET secret = randomblob(500000)")
            }
        }
        try queue.close()
        #expect(try keychain.read(keychain.journal).count > 1000 * 4096)
        #expect(try keychain.read(keychain.database) == before)
    }

    @Test func `not even the last connection writes the journal back when it is closed`() throws {
        let other = try TestKeychain()
        try other.connection().add("alice")
        let (database, journal) = (try other.read(other.database), try other.read(other.journal))
        #expect(!journal.isEmpty)
        let queue = try DatabaseConnection.open(path: other.database, for: .writing)
        #expect(try queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM genp") } == 1)
        try queue.close()
        #expect(try other.read(other.database) == database)
        #expect(try other.read(other.journal) == journal)
    }

    @Test func `a reading is one snapshot, whatever is written meanwhile`() throws {
        let writer = keychain.connection()
        try store.read(snapshot: true) { (transaction) throws(KeychainError) in
            #expect(try transaction.groups(of: .genericPassword) == ["test.default"])
            try writer.add("bob") { $0.accessGroup = "test.other" }
            #expect(try transaction.groups(of: .genericPassword) == ["test.default"])
        }
        let after = try store.read(snapshot: true) { (transaction) throws(KeychainError) in
            try transaction.groups(of: .genericPassword)
        }
        #expect(after.sorted() == ["test.default", "test.other"])
    }

    @Test func `the keychain's files are its owner's alone`() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: keychain.path) {
            var status = stat()
            #expect(stat(keychain.path + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func `a class key that has sealed as many rows as it may seals no more`() throws {
        try keychain.sql("UPDATE usage SET seals = 4294967295")
        let connection = keychain.connection()
        #expect(failure { () throws(KeychainError) in try connection.add("bob") } == .notAvailable)
        #expect(try connection.accounts() == ["alice"])
    }
}
