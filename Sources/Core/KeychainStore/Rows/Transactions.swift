import Foundation
import GRDB
package import KeychainModel
package import KeychainVault

/// What can be asked of the database within one snapshot.
package struct ReadTransaction {
    let database: Database
    /// What rows may take in memory; nil for as much as they do.
    private let allowance: MemoryAllowance?

    init(database: Database, allowance: MemoryAllowance?) {
        self.database = database
        self.allowance = allowance
    }

    /// Gives the rows of a selection to the body, one after the other, until it returns false.
    package func forEach(
        _ query: BlindQuery,
        _ body: (StoredItem) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let statements = try RowStatements.of(query.itemClass, within: allowance)
        try KeychainError.translatingSQLite {
            try statements.forEach(statements.selection(of: query), in: database, within: allowance, body)
        }
    }

    /// Whether rows would have taken more memory than they may.
    package var isLacking: Bool { allowance?.lacking != nil }

    /// Notes how much memory all rows of some selections would take, so that the caller asks for enough at once.
    package func noteExtent(of queries: [BlindQuery]) throws(KeychainError) {
        guard let allowance else { return }
        var all = MemoryAllowance.Extent(rows: 0, bytes: 0, largestRow: 0)
        for query in queries {
            let selection = try RowStatements.of(query.itemClass).extent(of: query)
            try KeychainError.translatingSQLite {
                guard let row = try Row.fetchOne(database, sql: selection.sql, arguments: selection.arguments) else {
                    return
                }
                let rows: Int = row[0] ?? 0
                all.rows += rows
                all.bytes += (row[1] ?? 0) + rows * MemoryAllowance.rowOverhead
                all.largestRow = max(all.largestRow, row[2] ?? 0)
            }
        }
        allowance.note(all)
    }

    /// Gives the numbers of a selection's rows to the body, in any order.
    package func forEachNumber(
        of query: BlindQuery,
        _ body: (Int64) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let selection = try RowStatements.of(query.itemClass).numbers(of: query)
        try KeychainError.translatingSQLite {
            let numbers = try Int64.fetchCursor(database, sql: selection.sql, arguments: selection.arguments)
            while let number = try numbers.next() { try body(number) }
        }
    }

    /// A row by its number, if it is one of a selection's.
    package func row(_ number: Int64, of query: BlindQuery) throws(KeychainError) -> StoredItem? {
        let statements = try RowStatements.of(query.itemClass, within: allowance)
        return try KeychainError.translatingSQLite {
            var found: StoredItem?
            try statements.forEach(statements.row(number, of: query), in: database, within: allowance) { stored in
                found = stored
                return false
            }
            return found
        }
    }

    /// Gives all rows of a class to the body that were not set aside.
    package func forEachRow(
        of itemClass: ItemClass,
        _ body: (StoredItem) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let statements = try RowStatements.of(itemClass)
        try KeychainError.translatingSQLite {
            let aside = Set(try Int64.fetchAll(database, sql: statements.aside))
            try statements.forEach(statements.everything, in: database) { stored in
                if !aside.contains(stored.rowNumber) { try body(stored) }
                return true
            }
        }
    }

    /// The access groups of the stored items of a class.
    package func groups(of itemClass: ItemClass) throws(KeychainError) -> [String] {
        let statements = try RowStatements.of(itemClass)
        return try KeychainError.translatingSQLite {
            try Data.fetchAll(database, sql: statements.groups).compactMap { String(validating: $0, as: UTF8.self) }
        }
    }
}

/// What can be done to the database within one transaction. Only what the vault has sealed goes in.
package final class WriteTransaction {
    let database: Database
    /// Of old contents that were removed or replaced.
    private(set) var traces = Traces.none
    /// The rows that were written or removed so far, in the order of doing.
    package private(set) var changedRows: [AffectedRow] = []
    /// Nil where there is no limit but the disk.
    var quota: TransactionQuota?
    /// What rows may take in memory; nil for as much as they do.
    package var allowance: MemoryAllowance?
    /// Whether what is replaced or removed now is kept for its owner, also where no other device shares it.
    package var keepsUnshared = false
    private var knownCircle: Bool?

    init(database: Database) {
        self.database = database
    }

    /// Whether rows that are shared have earlier versions and marks.
    private func hasCircle() throws -> Bool {
        if let knownCircle { return knownCircle }
        let hasCircle = try CircleStatements.hasCircle(database)
        knownCircle = hasCircle
        return hasCircle
    }

    package var reading: ReadTransaction { ReadTransaction(database: database, allowance: allowance) }

    /// False once the database itself has given the transaction up, as on some failures of the disk.
    package var isOpen: Bool { database.isInsideTransaction }

    /// Does something as a part that may fail: what throws has changed nothing, and the transaction goes on.
    package func attempt<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        let before = changedRows.count
        let addedItems = quota?.addedItems ?? 0
        var succeeded = false
        defer {
            if !succeeded {
                changedRows.removeLast(changedRows.count - before)
                quota?.addedItems = addedItems
            }
        }
        return try KeychainError.translatingSQLite {
            var value: Value?
            try database.inSavepoint {
                value = try body()
                return .commit
            }
            succeeded = true
            guard let value else { throw KeychainError(.internalError, "a savepoint had no result") }
            return value
        }
    }

    /// Does something that has to fit into the quota.
    ///
    /// - Parameter usesReserve: for what makes room, or has to be possible without any.
    /// - Throws: what the body throws; `diskFull` where there is more than the quota allows, and more than before. Then
    ///   the transaction, or the part of it that this is in, has to be given up.
    package func limited<Value>(
        usesReserve: Bool,
        _ body: () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        guard let quota else { return try body() }
        let mark = try KeychainError.translatingSQLite { try quota.mark(database) }
        let value = try body()
        try KeychainError.translatingSQLite { try quota.check(since: mark, usesReserve: usesReserve, in: database) }
        return value
    }

    /// - Throws: `duplicateItem` where the database has the primary key.
    package func insert(_ item: SealedItem) throws(KeychainError) {
        let statements = try RowStatements.of(item.row.itemClass)
        try KeychainError.translatingSQLite {
            try execute(statements.insert, statements.arguments(for: item.row))
            try countSeal(item.row)
            if item.row.isSynchronizable, try hasCircle() { try clearGoneMark(of: item.row) }
        }
        quota?.add(1)
        changedRows.append(AffectedRow(item.row))
    }

    /// Inserts a row that had been set aside, as such. No other row may have its primary key yet.
    package func insertAside(_ item: SealedItem) throws(KeychainError) {
        try insert(item)
        let statements = try RowStatements.of(item.row.itemClass)
        try KeychainError.translatingSQLite {
            try execute(statements.setAside, [database.lastInsertedRowID])
        }
    }

    /// Gives all rows of a class to the body that were not set aside.
    package func forEachRow(
        of itemClass: ItemClass,
        _ body: (StoredItem) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try reading.forEachRow(of: itemClass, body)
    }

    /// The row with a UUID, also one that was set aside.
    package func row(_ uuid: ItemUUID, of itemClass: ItemClass) throws(KeychainError) -> StoredItem? {
        let statements = try RowStatements.of(itemClass, within: allowance)
        return try KeychainError.translatingSQLite {
            var found: StoredItem?
            try statements.forEach(statements.row(uuid), in: database, within: allowance) { stored in
                found = stored
                return false
            }
            return found
        }
    }

    /// The row with a number, if it is still there.
    package func row(number: Int64, of itemClass: ItemClass) throws(KeychainError) -> StoredItem? {
        let statements = try RowStatements.of(itemClass, within: allowance)
        return try KeychainError.translatingSQLite {
            var found: StoredItem?
            try statements.forEach(statements.row(number), in: database, within: allowance) { stored in
                found = stored
                return false
            }
            return found
        }
    }

    /// Puts another sealed state in the place of a row.
    ///
    /// - Parameter past: why the earlier version of a shared item is kept; nil where it is the same item, and is not.
    /// - Throws: `duplicateItem` where another row has the primary key.
    package func replace(
        _ stored: StoredItem,
        with item: SealedItem,
        keeping past: PastVersion.Reason? = .replaced
    ) throws(KeychainError) {
        let statements = try RowStatements.of(item.row.itemClass)
        noteOverwriting()
        try KeychainError.translatingSQLite {
            try keep(stored, item.row.isTombstone && past == .replaced ? .deleted : past)
            try execute(statements.replace, statements.arguments(for: item.row) + [stored.rowNumber])
            try countSeal(item.row)
        }
        changedRows.append(AffectedRow(item.row, wasSynchronizable: stored.row.isSynchronizable))
    }

    /// - Parameters:
    ///   - mark: says to the circle that a program did that.
    ///   - past: why the item is kept as an earlier version, if it is a shared one.
    package func remove(
        _ stored: StoredItem,
        marking mark: GoneMark?,
        keeping past: PastVersion.Reason? = .deleted
    ) throws(KeychainError) {
        let statements = try RowStatements.of(stored.row.itemClass)
        noteOverwriting()
        try KeychainError.translatingSQLite {
            try keep(stored, past)
            if let mark, try hasCircle() { try put(mark) }
            try execute(statements.remove, [stored.rowNumber])
        }
        if database.changesCount > 0 { quota?.add(-1) }
        changedRows.append(AffectedRow(stored.row))
    }

    /// Keeps a version that is about to go: of a shared item, and of any where the owner has it so.
    private func keep(_ stored: StoredItem, _ reason: PastVersion.Reason?) throws {
        guard let reason, !stored.row.isTombstone, stored.isWellFormed else { return }
        if stored.row.isSynchronizable, try hasCircle() { return try insertPast(stored.row, reason) }
        guard keepsUnshared else { return }
        try insertPast(stored.row, reason)
        try limitUnsharedPast(isAll: !hasCircle())
    }

    /// Makes a damaged row give way without losing it: it keeps its bytes and leaves its primary key.
    package func setAside(_ stored: StoredItem) throws(KeychainError) {
        let statements = try RowStatements.of(stored.row.itemClass)
        try KeychainError.translatingSQLite {
            try execute(statements.setAside, [stored.rowNumber])
        }
    }

    /// The row whose primary key is that of a sealed item.
    package func collision(with item: SealedItem) throws(KeychainError) -> StoredItem? {
        let statements = try RowStatements.of(item.row.itemClass, within: allowance)
        return try KeychainError.translatingSQLite {
            var found: StoredItem?
            try statements.forEach(statements.collision(with: item.row), in: database, within: allowance) { stored in
                found = stored
                return false
            }
            return found
        }
    }

    func noteOverwriting(_ traces: Traces = .goAtOnce) { self.traces = max(self.traces, traces) }

    func execute(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }

    /// A class key may seal only so many rows; the table's own check refuses the one too many.
    private func countSeal(_ row: SealedRow) throws {
        try execute("UPDATE usage SET seals = seals + 1 WHERE pdmn = ?", [Int64(row.accessibility)])
    }
}

extension AffectedRow {
    /// - Parameter wasSynchronizable: before it was changed.
    package init(_ row: SealedRow, wasSynchronizable: Bool = false) {
        self.init(
            uuid: row.uuid,
            itemClass: row.itemClass,
            accessGroup: row.accessGroup,
            isSynchronizable: row.isSynchronizable || wasSynchronizable
        )
    }
}
