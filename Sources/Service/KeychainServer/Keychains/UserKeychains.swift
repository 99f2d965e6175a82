package import EnclaveInterface
import KeychainEngine
import KeychainModel
import KeychainProtocol
package import Logging
import Synchronization

/// The keychains in the service's folder: one for each user in system mode, one in all in session mode.
package final class UserKeychains: Sendable {
    private struct Key: Hashable {
        let uid: UInt32
        let name: String?
    }

    private struct Entry {
        let keychain: UserKeychain
        var uses = 0
        /// The higher, the later it was let go of.
        var release = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var releases = 0
    }

    private let state = Mutex(State())
    private let folder: ServiceFolder
    /// Of the service's data.
    var path: String { folder.path }
    private let mostIdle: Int
    private let patience: Duration
    private let recordHasNoShares: Bool
    private let enclaves: EnclaveFolders?
    private let quotas: UserQuotas?
    private let log: Logger

    /// Where a user's keys are.
    ///
    /// - Parameters:
    ///   - uncheckedKeychain: the name of another keychain than the user's one; only tests have any.
    ///   - path: the keychain's folder.
    package typealias EnclaveFolders =
        @Sendable (
            _ uid: UInt32, _ uncheckedKeychain: String?, _ path: String
        ) -> any EnclaveFolder

    /// - Parameters:
    ///   - enclaves: nil where keys lie beside their database.
    ///   - quotas: nil where no user has one.
    package init(
        folder: ServiceFolder,
        enclaves: EnclaveFolders? = nil,
        quotas: UserQuotas? = nil,
        limits: ServiceLimits,
        log: Logger
    ) {
        self.quotas = quotas
        self.folder = folder
        self.enclaves = enclaves
        mostIdle = limits.idleKeychains
        patience = limits.patience
        recordHasNoShares = limits.uncheckedRecordHasNoShares
        self.log = log
    }

    /// Runs the body with a caller's keychain, which stays open for that time and, mostly, beyond.
    func withKeychain(of peer: AdmittedPeer, _ body: (UserKeychain) throws(KeychainError) -> Void) throws(KeychainError)
    {
        let key = Key(uid: peer.uid, name: peer.uncheckedKeychain)
        let keychain = try use(key)
        defer { release(key) }
        try body(keychain)
    }

    private func use(_ key: Key) throws(KeychainError) -> UserKeychain {
        let place = try folder.place(of: key.uid, uncheckedKeychain: key.name)
        quotas?.readIfChanged()
        return state.withLock { state in
            var entry = state.entries[key] ?? Entry(keychain: keychain(at: place, of: key))
            entry.uses += 1
            state.entries[key] = entry
            return entry.keychain
        }
    }

    private func keychain(at place: ServiceFolder.Place, of key: Key) -> UserKeychain {
        let quota = quotas?.quota(of: key.uid)
        let directory =
            if let enclaves {
                KeychainDirectory(
                    path: place.keychain,
                    enclave: enclaves(key.uid, key.name, place.keychain),
                    patience: patience,
                    quota: quota
                )
            } else {
                KeychainDirectory(
                    path: place.keychain,
                    credentials: folder.credentials,
                    patience: patience,
                    quota: quota
                )
            }
        return UserKeychain(
            directory,
            audit: audit(at: place),
            quota: quota,
            isAbsent: { () throws(KeychainError) in place.hasOwner ? false : try directory.isAbsent() }
        ) { [log] () throws(KeychainError) in
            try place.prepare(for: key.uid)
            return try directory.open(log: log)
        }
    }

    private func audit(at place: ServiceFolder.Place) -> AuditLog {
        AuditLog(
            path: place.audit,
            tellsSignedApart: folder.mode == .session,
            uncheckedHasNoShares: recordHasNoShares,
            log: log
        )
    }

    private func release(_ key: Key) {
        state.withLock { state in
            state.releases += 1
            state.entries[key]?.uses -= 1
            state.entries[key]?.release = state.releases
            let idle = state.entries.filter { $0.value.uses == 0 }
            guard idle.count > mostIdle, let oldest = idle.min(by: { $0.value.release < $1.value.release }) else {
                return
            }
            oldest.value.keychain.close()
            state.entries[oldest.key] = nil
        }
    }

    /// Writes down what happened before there was a keychain, if its user has one.
    func record(_ entry: AuditEntry) {
        guard let place = try? folder.place(of: entry.uid, uncheckedKeychain: nil), place.isThere else { return }
        let open = state.withLock { $0.entries[Key(uid: entry.uid, name: nil)]?.keychain.audit }
        (open ?? audit(at: place)).append(entry.line)
    }

    /// Closes all. No connection may be left.
    func close() {
        state.withLock { state in
            for entry in state.entries.values { entry.keychain.close() }
            state.entries = [:]
        }
    }
}
