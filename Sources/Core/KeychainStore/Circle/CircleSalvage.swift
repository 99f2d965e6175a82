import GRDB
package import KeychainModel

/// What a damaged database has of a circle, and of earlier versions, as it stands there.
package struct CircleSalvage: Sendable {
    fileprivate var tables: [String: [[DatabaseValue]]] = [:]

    fileprivate static let columns = [
        "circle": "key, value",
        "segment": "journal, number, hash, value",
        "shared": "class, uuid, version, name, code",
        "gone": "class, uuid, time, code",
        "past": "class, uuid, reason, time, version, agrp, pdmn, sync, accc, blind, metadata, key, secret",
    ]
}

extension DatabaseInspection {
    /// What can be read of the circle: all that is known of it, or nothing, since a part of it says something else than all of it.
    /// Earlier versions are by themselves.
    package var circle: CircleSalvage {
        var salvage = CircleSalvage()
        for table in CircleSalvage.columns.keys { salvage.tables[table] = rows(of: table) }
        let isWhole = ["circle", "shared", "gone"].allSatisfy { salvage.tables[$0] != nil }
        if !isWhole || !faults.isEmpty { salvage.tables = salvage.tables.filter { $0.key == "past" } }
        return salvage
    }

    /// The sealed pieces of what a device knows of its circle; nil where they cannot be read.
    package var circlePieces: [(key: [UInt8], value: [UInt8])]? {
        try? ask { database in
            try Row.fetchAll(database, sql: "SELECT key, value FROM circle").map {
                ($0.bytes("key"), $0.bytes("value"))
            }
        }
    }

    private func rows(of table: String) -> [[DatabaseValue]]? {
        guard let columns = CircleSalvage.columns[table] else { return nil }
        return try? ask { database in
            try Row.fetchAll(database, sql: "SELECT \(columns) FROM \(table)").map { Array($0.databaseValues) }
        }
    }
}

extension WriteTransaction {
    /// Unchecked, since the vault judges each row when it is used: a repair keeps what it cannot judge while the device is locked.
    package func insert(unchecked salvage: CircleSalvage) throws(KeychainError) {
        try KeychainError.translatingSQLite {
            for (table, rows) in salvage.tables {
                guard let columns = CircleSalvage.columns[table] else { continue }
                let places = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
                for row in rows {
                    try execute("INSERT OR IGNORE INTO \(table) (\(columns)) VALUES (\(places))", row)
                }
            }
        }
    }
}
