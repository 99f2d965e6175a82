package import KeychainVault

/// A row that is in the database: only the store makes it.
package struct StoredItem: Sendable {
    package let row: SealedRow
    /// Where the row is, for as long as the transaction lasts. Rows found earlier were, as a rule, added earlier.
    package let rowNumber: Int64

    init(row: SealedRow, rowNumber: Int64) {
        self.row = row
        self.rowNumber = rowNumber
    }
}
