package import EnclaveInterface
import Glibc
import KeychainFiles
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainSystem
import KeychainVault
package import LocalEnclave
package import Logging

/// A keychain's folder: the device key, the keybag, the database and the writer's lock.
///
/// `docs/formats/directory.md` describes it. A folder that has only some of its files is refused, never completed:
/// making a new file where one was lost would hide the loss.
package struct KeychainDirectory: Sendable {
    /// The folder itself.
    package let path: String
    /// Where the keychain's keys are.
    let enclave: any EnclaveFolder
    /// How long a call waits for another process that writes.
    let patience: Duration
    /// How much it may hold; nil for as much as the disk takes.
    let quota: StorageQuota?

    package static let defaultPatience = WriterLock.defaultPatience

    /// A keychain whose keys are somewhere else than its database.
    package init(
        path: String,
        enclave: any EnclaveFolder,
        patience: Duration = defaultPatience,
        quota: StorageQuota? = nil
    ) {
        self.path = path
        self.enclave = enclave
        self.patience = patience
        self.quota = quota
    }

    /// A keychain whose keys lie beside its database, or come from systemd.
    ///
    /// Each process of the user's opens it for itself, and shares with the others what is unlocked.
    ///
    /// - Parameters:
    ///   - unlocksUnattended: whether a passcode among the credentials unlocks it.
    ///   - cost: what a new passcode costs to try.
    package init(
        path: String,
        credentials: String? = nil,
        unlocksUnattended: Bool = true,
        cost: PasscodeCost = .usual,
        patience: Duration = defaultPatience,
        quota: StorageQuota? = nil
    ) {
        self.init(
            path: path,
            enclave: LocalEnclaveFolder(
                path: path,
                credentials: credentials,
                unlocksUnattended: unlocksUnattended,
                sharing: .embedded,
                cost: cost
            ),
            patience: patience,
            quota: quota
        )
    }

    var databasePath: String { path + "/keychain.db" }
    var lockPath: String { path + "/lock" }
    /// Stands there while a new keychain is being made, so that a crash in between is told from a loss.
    var creationPath: String { path + "/creating" }

    /// Opens the keychain, and makes it if the folder is not there or empty.
    ///
    /// - Throws: `notAvailable` for a folder or file that is missing, damaged, newer, of another owner or open to
    ///   others; `noPermission`, `readOnly`, `diskFull`, `inputOutput`.
    package func open(log: Logger) throws(KeychainError) -> KeychainEngine {
        try makePrivateFolder()
        var overtaken: UInt64?
        for _ in 0..<Self.mostAttempts {
            switch try openOnce(log: log) {
            case .opened(let engine):
                // A repair that came in between took the journal away, or the database itself.
                guard engine.isCurrent else { continue }
                // Not before all belongs together: what is refused stays as it is.
                engine.store.checkpointIfFree()
                return engine
            case .keybagIsOlder(let generation):
                // Another process may have changed both after the keybag was read, and before the database was. A keybag that
                // is the same at a second look was put back.
                guard generation != overtaken else { throw Header.older }
                overtaken = generation
            }
        }
        throw KeychainError(.notAvailable, "the keychain at \(path) is replaced again and again")
    }

    private static let mostAttempts = 5

    private enum Opening {
        case opened(KeychainEngine)
        /// Than the database.
        case keybagIsOlder(generation: UInt64)
    }

    private func openOnce(log: Logger) throws(KeychainError) -> Opening {
        let lock = try WriterLock(path: lockPath, patience: patience)
        if try !isComplete() {
            try lock.withLock { () throws(KeychainError) in
                try finishReplacement()
                // Another process may have made it while this one waited.
                if try !isComplete() { try create() }
            }
        }
        try checkMode()
        let vault = try KeychainVault(enclave.open())
        let known = vault.state.generation
        var generation: UInt64 = 0
        do throws(KeychainError) {
            let store = try KeychainStore(path: databasePath, lock: lock, quota: quota, log: log) {
                (header) throws(KeychainError) in
                generation = try header.generation(under: vault)
                guard generation <= known else { throw Header.older }
            }
            return .opened(KeychainEngine(vault: vault, store: store, log: log, following: generation))
        } catch  where generation > known {
            return .keybagIsOlder(generation: known)
        }
    }

    /// Finishes what a repair had decided before it was stopped. The caller holds the lock.
    func finishReplacement() throws(KeychainError) {
        let replacement = DatabaseReplacement(of: databasePath)
        if replacement.isPending { try replacement.finish() }
    }

    // MARK: - What is there

    /// Whether nothing is left to be made. Right without the lock, too: the mark of an unfinished keychain goes last,
    /// so files that were there before it was looked for and not found are finished.
    private func isComplete() throws(KeychainError) -> Bool {
        try enclave.presence() == .complete && exists(databasePath) && !exists(creationPath)
            && !DatabaseReplacement(of: databasePath).isPending
    }

    /// A file that is not there while others are; nil where all are, or none.
    func missingFile() throws(KeychainError) -> String? {
        switch (try enclave.presence(), exists(databasePath)) {
        case (.incomplete(let missing), _): missing
        case (.complete, false): databasePath
        case (.none, true): "the keybag of \(databasePath)"
        case (.none, false), (.complete, true): nil
        }
    }

    func isAnythingThere() throws(KeychainError) -> Bool {
        if exists(databasePath) { return true }
        return try enclave.presence() != .none
    }

    /// Whether opening the keychain would make a new one: there are neither files of it nor a mark of an unfinished
    /// one.
    ///
    /// What stands in the way of opening it counts as something that is there, so that the caller that opens it is
    /// told.
    package func isAbsent() throws(KeychainError) -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), !exists(databasePath),
                !exists(creationPath), !DatabaseReplacement(of: databasePath).isPending
            else { return false }
        } else {
            guard errno == ENOENT else { return false }
        }
        return try enclave.presence() == .none
    }

    /// The factors that the owner could prove if there were a keychain; nil where only a keychain could tell.
    package func presenceStatusWithoutKeychain() throws(KeychainError) -> PresenceStatus? {
        try enclave.presenceStatusWithoutKeychain()
    }

    func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
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

    // MARK: - What an earlier version left

    /// Whether keys lie here that have to be with the enclave's process: so it was before there was one.
    private var hasKeysOfEarlierVersion: Bool {
        enclave.files.isEmpty && exists(path + "/keybag") && exists(path + "/device.key")
    }

    private var handOver: KeychainError {
        KeychainError(
            .notAvailable,
            "an earlier version made the keychain, and its keys still lie in \(path); nothing is lost: the administrator "
                + "hands them to chatelaine-enclave as docs/install.md says (\"Upgrading\")"
        )
    }

    // MARK: - Making a keychain

    /// Makes what is missing of a new keychain; the caller holds the lock. Each step can be the last before a crash:
    /// the next process goes on from there.
    ///
    /// - Throws: `notAvailable` where files of a keychain are there that was finished.
    private func create() throws(KeychainError) {
        if !exists(creationPath), let missing = try missingFile() {
            throw hasKeysOfEarlierVersion ? handOver : KeychainError.missing(missing)
        }
        // A folder that was there before is ours, and has had nothing of ours in it.
        guard unsafe chmod(path, 0o700) == 0 else {
            throw KeychainError(errno: errno, "the folder \(path) cannot be made private")
        }
        try SecureFile.write(SecretBytes([]), to: creationPath)
        try enclave.create()
        let vault = try KeychainVault(enclave.open())
        try KeychainError.translating("\(databasePath) cannot be created") {
            _ = try Descriptor(opening: databasePath, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        }
        try KeychainStore.create(path: databasePath, header: Header(sealedBy: vault))
        guard unsafe unlink(creationPath) == 0 else {
            throw KeychainError(errno: errno, "\(creationPath) cannot be removed")
        }
        try KeychainError.translating { try Folder.synchronize(of: creationPath) }
    }
}
