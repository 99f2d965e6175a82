import Glibc
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
package import Logging

/// A keychain's folder: the device key, the keybag, the database and the writer's lock.
///
/// `docs/formats/directory.md` describes it. A folder that has only some of its files is refused, never completed:
/// making a new file where one was lost would hide the loss.
package struct KeychainDirectory: Sendable {
    /// The folder itself.
    package let path: String
    /// Where systemd has put the service's credentials, if it has.
    private let credentials: String?
    /// How long a call waits for another process that writes.
    let patience: Duration

    /// The name of the credential that stands in for the device key's file.
    package static let credentialName = "chatelaine.device-key"

    package static let defaultPatience = WriterLock.defaultPatience

    package init(path: String, credentials: String? = nil, patience: Duration = defaultPatience) {
        self.path = path
        self.credentials = credentials
        self.patience = patience
    }

    var databasePath: String { path + "/keychain.db" }
    var deviceKeyPath: String { path + "/device.key" }
    var keybagPath: String { path + "/keybag" }
    var lockPath: String { path + "/lock" }
    /// Stands there while a new keychain is being made, so that a crash in between is told from a loss.
    var creationPath: String { path + "/creating" }

    /// Opens the keychain, and makes it if the folder is not there or empty.
    ///
    /// - Throws: `notAvailable` for a folder or file that is missing, damaged, newer, of another owner or open to
    ///   others; `noPermission`, `readOnly`, `diskFull`, `inputOutput`.
    package func open(log: Logger) throws(KeychainError) -> KeychainEngine {
        try makePrivateFolder()
        for _ in 0..<Self.mostAttempts {
            let engine = try openOnce(log: log)
            // A repair that came in between took the journal away, or the database itself.
            guard engine.isCurrent else { continue }
            // Not before all belongs together: what is refused stays as it is.
            engine.store.emptyJournalIfFree()
            return engine
        }
        throw KeychainError(.notAvailable, "the keychain at \(path) is replaced again and again")
    }

    private static let mostAttempts = 5

    private func openOnce(log: Logger) throws(KeychainError) -> KeychainEngine {
        let lock = try WriterLock(path: lockPath, patience: patience)
        if !isComplete {
            try lock.withLock { () throws(KeychainError) in
                try finishReplacement()
                // Another process may have made it while this one waited.
                if !isComplete { try create() }
            }
        }
        try checkMode()
        let (keybag, vault) = try keys()
        let store = try KeychainStore(path: databasePath, lock: lock, log: log)
        try store.header().check(against: keybag, vault: vault)
        return KeychainEngine(policy: KeychainPolicy(hasPasscode: false), vault: vault, store: store, log: log)
    }

    /// Finishes what a repair had decided before it was stopped. The caller holds the lock.
    func finishReplacement() throws(KeychainError) {
        let replacement = DatabaseReplacement(of: databasePath)
        if replacement.isPending { try replacement.finish() }
    }

    /// The keybag and what it opens.
    ///
    /// - Throws: `notAvailable` where keybag or device key are missing, damaged or do not belong together.
    func keys() throws(KeychainError) -> (keybag: Keybag, vault: KeychainVault) {
        guard let deviceKey = try deviceKey() else {
            throw Self.missing(deviceKeyPath)
        }
        guard let file = try SecureFile.read(keybagPath, largest: Keybag.largestFile, ownership: .own) else {
            throw Self.missing(keybagPath)
        }
        let keybag = try unsafe Keybag(file: file.withUnsafeBytes { unsafe Array($0) }, under: deviceKey)
        return (keybag, KeychainVault(keys: try keybag.unlock(with: deviceKey)))
    }

    // MARK: - What is there

    var files: [String] { [deviceKeyPath, keybagPath, databasePath] }

    func isMissing(_ file: String) -> Bool {
        !exists(file) && !(file == deviceKeyPath && credentialPath != nil)
    }

    /// Whether nothing is left to be made. Right without the lock, too: the mark of an unfinished keychain goes last,
    /// so files that were there before it was looked for and not found are finished.
    private var isComplete: Bool {
        !files.contains(where: isMissing) && !exists(creationPath)
            && !DatabaseReplacement(of: databasePath).isPending
    }

    func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    static func missing(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "\(path) is missing while the rest of the keychain is there; put it back from a copy"
        )
    }

    // MARK: - The folder

    /// Makes the folder, and those above it, if they are not there.
    ///
    /// - Throws: `notAvailable` or `noPermission` where it is no folder, or another user's.
    package func makePrivateFolder() throws(KeychainError) {
        var partial = path.hasPrefix("/") ? "" : "."
        for component in path.split(separator: "/") {
            partial += "/" + component
            guard unsafe mkdir(partial, 0o700) != 0 else { continue }
            let reason = errno
            // Where it may not be asked whether it is there, looking for the whole path says so.
            if reason != EEXIST && !exists(partial) {
                throw KeychainError(errno: reason, "the folder \(partial) cannot be made")
            }
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw KeychainError(errno: errno, "the folder \(path) cannot be read")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw KeychainError(.notAvailable, "\(path) is not a folder")
        }
        guard status.st_uid == geteuid() else {
            throw KeychainError(
                geteuid() == 0 ? .notAvailable : .noPermission,
                "the folder \(path) belongs to another user; it has to belong to you"
            )
        }
    }

    func checkMode() throws(KeychainError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw KeychainError(errno: errno, "the folder \(path) cannot be read")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw KeychainError(
                .notAvailable,
                "the folder \(path) is open to others; make it yours alone: chmod 700 '\(path)'"
            )
        }
    }

    // MARK: - The device key

    var credentialPath: String? {
        guard let credentials else { return nil }
        let path = credentials + "/" + Self.credentialName
        return exists(path) ? path : nil
    }

    func deviceKey() throws(KeychainError) -> DeviceKey? {
        let file =
            if let credentialPath {
                try SecureFile.read(credentialPath, largest: DeviceKey.fileSize, ownership: .credential)
            } else {
                try SecureFile.read(deviceKeyPath, largest: DeviceKey.fileSize, ownership: .own)
            }
        guard let file else { return nil }
        return try DeviceKey(file: file)
    }

    // MARK: - Making a keychain

    /// Makes what is missing of a new keychain; the caller holds the lock. Each step can be the last before a crash:
    /// the next process goes on from there.
    ///
    /// - Throws: `notAvailable` where files of a keychain are there that was finished.
    private func create() throws(KeychainError) {
        if !exists(creationPath), files.contains(where: exists), let missing = files.first(where: isMissing) {
            throw Self.missing(missing)
        }
        // A folder that was there before is ours, and has had nothing of ours in it.
        guard unsafe chmod(path, 0o700) == 0 else {
            throw KeychainError(errno: errno, "the folder \(path) cannot be made private")
        }
        try SecureFile.write(SecretBytes([]), to: creationPath)
        let deviceKey: DeviceKey
        if let existing = try self.deviceKey() {
            deviceKey = existing
        } else {
            deviceKey = DeviceKey()
            try SecureFile.write(deviceKey.file, to: deviceKeyPath)
        }
        let keybag: Keybag
        if let file = try SecureFile.read(keybagPath, largest: Keybag.largestFile, ownership: .own) {
            keybag = try unsafe Keybag(file: file.withUnsafeBytes { unsafe Array($0) }, under: deviceKey)
        } else {
            keybag = try Keybag(creatingUnder: deviceKey)
            try SecureFile.write(SecretBytes(keybag.file(under: deviceKey)), to: keybagPath)
        }
        let vault = KeychainVault(keys: try keybag.unlock(with: deviceKey))
        let descriptor = unsafe Glibc.open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(databasePath) cannot be created") }
        close(descriptor)
        try KeychainStore.create(path: databasePath, header: Header(of: keybag, sealedBy: vault))
        guard unsafe unlink(creationPath) == 0 else {
            throw KeychainError(errno: errno, "\(creationPath) cannot be removed")
        }
        try Folder.synchronize(of: creationPath)
    }
}
