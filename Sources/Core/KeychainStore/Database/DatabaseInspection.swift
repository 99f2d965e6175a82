import Foundation
import GRDB
package import KeychainModel
import KeychainVault

/// A look at a database that may be damaged: it answers as far as the file can be read, refuses nothing and changes
/// nothing.
package final class DatabaseInspection {
    private let queue: DatabaseQueue
    private let schema: Schema
    /// The schema's version, which is the newest where the file says nothing sensible.
    package let version: Int32

    /// - Throws: where the file cannot even be opened, and for one that SQLite must not touch: it deletes the journal
    ///   of a file that was truncated to nothing.
    package convenience init(path: String) throws(KeychainError) {
        try self.init(path: path, schema: .current)
    }

    init(path: String, schema: Schema) throws(KeychainError) {
        guard let file = try DatabaseFile.check(path: path, schema: schema) else {
            throw KeychainError(.notAvailable, "the keychain's database is missing; restore it from a copy")
        }
        self.schema = schema
        let queue = try DatabaseConnection.open(path: path, for: .reading)
        self.queue = queue
        // The journal may have a newer one than the file.
        let stated = (try? queue.unsafeRead { try Int32.fetchOne($0, sql: "PRAGMA user_version") }) ?? file.version
        version = (1...schema.version).contains(stated) ? stated : schema.version
    }

    /// Whether the next use brings the database to a newer version.
    package var isOlder: Bool { version < schema.version }

    private func statements(of itemClass: ItemClass) throws(KeychainError) -> RowStatements {
        try RowStatements.of(itemClass, in: KeychainError.translatingSQLite { try schema.form(of: version) })
    }

    deinit {
        try? queue.close()
    }

    func ask<Value>(_ body: (Database) throws -> Value) throws(KeychainError) -> Value {
        try KeychainError.translatingSQLite { try queue.unsafeRead(body) }
    }

    // MARK: - The file

    /// What SQLite finds wrong with the pages, the rows' form and the indexes. It names pages, tables and row numbers,
    /// and no value.
    package var faults: [String] {
        let answers = try? ask { try String.fetchAll($0, sql: "PRAGMA integrity_check(10)") }
        return (answers ?? ["it cannot be read to its end"]).filter { $0 != "ok" }
    }

    /// What is in the schema that the keychain did not put there, or not any more.
    package var strangeObjects: [String] {
        guard let text = try? ask(Schema.text), let expected = try? schema.form(of: version).text else {
            return ["it cannot be read"]
        }
        let difference = Set(text).symmetricDifference(expected)
        return Set(difference.map { $0.split(separator: "|").prefix(2).joined(separator: " ") }).sorted()
    }

    /// Whether SQLite understands the schema at all, tampered with or not.
    var hasReadableSchema: Bool {
        (try? ask(Schema.text)) != nil
    }

    /// The header row; nil where there is none.
    package var header: Header? {
        try? ask { try Row.fetchOne($0, sql: "SELECT content, code FROM header WHERE id = 1").flatMap(Header.init) }
    }

    /// How many rows each class key has sealed.
    ///
    /// - Returns: nil for a class of which that cannot be read.
    package func seals(of accessibility: Accessibility) -> Int64? {
        let sql = "SELECT seals FROM usage WHERE pdmn = ? AND typeof(seals) = 'integer'"
        let count = try? ask { database in
            try Int64.fetchOne(database, sql: sql, arguments: [accessibility.code])
        }
        return count.flatMap { (0..<Self.mostSeals).contains($0) ? $0 : nil }
    }

    private static let mostSeals: Int64 = 1 << 32

    // MARK: - Rows

    /// Gives all rows of a class to the body, as one moment has them, and says of each whether it was set aside.
    ///
    /// - Throws: where the table cannot be read to its end.
    package func forEachRow(
        of itemClass: ItemClass,
        _ body: (StoredItem, _ isAside: Bool) -> Void
    ) throws(KeychainError) {
        let statements = try statements(of: itemClass)
        try ask { database in
            try database.inSnapshot { database in
                let aside = Set(try Int64.fetchAll(database, sql: statements.aside))
                try statements.forEach(statements.everything, in: database) { stored in
                    body(stored, aside.contains(stored.rowNumber))
                    return true
                }
            }
        }
    }

    /// Gives each row that some way through the file leads to, in the order of their numbers.
    ///
    /// - Returns: whether every way came to its end, so that nothing can be missing.
    package func forEachReachableRow(
        of itemClass: ItemClass,
        _ body: (StoredItem, _ isAside: Bool) throws(KeychainError) -> Void
    ) throws(KeychainError) -> Bool {
        let statements = try statements(of: itemClass)
        var numbers: Set<Int64> = []
        var isComplete = true
        for way in statements.waysToRowNumbers {
            // What was found before a way broke off counts.
            let end: Void? = try? ask { database in
                let cursor = try Int64.fetchCursor(database, sql: way)
                while let number = try cursor.next() { numbers.insert(number) }
            }
            if end == nil { isComplete = false }
        }
        if !isComplete, let last = numbers.max() {
            // Each row that no way reached may still be found by its number.
            numbers.formUnion(1...min(max(last, 1), Self.mostGuesses))
        }
        let aside = (try? ask { try Set(Int64.fetchAll($0, sql: statements.aside)) }) ?? []
        for number in numbers.sorted() {
            var found: StoredItem?
            let end: Void? = try? ask { database in
                try statements.forEach(statements.row(number), in: database) { stored in
                    found = stored
                    return false
                }
            }
            if end == nil { isComplete = false }
            if let found { try body(found, aside.contains(number)) }
        }
        return isComplete
    }

    private static let mostGuesses: Int64 = 1_000_000
}
