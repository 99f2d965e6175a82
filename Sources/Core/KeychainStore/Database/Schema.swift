import GRDB
import KeychainModel
import KeychainVault

/// The database's tables, derived from the attribute table. `docs/formats/database.md` explains them.
enum Schema {
    /// Stands in the file's header; a file of a newer version is refused.
    static let version: Int32 = 1
    /// "CHkc": tells our files from other people's.
    static let applicationID: Int32 = 0x4348_6B63

    /// The columns of an item's table, in the order in which they are written and read.
    struct Table: Sendable {
        let itemClass: ItemClass
        /// The attributes that have a blind column, in the order of the attribute table.
        let blind: [Attribute]

        init(_ itemClass: ItemClass) {
            self.itemClass = itemClass
            blind = AttributeTable.attributes(of: itemClass).filter(\.hasBlindColumn)
        }

        var name: String { itemClass.rawValue }

        /// The columns that stand before the blind ones.
        static let fixedColumns = [
            "uuid", "version", "agrp", "pdmn", "sync", "tomb", "accc", "metadata", "key", "secret",
        ]

        var columns: [String] { Self.fixedColumns + blind.map { Self.column($0.key) } }

        /// What makes an item unique: the class's own attributes first, in the order in which people search by them.
        ///
        /// `aside` is 0 for every row but those that were found damaged and had to make room.
        var primaryKey: [String] {
            let common = Set(AttributeTable.attributes(of: .genericPassword).map(\.key))
                .intersection(AttributeTable.attributes(of: .certificate).map(\.key))
            let columns = blind.filter { $0.flags.contains(.primaryKey) }
            return columns.filter { !common.contains($0.key) }.map { Self.column($0.key) }
                + ["agrp", "sync"]
                + columns.filter { common.contains($0.key) }.map { Self.column($0.key) }
                + ["aside"]
        }

        static func column(_ key: AttributeKey) -> String { "b_\(key)" }

        /// The name and the first column of each index: SQLite's own for the UNIQUE constraints, and ours.
        var indexes: [(name: String, column: String)] {
            [
                ("sqlite_autoindex_\(name)_1", "uuid"),
                ("sqlite_autoindex_\(name)_2", primaryKey.first ?? "uuid"),
            ]
                + blind.filter { $0.flags.contains(.indexed) }.map { ("\(name)_\($0.key)", Self.column($0.key)) }
        }

        var statements: [String] {
            let blindColumns = blind.map { attribute in
                // A UNIQUE constraint takes two NULLs for different values, so what is part of one is never NULL.
                let constraint = attribute.flags.contains(.primaryKey) ? " NOT NULL" : ""
                return "\(Self.column(attribute.key)) BLOB\(constraint)"
            }
            let table = """
                CREATE TABLE \(name) (
                id INTEGER PRIMARY KEY,
                uuid BLOB NOT NULL UNIQUE,
                version BLOB NOT NULL,
                agrp BLOB NOT NULL,
                pdmn INTEGER NOT NULL,
                sync INTEGER NOT NULL,
                tomb INTEGER NOT NULL,
                accc BLOB NOT NULL,
                aside INTEGER NOT NULL DEFAULT 0,
                \(blindColumns.joined(separator: ",\n")),
                metadata BLOB NOT NULL,
                key BLOB NOT NULL,
                secret BLOB NOT NULL,
                UNIQUE (\(primaryKey.joined(separator: ", ")))
                )
                """
            let indexes = blind.filter { $0.flags.contains(.indexed) }.map { attribute in
                "CREATE INDEX \(name)_\(attribute.key) ON \(name) (\(Self.column(attribute.key)))"
            }
            return [table] + indexes
        }
    }

    static let tables: [ItemClass: Table] = Dictionary(
        uniqueKeysWithValues: ItemClass.stored.map { ($0, Table($0)) }
    )

    /// All statements that make an empty keychain.
    static var statements: [String] {
        [
            """
            CREATE TABLE header (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            content BLOB NOT NULL,
            code BLOB NOT NULL
            )
            """,
            // AES-GCM with random nonces is safe for 2^32 messages under one key (NIST SP 800-38D, section 8.3).
            """
            CREATE TABLE usage (
            pdmn INTEGER PRIMARY KEY,
            seals INTEGER NOT NULL CHECK (seals < 4294967296)
            )
            """,
        ]
            + ItemClass.stored.compactMap { tables[$0] }.flatMap(\.statements)
            + Accessibility.allCases.map { "INSERT INTO usage (pdmn, seals) VALUES (\($0.code), 0)" }
            + ["PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)"]
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

    /// The text of an untouched database, as this SQLite writes it.
    static let expectedText: Result<[String], any Error> = Result {
        try DatabaseQueue().write { database in
            for statement in statements { try database.execute(sql: statement) }
            return try text(of: database)
        }
    }
}
