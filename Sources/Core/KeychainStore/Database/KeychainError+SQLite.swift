import GRDB
import KeychainModel

extension KeychainError {
    /// Runs code that speaks to SQLite and says its failures in our terms.
    static func translatingSQLite<Value>(_ body: () throws -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch let error as KeychainError {
            throw error
        } catch let error as DatabaseError {
            throw KeychainError(error)
        } catch {
            throw KeychainError(.internalError, "an unexpected failure in the store")
        }
    }

    /// SQLite's message is not repeated: it may quote what it could not parse.
    private init(_ error: DatabaseError) {
        switch (error.extendedResultCode, error.resultCode) {
        case (.SQLITE_CONSTRAINT_UNIQUE, _):
            self.init(.duplicateItem, "an item with the same primary key exists")
        case (.SQLITE_CONSTRAINT_CHECK, _):
            self.init(.notAvailable, "a class key has sealed 2^32 rows and has to be replaced")
        case (_, .SQLITE_FULL), (.SQLITE_IOERR_SHMSIZE, _):
            self.init(.diskFull, "the disk that holds the keychain is full; make room on it")
        case (_, .SQLITE_READONLY):
            self.init(
                .readOnly,
                "the keychain's files or their disk are read-only; make them writable to change an item"
            )
        case (_, .SQLITE_PERM), (_, .SQLITE_AUTH):
            self.init(.noPermission, "no permission to use the keychain's database")
        case (_, .SQLITE_IOERR):
            self.init(
                .inputOutput,
                "reading or writing the keychain's database failed (SQLite code \(error.extendedResultCode.rawValue))"
            )
        case (_, .SQLITE_MISMATCH):
            self.init(.noSuchAttribute, "a value does not fit its column of the keychain's database")
        case (_, .SQLITE_NOMEM):
            self.init(.outOfMemory, "out of memory")
        case (_, .SQLITE_NOTADB), (_, .SQLITE_CORRUPT):
            self.init(.notAvailable, "the keychain's database is damaged; it was left as it is, restore it from a copy")
        case (_, .SQLITE_BUSY):
            self.init(.notAvailable, "the keychain's database is in use by a process that does not let go")
        default:
            self.init(
                .notAvailable,
                "the keychain's database cannot be used (SQLite code \(error.extendedResultCode.rawValue))"
            )
        }
    }
}
