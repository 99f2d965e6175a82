import Foundation
import GRDB
import KeychainModel
import KeychainTestSupport
import Logging
import Testing

@testable import KeychainEngine
@testable import KeychainStore
@testable import KeychainVault

/// What was deleted or replaced is in no file, as soon as nobody reads the old state any more.
@Suite("What is left of deleted items")
struct DeletedDataTests {
    private let keychain: TestKeychain

    init() throws { keychain = try TestKeychain() }

    /// The bytes by which a row is known again.
    private func traces(of row: Int = 1) throws -> [[UInt8]] {
        try keychain.sql { database in
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT uuid, version, metadata, key, secret, b_acct FROM genp WHERE id = ?",
                    arguments: [row]
                )
            else { return [] }
            return (0..<6).map { index in Array((row[index] as Data).prefix(24)) }
        }
    }

    private func files(with traces: [[UInt8]]) throws -> [String] {
        try traces.flatMap { try keychain.files(containing: $0) }
    }

    @Test func `a deleted item is in no file`() throws {
        let connection = keychain.connection()
        try connection.add("alice")
        try connection.add("bob")
        let traces = try traces()
        #expect(traces.count == 6)
        #expect(try !files(with: traces).isEmpty)
        #expect(try connection.delete("alice") == 1)
        #expect(try files(with: traces) == [])
        #expect(try connection.accounts() == ["bob"])
    }

    @Test func `the state before a change is in no file`() throws {
        let connection = keychain.connection()
        try connection.add("alice")
        var old = try traces()
        // Both states have the name in common, and the account.
        old.removeFirst()
        old.removeLast()
        #expect(try connection.update("alice", value: "a new value") == 1)
        #expect(try files(with: old) == [])
    }

    @Test func `a large value that is deleted or replaced is in no file`() throws {
        let connection = keychain.connection()
        try connection.add("alice") { $0.secrets[.valueData] = SecretBytes([UInt8](repeating: 7, count: 100_000)) }
        let chunks = try keychain.sql { database in
            let secret = try Data.fetchOne(database, sql: "SELECT secret FROM genp") ?? Data()
            return stride(from: 0, to: secret.count - 16, by: 5000).map { Array(secret[$0..<($0 + 16)]) }
        }
        #expect(chunks.count > 10)
        #expect(try connection.delete("alice") == 1)
        #expect(try files(with: chunks) == [])
    }

    @Test func `of many items that are deleted one by one, none is in a file`() throws {
        let connection = keychain.connection()
        for index in 0..<400 { try connection.add("account-\(index)") }
        let names = try keychain.sql { database in
            try Data.fetchAll(database, sql: "SELECT uuid FROM genp UNION ALL SELECT b_acct FROM genp").map {
                Array($0)
            }
        }
        for index in 0..<400 where index % 2 == 0 { #expect(try connection.delete("account-\(index)") == 1) }
        let kept = try keychain.sql { database in
            try Data.fetchAll(database, sql: "SELECT uuid FROM genp UNION ALL SELECT b_acct FROM genp").map {
                Array($0)
            }
        }
        let deleted = Set(names).subtracting(kept)
        #expect(deleted.count == 400)
        let bytes = try keychain.contents()
        let left = deleted.flatMap { name in
            bytes.compactMap { file, bytes in bytes.places(of: name).first.map { "\(file) at \($0)" } }
        }
        #expect(left == [])
        #expect(try connection.delete() == 200)
        let after = try keychain.contents().values
        #expect(names.filter { name in after.contains { $0.contains(bytes: name) } }.count == 0)
    }

    /// Nobody waits for the first; an owner waits for the second.
    @Test func `what a device has noted before goes moments later, and at once with what an owner removes`() throws {
        let engine = try KeychainDirectory(path: keychain.path).open(log: Logger(label: "test"))
        let connection = keychain.connection()
        try connection.add("alice")
        func note(_ text: String) throws -> [UInt8] {
            let key: [UInt8] = [7]
            let piece = try engine.vault.seal(circlePiece: Array(text.utf8), key: key)
            try engine.write { () throws(KeychainError) in
                { (transaction: WriteTransaction) throws(KeychainError) in
                    try transaction.put([piece], leaving: .goSoon)
                }
            }
            return Array(piece.value.prefix(24))
        }
        let first = try note("first")
        #expect(try !files(with: [first]).isEmpty)
        let second = try note("second")
        try waitUntil("the first note is in no file") { try files(with: [first]) == [] }
        let third = try note("third")
        #expect(try connection.delete("alice") == 1)
        #expect(try files(with: [second]) == [])
        #expect(try files(with: [third]) == ["keychain.db"])
    }

    /// A copy of a cell that SQLite has moved would outlive its item: deleting one overwrites the cell, and not the copy.
    @Test func `between the cells of a page there is nothing`() throws {
        let connection = keychain.connection()
        for index in 0..<300 { try connection.add("account-\(index)") }
        for index in 0..<300 where index % 3 == 0 { try connection.update("account-\(index)", value: "changed") }
        for index in 0..<100 { try connection.add("another-\(index)", value: String(repeating: "x", count: index * 8)) }
        #expect(try connection.delete("account-1") == 1)
        let bytes = [UInt8](try #require(try keychain.contents()["keychain.db"]))
        // https://www.sqlite.org/fileformat2.html, section 1.6.
        var pages = 0
        for start in stride(from: 0, to: bytes.count, by: 4096) {
            let page = Array(bytes[start..<(start + 4096)])
            let header = start == 0 ? 100 : 0
            guard let size = [2: 12, 5: 12, 10: 8, 13: 8][page[header]] else { continue }
            func number(_ offset: Int) -> Int { Int(page[header + offset]) << 8 | Int(page[header + offset + 1]) }
            let begin = header + size + 2 * number(3)
            let end = number(5)
            try #require(begin <= end && end <= 4096)
            #expect(page[begin..<end].allSatisfy { $0 == 0 }, "page \(start / 4096 + 1)")
            pages += 1
        }
        #expect(pages > 50)
        #expect(try keychain.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    }

    @Test func `account, service and password are in no file at any time`() throws {
        let connection = keychain.connection()
        let texts = [
            "an account of note", "a service of note", "a password of note", "a label of note", "another value",
        ]
        func found() throws -> [String] {
            try texts.filter { try !keychain.files(containing: Array($0.utf8)).isEmpty }
        }
        try connection.add(texts[0], service: texts[1], value: texts[2]) { $0.attributes["labl"] = .string(texts[3]) }
        #expect(try found() == [])
        try connection.update(texts[0], value: texts[4])
        #expect(try found() == [])
        try connection.delete()
        #expect(try found() == [])
    }
}
