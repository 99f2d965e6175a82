package import KeychainVault

/// A row that is in the database: only the store makes it.
package struct StoredItem: Sendable {
    package let row: SealedRow
    /// Where the row is, for as long as the transaction lasts. Rows found earlier were, as a rule, added earlier.
    package let rowNumber: Int64
    /// Whether its clear columns have the form that a keychain writes. Otherwise some of them are made up.
    package let isWellFormed: Bool

    init(row: SealedRow, rowNumber: Int64, isWellFormed: Bool) {
        self.row = row
        self.rowNumber = rowNumber
        self.isWellFormed = isWellFormed
    }
}
