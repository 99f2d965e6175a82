import Foundation
import GRDB
package import KeychainModel
package import KeychainVault

/// What a keychain knows of its circle of devices. None of it is believed before the vault has opened it.
extension ReadTransaction {
    /// Whether the keychain belongs to a circle, or is about to.
    package func hasCircle() throws(KeychainError) -> Bool {
        try KeychainError.translatingSQLite { try CircleStatements.hasCircle(database) }
    }

    /// The sealed piece that has a key.
    package func circlePiece(_ key: [UInt8]) throws(KeychainError) -> [UInt8]? {
        try KeychainError.translatingSQLite {
            let statement = try database.cachedStatement(sql: "SELECT value FROM circle WHERE key = ?")
            return try Data.fetchOne(statement, arguments: [Data(key)]).map { Array($0) }
        }
    }

    /// How many bytes all pieces have, which are not read for that.
    package func circleSize() throws(KeychainError) -> Int {
        try KeychainError.translatingSQLite {
            try Int.fetchOne(database.cachedStatement(sql: "SELECT coalesce(sum(length(value)), 0) FROM circle")) ?? 0
        }
    }

    /// All sealed pieces.
    package func circlePieces() throws(KeychainError) -> [(key: [UInt8], value: [UInt8])] {
        try KeychainError.translatingSQLite {
            try Row.fetchAll(database, sql: "SELECT key, value FROM circle ORDER BY key").map { row in
                (row.bytes("key"), row.bytes("value"))
            }
        }
    }

    /// How many synchronizable rows are not what the circle knows, and how many of those that it knows are not there.
    package func unsharedCount() throws(KeychainError) -> Int {
        try KeychainError.translatingSQLite {
            try ItemClass.stored.reduce(0) { count, itemClass in
                let table = itemClass.rawValue
                let sql = """
                    SELECT (SELECT count(*) FROM \(table) t LEFT JOIN shared s ON s.class = ?1 AND s.uuid = t.uuid
                    WHERE t.sync <> 0 AND t.sync = 1 AND t.aside = 0 AND s.version IS NOT t.version)
                    + (SELECT count(*) FROM shared WHERE class = ?1
                    AND uuid NOT IN (SELECT uuid FROM \(table) WHERE sync <> 0 AND sync = 1 AND aside = 0))
                    """
                return try count + (Int.fetchOne(database.cachedStatement(sql: sql), arguments: [table]) ?? 0)
            }
        }
    }

    /// The segments of this device's journals that are kept here, in the order in which they were written.
    package func segments() throws(KeychainError) -> [StoredSegment] {
        try KeychainError.translatingSQLite {
            try Row.fetchAll(database, sql: "SELECT journal, number, hash FROM segment ORDER BY id").map { row in
                StoredSegment(journal: row.bytes("journal"), number: row["number"], hash: row.bytes("hash"))
            }
        }
    }

    package func bytes(of segment: StoredSegment) throws(KeychainError) -> [UInt8]? {
        try KeychainError.translatingSQLite {
            try Data.fetchOne(
                database,
                sql: "SELECT value FROM segment WHERE journal = ? AND number = ? AND hash = ?",
                arguments: [Data(segment.journal), segment.number, Data(segment.hash)]
            ).map { Array($0) }
        }
    }
}

/// A segment of a journal of this device.
package struct StoredSegment: Hashable, Sendable {
    package let journal: [UInt8]
    package let number: Int64
    package let hash: [UInt8]

    package init(journal: [UInt8], number: Int64, hash: [UInt8]) {
        self.journal = journal
        self.number = number
        self.hash = hash
    }
}

enum CircleStatements {
    static func hasCircle(_ database: Database) throws -> Bool {
        try Int.fetchOne(database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM circle)")) == 1
    }
}

extension Row {
    func bytes(_ column: String) -> [UInt8] { (self[column] as Data?).map { Array($0) } ?? [] }
}

extension WriteTransaction {
    // MARK: - Pieces

    /// - Parameter traces: of the pieces whose place they take.
    package func put(_ pieces: [CirclePiece], leaving traces: Traces = .goAtOnce) throws(KeychainError) {
        guard !pieces.isEmpty else { return }
        noteOverwriting(traces)
        try KeychainError.translatingSQLite {
            for piece in pieces {
                try execute("INSERT OR REPLACE INTO circle VALUES (?, ?)", [Data(piece.key), Data(piece.value)])
            }
            try execute(
                "UPDATE usage SET seals = seals + ? WHERE pdmn = ?",
                [pieces.count, Int64(KeychainVault.circleClass.code)]
            )
        }
    }

    package func removeCirclePieces(_ keys: [[UInt8]]) throws(KeychainError) {
        guard !keys.isEmpty else { return }
        noteOverwriting()
        try KeychainError.translatingSQLite {
            for key in keys { try execute("DELETE FROM circle WHERE key = ?", [Data(key)]) }
        }
    }

    /// Forgets all that the keychain knows of its circle, and which items it shares. The items stay.
    package func removeCircle() throws(KeychainError) {
        noteOverwriting()
        try KeychainError.translatingSQLite {
            for table in ["circle", "segment", "shared", "gone"] { try execute("DELETE FROM \(table)", []) }
        }
    }

    // MARK: - Segments

    package func insert(_ segment: StoredSegment, bytes: [UInt8]) throws(KeychainError) {
        noteOverwriting(.goSoon)
        try KeychainError.translatingSQLite {
            try execute(
                "INSERT OR REPLACE INTO segment (journal, number, hash, value) VALUES (?, ?, ?, ?)",
                [Data(segment.journal), segment.number, Data(segment.hash), Data(bytes)]
            )
        }
    }

    package func remove(_ segment: StoredSegment) throws(KeychainError) {
        noteOverwriting()
        try KeychainError.translatingSQLite {
            try execute(
                "DELETE FROM segment WHERE journal = ? AND number = ?",
                [Data(segment.journal), segment.number]
            )
        }
    }

    // MARK: - Rows and the circle

    /// Synchronizable rows that are not what the circle knows, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - rowNumber: where to go on: the number of the last row of the part before.
    ///   - size: in bytes; with the row that goes beyond it, the part ends.
    package func unsharedRows(
        of itemClass: ItemClass,
        after rowNumber: Int64,
        size: Int
    ) throws(KeychainError) -> [StoredItem] {
        let numbers = try KeychainError.translatingSQLite {
            try Int64.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT t.id FROM \(itemClass.rawValue) t LEFT JOIN shared s ON s.class = ?1 AND s.uuid = t.uuid
                        WHERE t.sync <> 0 AND t.sync = 1 AND t.aside = 0 AND t.id > ?2 AND s.version IS NOT t.version ORDER BY t.id
                        """
                ),
                arguments: [itemClass.rawValue, rowNumber]
            )
        }
        var rows: [StoredItem] = []
        var total = 0
        for number in numbers {
            guard let stored = try row(number: number, of: itemClass) else { continue }
            rows.append(stored)
            total += stored.row.metadata.count + stored.row.secret.count
            if total >= size { break }
        }
        return rows
    }

    /// The marks of shared rows that are not there, or were set aside.
    package func missingRows(of itemClass: ItemClass) throws(KeychainError) -> [SharedMark] {
        try KeychainError.translatingSQLite {
            try Self.marks(
                database.cachedStatement(
                    sql: """
                        SELECT class, uuid, version, name, code FROM shared WHERE class = ?1
                        AND uuid NOT IN (SELECT uuid FROM \(itemClass.rawValue) WHERE sync <> 0 AND sync = 1 AND aside = 0)
                        """
                ),
                [itemClass.rawValue]
            )
        }
    }

    private static func marks(_ statement: Statement, _ arguments: StatementArguments) throws -> [SharedMark] {
        try Row.fetchAll(statement, arguments: arguments).compactMap { row in
            guard let itemClass = ItemClass(rawValue: row["class"]), let uuid = ItemUUID(row.bytes("uuid")) else {
                return nil
            }
            return SharedMark(
                itemClass: itemClass,
                uuid: uuid,
                version: row.bytes("version"),
                name: row.bytes("name"),
                code: row.bytes("code")
            )
        }
    }

    package func isAside(_ stored: StoredItem) throws(KeychainError) -> Bool {
        try KeychainError.translatingSQLite {
            let sql = "SELECT aside FROM \(stored.row.itemClass.rawValue) WHERE id = ?"
            return try Int64.fetchOne(database.cachedStatement(sql: sql), arguments: [stored.rowNumber]) != 0
        }
    }

    /// The marks of what the circle knows under a name.
    package func sharedMarks(of name: [UInt8]) throws(KeychainError) -> [SharedMark] {
        try KeychainError.translatingSQLite {
            try Self.marks(
                database.cachedStatement(sql: "SELECT class, uuid, version, name, code FROM shared WHERE name = ?"),
                [Data(name)]
            )
        }
    }

    package func sharedMark(of itemClass: ItemClass, _ uuid: ItemUUID) throws(KeychainError) -> SharedMark? {
        try KeychainError.translatingSQLite {
            try Self.marks(
                database.cachedStatement(
                    sql: "SELECT class, uuid, version, name, code FROM shared WHERE class = ? AND uuid = ?"
                ),
                [itemClass.rawValue, Data(uuid.bytes)]
            ).first
        }
    }

    package func put(_ mark: SharedMark) throws(KeychainError) {
        noteOverwriting(.goSoon)
        try KeychainError.translatingSQLite {
            try execute(
                "INSERT OR REPLACE INTO shared VALUES (?, ?, ?, ?, ?)",
                [
                    mark.itemClass.rawValue, Data(mark.uuid.bytes), Data(mark.version), Data(mark.name),
                    Data(mark.code),
                ]
            )
        }
    }

    /// Forgets that a row was shared, and that it was removed.
    package func removeMarks(of itemClass: ItemClass, _ uuid: ItemUUID) throws(KeychainError) {
        noteOverwriting()
        try KeychainError.translatingSQLite {
            for table in ["shared", "gone"] {
                try execute(
                    "DELETE FROM \(table) WHERE class = ? AND uuid = ?",
                    [itemClass.rawValue, Data(uuid.bytes)]
                )
            }
        }
    }

    package func goneMark(of itemClass: ItemClass, _ uuid: ItemUUID) throws(KeychainError) -> GoneMark? {
        try KeychainError.translatingSQLite {
            try Row.fetchOne(
                database.cachedStatement(sql: "SELECT time, code FROM gone WHERE class = ? AND uuid = ?"),
                arguments: [itemClass.rawValue, Data(uuid.bytes)]
            ).map { GoneMark(itemClass: itemClass, uuid: uuid, time: $0["time"], code: $0.bytes("code")) }
        }
    }

    /// Notes that a shared row was removed.
    func put(_ mark: GoneMark) throws {
        try execute(
            "INSERT OR REPLACE INTO gone VALUES (?, ?, ?, ?)",
            [mark.itemClass.rawValue, Data(mark.uuid.bytes), mark.time, Data(mark.code)]
        )
    }

    /// A row that is there is not gone.
    func clearGoneMark(of row: SealedRow) throws {
        try execute(
            "DELETE FROM gone WHERE class = ? AND uuid = ?",
            [row.itemClass.rawValue, Data(row.uuid.bytes)]
        )
        if database.changesCount > 0 { noteOverwriting(.goSoon) }
    }
}
