import CKeychainSQLite
import GRDB

extension Database {
    /// Writes the journal back, truncates it, and leaves no copies of moved cells in the pages that it had.
    ///
    /// - Throws: `SQLITE_BUSY` where a reader stands in the way.
    func checkpoint() throws {
        let result = unsafe csqlite_checkpoint_and_scrub(sqliteConnection)
        guard result == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }
}
