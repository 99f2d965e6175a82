import EnclaveInterface
import Foundation
import GRDB
import KeychainModel
import KeychainVault

/// The SQL of one table, and the way of a row into it and out of it.
struct RowStatements: Sendable {
    private let table: ItemTable
    let insert: String
    let replace: String
    let remove: String
    let setAside: String
    /// Puts a row's attributes and key under others.
    let renew: String
    let removeAll: String
    /// The number of rows of one accessibility class.
    let count: String
    let groups: String
    /// The numbers of the rows that were set aside.
    let aside: String
    private let select: String
    /// The rows of a group, of or without tombstones, that were not set aside. More conditions may follow.
    private let selectLive: String
    /// What follows for an attribute.
    private let conditions: [AttributeKey: String]
    private let collision: String

    /// The size of what a row's ciphertexts take.
    private let size: String

    private static let all: [ItemClass: RowStatements] = ItemTable.all.mapValues { RowStatements($0, isCareful: false) }
    /// Those that do not read the ciphertexts of large rows at once.
    private static let careful: [ItemClass: RowStatements] = ItemTable.all.mapValues {
        RowStatements($0, isCareful: true)
    }
    /// In bytes: what is larger is asked for by itself, when it is allowed.
    private static let largeRow = 64 << 10

    /// The indexes that there are.
    private let indexes: [(name: String, column: String)]

    /// - Parameter form: of the database, where that may be an older one than the table; nil for the newest.
    private init(_ table: ItemTable, isCareful: Bool, in form: Schema.Form? = nil) {
        self.table = table
        indexes = table.indexes.filter { form?.indexes.contains($0.name) ?? true }
        let columns = table.columns
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        insert = "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places))"
        replace =
            "UPDATE \(table.name) SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"
        remove = "DELETE FROM \(table.name) WHERE id = ?"
        setAside = "UPDATE \(table.name) SET aside = id WHERE id = ?"
        renew = "UPDATE \(table.name) SET metadata = ?, key = ? WHERE id = ?"
        removeAll = "DELETE FROM \(table.name) WHERE pdmn = ?"
        count = "SELECT count(*) FROM \(table.name) WHERE pdmn = ?1"
        groups = "SELECT DISTINCT agrp FROM \(table.name)"
        aside = "SELECT id FROM \(table.name) WHERE aside <> 0"
        // SQLite reads a value's length without the value.
        let selected = columns.map { column in
            // A row of before an attribute was there does not have it.
            if let form, form.columns[table.name]?.contains(column) != true { return "NULL" }
            guard isCareful, column == "metadata" || column == "secret" else { return column }
            return "CASE WHEN length(\(column)) <= \(Self.largeRow) THEN \(column) END"
        }
        select = "SELECT id, \(selected.joined(separator: ", ")) FROM \(table.name) WHERE "
        size = "SELECT length(metadata) + length(secret) FROM \(table.name) WHERE id = ?"
        selectLive = select + Self.live
        conditions = Dictionary(
            uniqueKeysWithValues: table.blind.map { ($0.key, " AND \(ItemTable.column($0.key)) = ?") }
        )
        let key = table.primaryKey.dropLast()
        collision = select + key.map { "\($0) = ?" }.joined(separator: " AND ") + " AND aside = 0"
    }

    /// - Parameter allowance: what rows may take in memory; nil for as much as they do.
    static func of(
        _ itemClass: ItemClass,
        within allowance: MemoryAllowance? = nil
    ) throws(KeychainError) -> RowStatements {
        guard let statements = (allowance == nil ? all : careful)[itemClass] else {
            throw KeychainError(.internalError, "the class has no table")
        }
        return statements
    }

    /// For reading all of a database that may be of an older version.
    static func of(_ itemClass: ItemClass, in form: Schema.Form) throws(KeychainError) -> RowStatements {
        guard let table = ItemTable.all[itemClass] else {
            throw KeychainError(.internalError, "the class has no table")
        }
        return RowStatements(table, isCareful: false, in: form)
    }

    // MARK: - Selecting

    func selection(of query: BlindQuery) -> (sql: String, arguments: StatementArguments) {
        selection(of: query, from: selectLive)
    }

    /// How many rows a selection has, and how large their ciphertexts are, all together and the largest.
    func extent(of query: BlindQuery) -> (sql: String, arguments: StatementArguments) {
        let bytes = "length(metadata) + length(secret)"
        return selection(
            of: query,
            from: "SELECT count(*), sum(\(bytes)), max(\(bytes)) FROM \(table.name) WHERE " + Self.live
        )
    }

    /// The numbers of a selection's rows.
    func numbers(of query: BlindQuery) -> (sql: String, arguments: StatementArguments) {
        selection(of: query, from: "SELECT id FROM \(table.name) WHERE " + Self.live)
    }

    /// One row of a selection.
    func row(_ number: Int64, of query: BlindQuery) -> (sql: String, arguments: StatementArguments) {
        let selection = selection(of: query)
        return (selection.sql + " AND id = ?", selection.arguments + [number])
    }

    private static let live = "agrp = ? AND tomb = ? AND aside = 0"

    private func selection(of query: BlindQuery, from start: String) -> (sql: String, arguments: StatementArguments) {
        var sql = start
        sql.reserveCapacity(start.utf8.count + 128)
        // Optional, as GRDB has them: it would convert the array otherwise, which is a fifth of what this costs.
        var arguments: [(any DatabaseValueConvertible)?] = [Data(copying: query.accessGroup), query.findsTombstones]
        arguments.reserveCapacity(5 + query.columns.count)
        if let isSynchronizable = query.isSynchronizable {
            sql += " AND sync = ?"
            arguments.append(isSynchronizable)
        }
        if let accessibility = query.accessibility {
            sql += " AND pdmn = ?"
            arguments.append(Int64(accessibility))
        }
        if let uuid = query.uuid {
            sql += " AND uuid = ?"
            arguments.append(Data(copying: uuid.bytes))
        }
        for column in query.columns {
            sql += conditions[column.key] ?? " AND \(ItemTable.column(column.key)) = ?"
            arguments.append(Data(copying: column.index))
        }
        return (sql, StatementArguments(arguments))
    }

    /// Every row, also those that were set aside.
    var everything: (sql: String, arguments: StatementArguments) { (select + "1 ORDER BY id", StatementArguments()) }

    /// A part of all rows.
    func rows(after number: Int64, atMost count: Int) -> (sql: String, arguments: StatementArguments) {
        (select + "id > ? ORDER BY id LIMIT ?", [number, count])
    }

    /// One row by its number.
    func row(_ number: Int64) -> (sql: String, arguments: StatementArguments) {
        (select + "id = ?", [number])
    }

    /// One row by its UUID.
    func row(_ uuid: ItemUUID) -> (sql: String, arguments: StatementArguments) {
        (select + "uuid = ?", [Data(uuid.bytes)])
    }

    /// Questions for the numbers of all rows, each by another way through the file: up and down the table and each of
    /// its indexes. Where one way is damaged, another may lead on.
    var waysToRowNumbers: [String] {
        let indexes = indexes.map { "\(table.name) INDEXED BY \($0.name) ORDER BY \($0.column)" }
        return (["\(table.name) NOT INDEXED ORDER BY id"] + indexes).flatMap { way in
            ["SELECT id FROM \(way)", "SELECT id FROM \(way) DESC"]
        }
    }

    /// The row that stands in the way of a new one.
    func collision(with row: SealedRow) -> (sql: String, arguments: StatementArguments) {
        let arguments: [any DatabaseValueConvertible] = table.primaryKey.dropLast().map { column in
            switch column {
            case "agrp": Data(row.accessGroup.utf8)
            case "sync": row.isSynchronizable
            default:
                row.blindColumns[AttributeKey(String(column.dropFirst(2))) ?? .valueData].map { Data($0) } ?? Data()
            }
        }
        return (collision, StatementArguments(arguments))
    }

    // MARK: - Writing

    /// The row's columns in the order of `insert` and `replace`.
    func arguments(for row: SealedRow) -> [(any DatabaseValueConvertible)?] {
        let fixed: [(any DatabaseValueConvertible)?] = [
            Data(row.uuid.bytes), Data(row.version), Data(row.accessGroup.utf8), Int64(row.accessibility),
            row.isSynchronizable, row.isTombstone, Data(row.accessControl), Data(row.metadata),
            Data(row.wrappedKey), Data(row.secret),
        ]
        return fixed
            + table.blind.map { attribute in
                if let index = row.blindColumns[attribute.key] { return Data(index) }
                return attribute.flags.contains(.primaryKey) ? Data() : nil
            }
    }

    // MARK: - Reading

    /// Gives the rows of a selection to the body, one after the other, until it returns false.
    ///
    /// - Throws: where a row would take more memory than it is allowed.
    func forEach(
        _ selection: (sql: String, arguments: StatementArguments),
        in database: Database,
        within allowance: MemoryAllowance? = nil,
        _ body: (StoredItem) throws -> Bool
    ) throws {
        let statement = try database.cachedStatement(sql: selection.sql)
        // The cursor steps from row to row, and ends the statement when it goes.
        let numbers = try Int64.fetchCursor(statement, arguments: selection.arguments)
        try withExtendedLifetime(numbers) {
            while try numbers.next() != nil {
                let row = StatementRow(statement)
                let stored =
                    if let allowance, row.isNull(Self.metadata) || row.isNull(Self.secret) {
                        try largeItem(row.integer(0) ?? 0, in: database, within: allowance)
                    } else {
                        storedItem(row)
                    }
                guard try body(stored) else { return }
            }
        }
    }

    private static let metadata = 8
    private static let secret = 10

    /// A row whose ciphertexts were left out.
    private func largeItem(
        _ number: Int64,
        in database: Database,
        within allowance: MemoryAllowance
    ) throws -> StoredItem {
        let bytes = try Int64.fetchOne(database.cachedStatement(sql: size), arguments: [number]) ?? 0
        try allowance.admit(row: Int(clamping: bytes))
        guard let whole = Self.all[table.itemClass] else {
            throw KeychainError(.internalError, "the class has no table")
        }
        let selection = whole.row(number)
        let statement = try database.cachedStatement(sql: selection.sql)
        let numbers = try Int64.fetchCursor(statement, arguments: selection.arguments)
        return try withExtendedLifetime(numbers) {
            guard try numbers.next() != nil else {
                throw KeychainError(.internalError, "a row is gone within its snapshot")
            }
            return storedItem(StatementRow(statement))
        }
    }

    /// The row as it stands. What no keychain writes is not mended into something similar that it does: such a row
    /// comes out without its ciphertexts, so that it does not open.
    private func storedItem(_ row: StatementRow) -> StoredItem {
        let rowNumber = row.integer(0) ?? 0
        let uuid = ItemUUID(row.bytes(1))
        let version = row.bytes(2)
        let group = row.string(3)
        let accessibility = row.integer(4).flatMap { UInt8(exactly: $0) }
        let isSynchronizable = row.flag(5)
        let isTombstone = row.flag(6)
        let blindColumns = blindColumns(row)
        let isWhole =
            uuid != nil && version.count == 16 && group != nil && accessibility != nil && isSynchronizable != nil
            && isTombstone != nil && blindColumns != nil
        let sealed = SealedRow(
            binding: ItemBinding(
                itemClass: table.itemClass,
                uuid: uuid ?? ItemUUID(),
                version: version,
                accessGroup: group ?? "",
                accessibility: accessibility ?? 0,
                isSynchronizable: isSynchronizable ?? false,
                isTombstone: isTombstone ?? false,
                accessControl: row.bytes(7)
            ),
            blindColumns: blindColumns ?? BlindColumns(),
            metadata: isWhole ? row.bytes(Self.metadata) : [],
            wrappedKey: isWhole ? row.bytes(9) : [],
            secret: isWhole ? row.bytes(Self.secret) : []
        )
        return StoredItem(row: sealed, rowNumber: rowNumber, isWellFormed: isWhole)
    }

    /// Nil where a column has another length than an index.
    private func blindColumns(_ row: StatementRow) -> BlindColumns? {
        var columns = BlindColumns()
        columns.reserveCapacity(table.blind.count)
        let first = 1 + ItemTable.fixedColumns.count
        var isWhole = true
        for (offset, attribute) in table.blind.enumerated() {
            unsafe row.withBytes(first + offset) { bytes in
                if bytes.count == BlindIndex.size {
                    unsafe columns.append(attribute.key, bytes)
                } else if unsafe !bytes.isEmpty {
                    isWhole = false
                }
            }
        }
        return isWhole ? columns : nil
    }
}

extension Data {
    /// Without the question of what kind of bytes they are, which `Data` asks at run time.
    fileprivate init(copying bytes: [UInt8]) {
        self = unsafe bytes.withUnsafeBytes { unsafe Data(copying: $0) }
    }

    fileprivate init(copying text: String) {
        var text = text
        self = text.withUTF8 { unsafe Data(copying: UnsafeRawBufferPointer($0)) }
    }

    private init(copying bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else {
            self.init()
            return
        }
        unsafe self.init(bytes: start, count: bytes.count)
    }
}
