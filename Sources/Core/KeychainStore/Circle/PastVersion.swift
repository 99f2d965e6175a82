import EnclaveInterface
import Foundation
import GRDB
package import KeychainModel
package import KeychainVault

/// An earlier version of a shared item, sealed as it was.
package struct PastVersion: Sendable {
    package enum Reason: Int64, Sendable, Equatable {
        /// A program changed the item, or another device did.
        case replaced = 1
        case deleted = 2
        /// Two devices changed the item, and this version was not taken.
        case lost = 3
    }

    package let number: Int64
    package let row: SealedRow
    package let reason: Reason
    /// When it became an earlier one, in milliseconds since 1970.
    package let time: Int64

    /// So many are kept of an item.
    package static let most = 10
    /// So many of all items that no other device shares.
    package static let mostUnshared = 1_000
    /// For so long, in milliseconds: 90 days.
    package static let longest: Int64 = 90 * 86_400_000

    package static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1_000).rounded()) }

    /// Whether it is kept no longer, and only was not removed yet.
    package var isExpired: Bool { time < Self.now - Self.longest }
}

extension ReadTransaction {
    /// The numbers of earlier versions of a class's items. They are read one by one: all of them may be more than fits into memory.
    package func pastNumbers(of itemClass: ItemClass) throws(KeychainError) -> [Int64] {
        try KeychainError.translatingSQLite {
            let sql = "SELECT id FROM past WHERE class = ? ORDER BY id"
            return try Int64.fetchAll(database.cachedStatement(sql: sql), arguments: [itemClass.rawValue])
        }
    }

    /// The one that has a number.
    package func pastVersion(_ number: Int64) throws(KeychainError) -> PastVersion? {
        try KeychainError.translatingSQLite {
            guard
                let row = try Row.fetchOne(
                    database.cachedStatement(sql: "SELECT * FROM past WHERE id = ?"),
                    arguments: [number]
                ),
                let itemClass = ItemClass(rawValue: row["class"])
            else { return nil }
            return Self.pastVersion(row, itemClass)
        }
    }

    /// All earlier versions of an item.
    package func pastVersions(like version: PastVersion) throws(KeychainError) -> [PastVersion] {
        let itemClass = version.row.itemClass
        return try KeychainError.translatingSQLite {
            let sql = "SELECT * FROM past WHERE class = ? AND uuid = ? ORDER BY id"
            let rows = try Row.fetchAll(
                database.cachedStatement(sql: sql),
                arguments: [itemClass.rawValue, Data(version.row.uuid.bytes)]
            )
            return rows.compactMap { Self.pastVersion($0, itemClass) }
        }
    }

    /// How many earlier versions have lost against another device's change.
    package func lostCount() throws(KeychainError) -> Int {
        try KeychainError.translatingSQLite {
            let sql = "SELECT count(*) FROM past WHERE reason = ?"
            return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [PastVersion.Reason.lost.rawValue])
                ?? 0
        }
    }

    /// Whether an item is there, and no tombstone.
    package func hasLiveRow(_ uuid: ItemUUID, of itemClass: ItemClass) throws(KeychainError) -> Bool {
        try KeychainError.translatingSQLite {
            let sql = "SELECT EXISTS (SELECT 1 FROM \(itemClass.rawValue) WHERE uuid = ? AND tomb = 0 AND aside = 0)"
            return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [Data(uuid.bytes)]) == 1
        }
    }

    fileprivate static func pastVersion(_ row: Row, _ itemClass: ItemClass) -> PastVersion? {
        guard let uuid = ItemUUID(row.bytes("uuid")), let columns = BlindColumns(bytes: row.bytes("blind")),
            let group = String(validating: row.bytes("agrp"), as: UTF8.self),
            let accessibility = UInt8(exactly: row["pdmn"] as Int64),
            let reason = PastVersion.Reason(rawValue: row["reason"])
        else { return nil }
        let binding = ItemBinding(
            itemClass: itemClass,
            uuid: uuid,
            version: row.bytes("version"),
            accessGroup: group,
            accessibility: accessibility,
            isSynchronizable: row[AttributeKey.synchronizable.description] as Int64 == 1,
            isTombstone: false,
            accessControl: row.bytes("accc")
        )
        return PastVersion(
            number: row["id"],
            row: SealedRow(
                binding: binding,
                blindColumns: columns,
                metadata: row.bytes("metadata"),
                wrappedKey: row.bytes("key"),
                secret: row.bytes("secret")
            ),
            reason: reason,
            time: row["time"]
        )
    }
}

extension WriteTransaction {
    /// Keeps a version that another device has made, and that is not current.
    package func insertPast(_ item: SealedItem, as reason: PastVersion.Reason) throws(KeychainError) {
        try KeychainError.translatingSQLite {
            try insertPast(item.row, reason)
            try execute("UPDATE usage SET seals = seals + 1 WHERE pdmn = ?", [Int64(item.row.accessibility)])
        }
    }

    func insertPast(_ row: SealedRow, _ reason: PastVersion.Reason) throws {
        try execute(
            """
            INSERT INTO past (class, uuid, reason, time, version, agrp, pdmn, sync, accc, blind, metadata, key, secret)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                row.itemClass.rawValue, Data(row.uuid.bytes), reason.rawValue, PastVersion.now, Data(row.version),
                Data(row.accessGroup.utf8), Int64(row.accessibility), row.isSynchronizable, Data(row.accessControl),
                Data(row.blindColumns.bytes), Data(row.metadata), Data(row.wrappedKey), Data(row.secret),
            ]
        )
        try execute(
            """
            DELETE FROM past WHERE class = ?1 AND uuid = ?2 AND id NOT IN
            (SELECT id FROM past WHERE class = ?1 AND uuid = ?2 ORDER BY time DESC, id DESC LIMIT ?3)
            """,
            [row.itemClass.rawValue, Data(row.uuid.bytes), PastVersion.most]
        )
        if database.changesCount > 0 { noteOverwriting() }
    }

    /// Of items that no other device shares, so many versions are kept; the oldest go. Nothing else looks for those that are
    /// too old in a keychain that belongs to no circle.
    ///
    /// - Parameter isAll: whether synchronizable items are shared with nobody either, since there is no circle.
    func limitUnsharedPast(isAll: Bool) throws {
        noteOverwriting()
        try execute("DELETE FROM past WHERE time < ?", [PastVersion.now - PastVersion.longest])
        try execute(
            """
            DELETE FROM past WHERE id IN
            (SELECT id FROM past WHERE sync <= ? ORDER BY time DESC, id DESC LIMIT -1 OFFSET ?)
            """,
            [isAll ? 1 : 0, PastVersion.mostUnshared]
        )
    }

    /// Forgets the versions that are too old.
    ///
    /// - Parameter now: in milliseconds since 1970.
    package func expirePast(now: Int64) throws(KeychainError) {
        try KeychainError.translatingSQLite {
            try execute("DELETE FROM past WHERE time < ?", [now - PastVersion.longest])
            if database.changesCount > 0 { noteOverwriting() }
        }
    }

    /// Forgets one version, or all of an item.
    package func removePast(_ version: PastVersion) throws(KeychainError) {
        noteOverwriting()
        try KeychainError.translatingSQLite { try execute("DELETE FROM past WHERE id = ?", [version.number]) }
    }

    /// Puts an earlier version under other keys.
    package func renew(_ version: PastVersion, as item: SealedItem) throws(KeychainError) {
        noteOverwriting()
        try KeychainError.translatingSQLite {
            try execute(
                "UPDATE past SET metadata = ?, key = ? WHERE id = ?",
                [Data(item.row.metadata), Data(item.row.wrappedKey), version.number]
            )
        }
    }
}
