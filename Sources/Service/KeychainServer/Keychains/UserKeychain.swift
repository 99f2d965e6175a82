import Dispatch
import EnclaveInterface
import KeychainEngine
import KeychainModel
import KeychainProtocol
import Synchronization

/// One user's keychain and the record of what is done with it.
final class UserKeychain: Sendable {
    let audit: AuditLog
    let gate = LockGate()
    let watchers = Watchers()
    private let directory: KeychainDirectory
    private let keychain: OpenKeychain
    private let lastState = Mutex<EnclaveState?>(nil)
    private let quota: StorageQuota?
    private let isRestoring = Mutex<Bool>(false)

    /// - Parameters:
    ///   - directory: where the keychain is, or would be.
    ///   - quota: nil where there is none.
    ///   - isAbsent: whether opening it would make it.
    ///   - open: opens it, and makes it where there is none.
    init(
        _ directory: KeychainDirectory,
        audit: AuditLog,
        quota: StorageQuota?,
        isAbsent: @escaping @Sendable () throws(KeychainError) -> Bool,
        opening open: @escaping @Sendable () throws(KeychainError) -> KeychainEngine
    ) {
        self.audit = audit
        self.directory = directory
        self.quota = quota
        let observer = Weak()
        keychain = OpenKeychain(isAbsent: isAbsent) { () throws(KeychainError) in
            let engine = try open()
            engine.observeKeys { [weak engine] state in
                guard let engine else { return }
                observer.keychain?.take(state, to: engine)
            }
            observer.keychain?.remember(try engine.keyState())
            return engine
        }
        observer.keychain = self
    }

    /// Unchecked, since it is written once, before other threads have the keychain.
    private final class Weak: @unchecked Sendable {
        weak var keychain: UserKeychain?
    }

    /// - Parameter makesKeychain: whether a keychain is made where there is none; otherwise an empty one answers.
    func withEngine<Value>(
        makesKeychain: Bool = false,
        _ body: (KeychainEngine) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try keychain.withEngine(makesKeychain: makesKeychain, body)
    }

    func presenceStatus() throws(KeychainError) -> PresenceStatus {
        let enclave = try withEngine { (engine) throws(KeychainError) in engine.isInMemory ? nil : engine.enclave }
        if let enclave { return try enclave.presenceStatus() }
        // Prompters wait for the user, who has nothing to prove so far.
        if let status = try directory.presenceStatusWithoutKeychain() { return status }
        return try withEngine { (engine) throws(KeychainError) in engine.enclave }.presenceStatus()
    }

    // MARK: - Room

    /// A status with what the keychain holds and may hold, for its user to see.
    func completed(_ status: ServiceStatus) -> ServiceStatus {
        let limit = quota?.limit
        let state = try? withEngine { (engine) throws(KeychainError) in
            // Counting looks at every row.
            let usage = limit == nil ? nil : try engine.storageUsage()
            return (version: engine.isInMemory ? nil : engine.databaseVersion, usage: usage)
        }
        var status = status
        status.databaseVersion = state?.version
        if let limit, let usage = state?.usage {
            status.room = KeychainRoom(
                items: KeychainRoom.Share(used: Int(usage.items), quota: Int(limit.items)),
                bytes: KeychainRoom.Share(used: Int(usage.bytes), quota: Int(limit.bytes))
            )
        }
        return status
    }

    /// - Throws: `notAvailable` while another restoration is under way.
    func takeRestorationPlace() throws(KeychainError) -> RestorationPlace {
        let isFree = isRestoring.withLock { isRestoring in
            defer { isRestoring = true }
            return !isRestoring
        }
        guard isFree else {
            throw KeychainError(
                .notAvailable,
                "another restoration into the same keychain is under way; wait for its end"
            )
        }
        return RestorationPlace { [weak self] in self?.isRestoring.withLock { $0 = false } }
    }

    /// Closes the files until they are needed again. No call may be under way.
    func close() {
        keychain.close(checkpoints: true)
        audit.close()
    }

    // MARK: - Changes of keys

    /// What the state was when the keychain was opened, unless something has changed since.
    private func remember(_ state: EnclaveState) {
        lastState.withLock { $0 = $0 ?? state }
    }

    /// Takes in a change before its maker is told that it is done.
    private func take(_ state: EnclaveState, to engine: KeychainEngine) {
        let before = lastState.withLock { last in
            defer { last = state }
            return last
        }
        // First the keys: what begins after that has those of the new state.
        engine.refreshKeys(to: state)
        // Whatever the state was before: of one that came and went while the enclave was away nobody has told. Without
        // a passcode nothing is locked, but what its removal takes away.
        if state.lock != .unlocked || before?.hasPasscode ?? true && !state.hasPasscode { gate.shut() }
        if before?.lock != state.lock || before?.hasPasscode != state.hasPasscode {
            watchers.tell(.lockState(KeychainEvent.LockState(state)))
        }
        // What may wait for a disk: rows under new keys, items that went with the passcode, and the journal.
        DispatchQueue.global().async { engine.followKeyChanges() }
    }
}

/// The right to restore into a keychain; it ends with its holder.
final class RestorationPlace {
    private let end: () -> Void

    fileprivate init(_ end: @escaping () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
