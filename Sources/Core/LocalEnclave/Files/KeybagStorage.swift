import EnclaveDesk
import Glibc
import KeychainFiles
package import KeychainModel
package import KeychainSystem
import Synchronization

/// Where an enclave keeps its keybag and the count of wrong passcodes.
package protocol KeybagStorage: Sendable {
    /// Keeps other processes from changing anything meanwhile.
    func withLock<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value

    /// - Throws: `notAvailable` where there is none, or one that others may read.
    func keybag() throws(KeychainError) -> [UInt8]

    /// Puts a keybag in the place of the one before: whole, or not at all.
    func write(keybag: [UInt8]) throws(KeychainError)

    /// Changes whenever another process may have written a keybag; nil where none can.
    var stamp: FileStamp? { get }

    /// Nil where none was written.
    func attempts() throws(KeychainError) -> [UInt8]?
    func write(attempts: [UInt8]) throws(KeychainError)

    /// The keys of a device among others. Nil where there are none.
    func syncKeys() throws(KeychainError) -> [UInt8]?
    /// - Parameter syncKeys: nil to remove them.
    func write(syncKeys: [UInt8]?) throws(KeychainError)
    /// Changes whenever another process may have written them; nil where none can.
    var syncStamp: FileStamp? { get }
}

/// In the memory of one process.
package final class MemoryStorage: KeybagStorage {
    private let contents: Mutex<(keybag: [UInt8], attempts: [UInt8]?, syncKeys: [UInt8]?)>

    package init(keybag: [UInt8]) {
        contents = Mutex((keybag, nil, nil))
    }

    package func withLock<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try body()
    }
    package func keybag() throws(KeychainError) -> [UInt8] { contents.withLock { $0.keybag } }
    package func write(keybag: [UInt8]) throws(KeychainError) { contents.withLock { $0.keybag = keybag } }
    package var stamp: FileStamp? { nil }
    package func attempts() throws(KeychainError) -> [UInt8]? { contents.withLock { $0.attempts } }
    package func write(attempts: [UInt8]) throws(KeychainError) { contents.withLock { $0.attempts = attempts } }
    package func syncKeys() throws(KeychainError) -> [UInt8]? { contents.withLock { $0.syncKeys } }
    package func write(syncKeys: [UInt8]?) throws(KeychainError) { contents.withLock { $0.syncKeys = syncKeys } }
    package var syncStamp: FileStamp? { nil }
}

/// In a folder.
package struct FolderStorage: KeybagStorage {
    private let folder: String
    /// Whether other processes write here too.
    private let isShared: Bool

    package init(_ folder: String, isShared: Bool) {
        self.folder = folder
        self.isShared = isShared
    }

    package var keybagPath: String { folder + "/keybag" }
    private var attemptsPath: String { folder + "/attempts" }
    private var lockPath: String { folder + "/keybag.lock" }

    package func withLock<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        let lock = try KeychainError.translating {
            let lock = try Descriptor(opening: lockPath, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            try lock.lock()
            return lock
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    package func keybag() throws(KeychainError) -> [UInt8] {
        guard let file = try SecureFile.read(keybagPath, largest: Keybag.largestFile, ownership: .own) else {
            throw KeychainError.missing(keybagPath)
        }
        return unsafe file.withUnsafeBytes { unsafe Array($0) }
    }

    package func write(keybag: [UInt8]) throws(KeychainError) {
        try SecureFile.write(SecretBytes(keybag), to: keybagPath)
    }

    package var stamp: FileStamp? { isShared ? FileStamp.ofFile(keybagPath) : nil }

    package func attempts() throws(KeychainError) -> [UInt8]? {
        guard let file = try SecureFile.read(attemptsPath, largest: Attempts.fileSize, ownership: .own) else {
            return nil
        }
        return unsafe file.withUnsafeBytes { unsafe Array($0) }
    }

    package func write(attempts: [UInt8]) throws(KeychainError) {
        try SecureFile.overwrite(attempts, at: attemptsPath)
    }

    private var syncPath: String { folder + "/sync.keys" }

    package func syncKeys() throws(KeychainError) -> [UInt8]? {
        guard let file = try SecureFile.read(syncPath, largest: SyncKeyFile.largest, ownership: .own) else {
            return nil
        }
        return unsafe file.withUnsafeBytes { unsafe Array($0) }
    }

    package func write(syncKeys: [UInt8]?) throws(KeychainError) {
        guard let syncKeys else {
            return try KeychainError.translating {
                guard unsafe unlink(syncPath) == 0 || errno == ENOENT else {
                    throw SystemError("\(syncPath) cannot be removed")
                }
                try Folder.synchronize(of: syncPath)
            }
        }
        try SecureFile.write(SecretBytes(syncKeys), to: syncPath)
    }

    package var syncStamp: FileStamp? { isShared ? FileStamp.ofFile(syncPath) : nil }
}
