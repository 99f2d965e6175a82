import GRDB
import KeychainModel
import Synchronization

/// The database's schema, version by version. `docs/formats/database.md` explains it.
///
/// A new keychain is made as the first version and brought to the newest by the same steps as an old one, so that all
/// keychains of a version have one text.
final class Schema: Sendable {
    /// "CHkc": tells our files from other people's.
    static let applicationID: Int32 = 0x4348_6B63

    /// What makes an empty database of version 1, and for each later version what leads to it from the one before.
    let steps: [String]
    private let forms = Mutex<[Int32: Form]>([:])

    static let current = Schema(steps: [version1, version2])

    /// - Parameter steps: SQL. A step is never changed once a program with it was released.
    convenience init(steps: [String]) {
        self.init(steps: steps, version: Int32(clamping: steps.count))
    }

    private init(steps: [String], version: Int32) {
        self.steps = steps
        self.version = version
    }

    /// Stands in the file's header; a file of a newer version is refused.
    let version: Int32

    /// What an untouched database of one version has.
    struct Form: Sendable {
        /// The text of every object, as this SQLite writes it.
        let text: [String]
        /// The names of the columns of each table.
        let columns: [String: Set<String>]
        let indexes: Set<String>
    }

    func form(of version: Int32) throws -> Form {
        if let known = forms.withLock({ $0[version] }) { return known }
        let form = try DatabaseQueue().write { database in
            try bring(database, from: 0, to: version)
            let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            var columns: [String: Set<String>] = [:]
            for table in tables {
                columns[table] = try String.fetchSet(
                    database,
                    sql: "SELECT name FROM pragma_table_info(?)",
                    arguments: [table]
                )
            }
            return Form(
                text: try Self.text(of: database),
                columns: columns,
                indexes: try String.fetchSet(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'index'")
            )
        }
        forms.withLock { $0[version] = form }
        return form
    }

    /// The tables of items as a version has them, on the pages on which every keychain of that version has them: those of the first
    /// version. Step 2 makes other tables, which are on other pages in a keychain that was brought to it.
    func mending(_ version: Int32) -> Schema {
        let kept = steps.prefix(Int(version)).enumerated().filter { $0.offset != 1 }.map(\.element)
        return Schema(steps: kept, version: version)
    }

    /// Makes the newest schema in an empty database.
    func create(in database: Database) throws {
        try bring(database, from: 0, to: version)
    }

    /// Makes the schema of one version out of that of an earlier one. The caller is in a transaction.
    func bring(_ database: Database, from earlier: Int32, to later: Int32) throws {
        for step in steps.prefix(Int(later)).dropFirst(Int(earlier)) { try database.execute(sql: step) }
        try database.execute(
            sql: "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(later)"
        )
    }

    /// Makes sure that a database has the schema of its version, and nothing else.
    ///
    /// - Returns: the version.
    /// - Throws: `notAvailable`
    func check(_ database: Database) throws -> Int32 {
        let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard (1...self.version).contains(version), try Self.text(of: database) == form(of: version).text else {
            throw KeychainError(
                .notAvailable,
                "the database's schema is not the keychain's; it was left as it is, restore it from a copy"
            )
        }
        return version
    }

    /// The text of every object in a database, so that a planted trigger, view or column is noticed.
    static func text(of database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT type || '|' || name || '|' || tbl_name || '|' || coalesce(sql, '')
                FROM sqlite_schema ORDER BY type, name
                """
        )
    }
}
