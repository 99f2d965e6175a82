import Foundation
import FuzzRowSupport
import FuzzSupport
import GRDB

@testable import KeychainEngine
@testable import KeychainModel
@testable import KeychainStore

/// Rows that somebody edited. The first byte of an input chooses the class; then come edits of one of two rows, each a
/// column, a kind of edit and what that kind takes.
///
/// What opens of such a row is what was sealed in it, and the row beside it opens as before.
@main
enum FuzzRows: FuzzTarget {
    private static let keychain: FuzzKeychain = {
        guard let keychain = try? FuzzKeychain() else { preconditionFailure("no keychain") }
        return keychain
    }()

    /// Two rows of a class as they were written, and what they open to.
    private struct Originals {
        let columns: [String]
        let rows: [[DatabaseValue]]
        let items: [ItemImage]
    }

    private static let originals: [ItemClass: Originals] = {
        do {
            return try Dictionary(uniqueKeysWithValues: ItemClass.stored.map { ($0, try makeOriginals($0)) })
        } catch {
            preconditionFailure("no rows to edit: \(error)")
        }
    }()

    private static func makeOriginals(_ itemClass: ItemClass) throws -> Originals {
        for name in ["edited", "other"] {
            var request = AddRequest(itemClass: itemClass)
            switch itemClass {
            case .certificate: request.attributes["slnr"] = .data(Array(name.utf8))
            case .key: request.attributes["klbl"] = .data(Array(name.utf8))
            default: request.attributes["acct"] = .string(name)
            }
            request.attributes["labl"] = .string("label of \(name)")
            request.accessGroup = "group"
            request.secrets[.valueData] = SecretBytes(Array("value of \(name)".utf8))
            _ = try keychain.engine.keychain(of: keychain.caller).add(request)
        }
        let rows = try keychain.sql { try Row.fetchAll($0, sql: "SELECT * FROM \(itemClass.rawValue) ORDER BY id") }
        let items = try keychain.all(itemClass).map(ItemImage.init)
        require(rows.count == 2 && items.count == 2, "two items were added")
        return Originals(columns: Array(rows[0].columnNames), rows: rows.map { Array($0.databaseValues) }, items: items)
    }

    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let itemClass = source.choice(of: ItemClass.stored)
        guard let originals = originals[itemClass] else { return }
        var row = originals.rows[0]
        while !source.isAtEnd {
            // Not the row's number: that would only be another row.
            let column = 1 + Int(source.byte()) % (row.count - 1)
            row[column] = edited(row[column], row: row, other: originals.rows[1], from: &source)
        }
        do {
            try put([row, originals.rows[1]], originals.columns, itemClass)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return
        }
        try check(originals, itemClass)
        try put(originals.rows, originals.columns, itemClass)
    }

    private static func edited(
        _ value: DatabaseValue,
        row: [DatabaseValue],
        other: [DatabaseValue],
        from source: inout ByteSource
    ) -> DatabaseValue {
        var bytes = Data.fromDatabaseValue(value).map(Array.init) ?? []
        switch source.byte() % 10 {
        case 0: return .null
        case 1: return Int64(bitPattern: source.number()).databaseValue
        case 2: return Double(bitPattern: source.number()).databaseValue
        case 3: return String(decoding: source.shortBytes(), as: UTF8.self).databaseValue
        case 4: return Data(source.shortBytes()).databaseValue
        case 5: return Data(source.longBytes()).databaseValue
        case 6:
            let position = Int(source.byte())
            let mask = source.byte()
            if bytes.indices.contains(position) { bytes[position] ^= mask }
            return Data(bytes).databaseValue
        case 7: return Data(bytes.dropLast(Int(source.byte()))).databaseValue
        case 8: return source.choice(of: row)
        default: return source.choice(of: other)
        }
    }

    private static func put(_ rows: [[DatabaseValue]], _ columns: [String], _ itemClass: ItemClass) throws {
        try keychain.sql { database in
            try database.inTransaction {
                try database.execute(sql: "DELETE FROM \(itemClass.rawValue)")
                let places = columns.map { _ in "?" }.joined(separator: ", ")
                for row in rows {
                    try database.execute(
                        sql:
                            "INSERT INTO \(itemClass.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(places))",
                        arguments: StatementArguments(row)
                    )
                }
                return .commit
            }
        }
    }

    private static func check(_ originals: Originals, _ itemClass: ItemClass) throws {
        let found = try keychain.all(itemClass).map(ItemImage.init)
        require(found.allSatisfy(originals.items.contains), "what opens is what was sealed")
        require(found.count { $0 == originals.items[1] } == 1, "the row beside an edited one opens as before")
        require(found.count <= 2, "a row opens once")
        do throws(KeychainError) {
            var request = FindRequest(query: ItemQuery(itemClass: itemClass))
            request.query.reference = originals.items[0].reference
            request.query.synchronizable = .any
            request.returns = [.data, .attributes]
            let named = try keychain.engine.keychain(of: keychain.caller).find(request).map(ItemImage.init)
            require(named.allSatisfy { $0 == originals.items[0] }, "a reference leads to its item or to nothing")
        } catch {
            require(error.code == .undecodable, "a damaged row is undecodable")
        }
        try write(originals, itemClass)
    }

    /// An update and a deletion beside a damaged row neither fail for it nor touch it.
    private static func write(_ originals: Originals, _ itemClass: ItemClass) throws {
        var update = UpdateRequest(query: ItemQuery(itemClass: itemClass))
        update.query.reference = originals.items[1].reference
        update.query.synchronizable = .any
        update.changes.attributes["labl"] = .string("changed")
        require(try keychain.engine.keychain(of: keychain.caller).update(update) == 1, "the row beside can be changed")
        var delete = DeleteRequest(query: update.query)
        delete.leavesTombstone = false
        require(try keychain.engine.keychain(of: keychain.caller).delete(delete) == 1, "the row beside can be deleted")
    }

    static func seeds() -> [String: [UInt8]] {
        // The columns by their places after the row's number: uuid, version, group, protection, …
        [
            "untouched": [0], "other-version": [0, 1, 4, 16] + [UInt8](repeating: 5, count: 16),
            "flipped-metadata": [0, 36, 6, 20, 1], "flipped-secret": [2, 16, 6, 40, 128],
            "text-group": [0, 2, 3, 5] + Array("other".utf8), "number-group": [1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1],
            "other-class": [0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 7], "real-flag": [0, 4, 2, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0],
            "short-index": [0, 20, 7, 3], "swapped": [3, 30, 9, 30], "null-label": [0, 11, 0],
        ]
    }
}
