import KeychainModel
import Logging
import Synchronization

/// A keychain without items, in memory, that answers for all those that are not there so far: whoever searches where nothing
/// was ever stored makes no files. Nothing is ever added to it.
enum EmptyKeychain {
    private static let made = Mutex<KeychainEngine?>(nil)

    static func engine() throws(KeychainError) -> KeychainEngine {
        try made.withLock { made in
            Result { () throws(KeychainError) in
                if let made { return made }
                let engine = try KeychainEngine.inMemory(log: Logger(label: "chatelaine.empty"))
                made = engine
                return engine
            }
        }.get()
    }
}
