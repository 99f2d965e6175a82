import Foundation
import GRDB
package import KeychainModel
package import KeychainVault

/// What a change of keys does to the database.
extension WriteTransaction {
    /// The header row as it is now.
    ///
    /// - Throws: `notAvailable` where it is missing.
    package func header() throws(KeychainError) -> Header {
        try KeychainError.translatingSQLite { try KeychainStore.header(in: database) }
    }

    package func setHeader(_ header: Header) throws(KeychainError) {
        try KeychainError.translatingSQLite {
            try execute(
                "UPDATE header SET content = ?, code = ? WHERE id = 1",
                [header.contentData, header.codeData]
            )
        }
    }

    /// Rows of a class in the order of their numbers, also those that were set aside.
    ///
    /// - Parameters:
    ///   - rowNumber: where to go on: the number of the last row of the part before.
    ///   - size: in bytes; with the row that goes beyond it, the part ends.
    package func rows(
        of itemClass: ItemClass,
        after rowNumber: Int64,
        atMost count: Int,
        size: Int
    ) throws(KeychainError) -> [StoredItem] {
        let statements = try RowStatements.of(itemClass)
        return try KeychainError.translatingSQLite {
            var rows: [StoredItem] = []
            var total = 0
            try statements.forEach(statements.rows(after: rowNumber, atMost: count), in: database) { stored in
                rows.append(stored)
                total += stored.row.metadata.count + stored.row.secret.count
                return total < size
            }
            return rows
        }
    }

    /// Puts a row under other keys. Everything else of it stays.
    package func renew(_ stored: StoredItem, as item: SealedItem) throws(KeychainError) {
        let statements = try RowStatements.of(item.row.itemClass)
        noteOverwriting()
        try KeychainError.translatingSQLite {
            try execute(statements.renew, [Data(item.row.metadata), Data(item.row.wrappedKey), stored.rowNumber])
        }
    }

    /// Removes all rows of an accessibility class, also those that were set aside.
    package func removeAll(of accessibility: Accessibility) throws(KeychainError) {
        noteOverwriting()
        quota?.loseCount()
        for itemClass in ItemClass.stored {
            let statements = try RowStatements.of(itemClass)
            try KeychainError.translatingSQLite { try execute(statements.removeAll, [Int64(accessibility.code)]) }
        }
    }

    /// A class's new key has sealed the rows that are there, and no more.
    package func countSealsAnew(of accessibility: Accessibility) throws(KeychainError) {
        var counts: [String] = []
        for itemClass in ItemClass.stored { counts.append("(\(try RowStatements.of(itemClass).count))") }
        counts.append("(SELECT count(*) FROM past WHERE pdmn = ?1)")
        if accessibility == KeychainVault.circleClass { counts.append("(SELECT count(*) FROM circle)") }
        try KeychainError.translatingSQLite {
            try execute(
                "UPDATE usage SET seals = \(counts.joined(separator: " + ")) WHERE pdmn = ?1",
                [Int64(accessibility.code)]
            )
        }
    }
}
