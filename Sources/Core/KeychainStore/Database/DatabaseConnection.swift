import CKeychainSQLite
import GRDB
import KeychainModel

/// How the keychain's database is opened: distrustful of the file, durable, and never checkpointing by itself.
enum DatabaseConnection {
    enum Purpose {
        case reading
        case writing
    }

    static func open(path: String, for purpose: Purpose) throws(KeychainError) -> DatabaseQueue {
        try KeychainError.translatingSQLite {
            let queue = try DatabaseQueue(path: path, configuration: configuration(for: purpose))
            // Said once more when the connection is open: durability is not to depend on what a library sets on its way.
            try queue.inDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            return queue
        }
    }

    static func openInMemory() throws(KeychainError) -> DatabaseQueue {
        try KeychainError.translatingSQLite {
            try DatabaseQueue(configuration: configuration(for: .writing))
        }
    }

    private static func configuration(for purpose: Purpose) -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.allowsUnsafeTransactions = true
        // Only recovery after a crash and closing connections make a reader wait; writers hold the keychain's own lock.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            let result = unsafe csqlite_harden(database.sqliteConnection)
            guard result == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
            try database.execute(
                sql: """
                    PRAGMA secure_delete = ON;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA mmap_size = 0;
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA journal_size_limit = 0;
                    """
            )
            if purpose == .reading { try database.execute(sql: "PRAGMA query_only = ON") }
        }
        return configuration
    }
}
