import CKeychainSQLite
import GRDB

/// The current row of a statement, read where SQLite has it: GRDB's own `Row` costs more than opening what is in it.
///
/// It must not be kept beyond the statement's next step.
@safe
struct StatementRow {
    private let statement: OpaquePointer

    init(_ statement: Statement) {
        unsafe self.statement = statement.sqliteStatement
    }

    /// The number in a column; nil where there is none.
    func integer(_ column: Int) -> Int64? {
        var value: Int64 = 0
        return unsafe csqlite_column_integer(statement, Int32(column), &value) ? value : nil
    }

    func isNull(_ column: Int) -> Bool { unsafe csqlite_column_is_null(statement, Int32(column)) }

    /// The truth of a column; nil where it is neither 0 nor 1.
    func flag(_ column: Int) -> Bool? {
        switch integer(column) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// The bytes of a column; none where it is NULL.
    func bytes(_ column: Int) -> [UInt8] {
        unsafe withBytes(column) { unsafe Array($0) }
    }

    /// The text of a column; nil where its bytes are none.
    func string(_ column: Int) -> String? {
        unsafe withBytes(column) { unsafe String(validating: $0, as: UTF8.self) }
    }

    /// Lends the bytes of a column; none where it is NULL.
    func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var count: Int32 = 0
        let bytes = unsafe csqlite_column_bytes(statement, Int32(column), &count)
        return unsafe body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
}
