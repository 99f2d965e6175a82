import GRDB
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

@Suite("SQLite's failures in the keychain's terms")
struct SQLiteErrorTests {
    @Test(
        arguments: [
            (.SQLITE_CONSTRAINT_UNIQUE, .duplicateItem), (.SQLITE_READONLY, .readOnly), (.SQLITE_NOMEM, .outOfMemory),
            (.SQLITE_IOERR, .inputOutput), (.SQLITE_MISMATCH, .noSuchAttribute), (.SQLITE_FULL, .diskFull),
            (.SQLITE_IOERR_SHMSIZE, .diskFull), (.SQLITE_PERM, .noPermission), (.SQLITE_NOTADB, .notAvailable),
            (.SQLITE_CORRUPT, .notAvailable), (.SQLITE_BUSY, .notAvailable), (.SQLITE_ERROR, .notAvailable),
            (.SQLITE_CANTOPEN, .notAvailable),
        ] as [(ResultCode, KeychainError.Code)]
    )
    func `each code is the failure that its status stands for`(code: ResultCode, expected: KeychainError.Code) {
        let code = failure { () throws(KeychainError) in
            try KeychainError.translatingSQLite { throw DatabaseError(resultCode: code) }
        }
        #expect(code == expected)
    }

    @Test func `an error of an unknown kind is an internal one`() {
        struct Unknown: Error {}
        let code = failure { () throws(KeychainError) in
            try KeychainError.translatingSQLite { throw Unknown() }
        }
        #expect(code == .internalError)
    }
}
