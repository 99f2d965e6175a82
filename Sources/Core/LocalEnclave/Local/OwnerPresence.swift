import Crypto
import EnclaveDesk
import EnclaveInterface
import KeychainModel
import Synchronization

/// What the owner proves before a key is released: presence, fingers, an application password.
final class OwnerPresence: Sendable {
    /// Where the owner is asked for what items demand.
    let desk: PresenceDesk
    private let locking: EnclaveLock
    private let editor: KeybagEditor
    private let guesses = Mutex(PasswordGuesses())

    init(_ editor: KeybagEditor, at desk: PresenceDesk) {
        self.desk = desk
        self.editor = editor
        locking = editor.locking
    }

    /// Whether no question is open, and no delay is due to wrong answers.
    var isAtRest: Bool {
        desk.isAtRest && guesses.withLock(\.isEmpty)
    }

    /// What a class key's box held, after its owner has proved what it demands.
    struct Released {
        let content: SecretBytes
        let guarded: GuardedBox
        let password: ApplicationPassword?
    }

    /// - Throws: `interactionNotAllowed` with the `PresenceNeed` for what is not proved.
    func release(
        _ box: SecretBytes,
        _ guarded: GuardedBox,
        _ biometry: PresentBiometry,
        _ credentials: ItemCredentials
    ) throws(KeychainError) -> Released {
        let (content, demand) = try unbound(box, guarded, biometry)
        guard guarded.needsPassword || demand != .nothing else {
            return Released(content: content, guarded: guarded, password: nil)
        }
        let item = guarded.item
        let proved = desk.proved(credentials, for: item)
        let password = credentials.applicationPassword ?? proved.password
        let isProved = demand.isMet(by: proved.factors)
        let lacksPassword = guarded.needsPassword && password == nil
        guard isProved, !lacksPassword else {
            let need = PresenceNeed(
                isProved ? .nothing : demand,
                password: lacksPassword ? .existing : .none,
                items: [item]
            )
            throw KeychainError(.interactionNotAllowed, "the item's owner has to be asked", presence: .needed(need))
        }
        return Released(content: content, guarded: guarded, password: guarded.needsPassword ? password : nil)
    }

    // MARK: - Bound to a set of fingers

    /// Looks at the fingers that are enrolled, where any item is bound to such.
    func presentBiometry(isNeeded: Bool) throws(KeychainError) -> PresentBiometry {
        guard isNeeded else { return .unknown }
        desk.refreshReader(of: .biometry)
        guard let set = desk.enrolledSet(of: .biometry) else { return .unknown }
        return .known(try biometryKey(of: set))
    }

    /// - Throws: `notAvailable` where there is no finger to bind it to.
    func bound(
        _ content: SecretBytes,
        _ guarded: GuardedBox,
        _ biometry: PresentBiometry
    ) throws(KeychainError) -> SecretBytes {
        guard guarded.needsCurrentBiometry else { return content }
        guard case .known(let key) = biometry, desk.enrolledSet(of: .biometry) != .empty else {
            throw KeychainError(
                .notAvailable,
                "no finger is enrolled that an item could be bound to",
                presence: .failed(desk.enrolledSet(of: .biometry) == .empty ? .notEnrolled : .noBiometry)
            )
        }
        return try BiometryBoundKey(
            content,
            under: key,
            isFree: !guarded.demand.without(.biometry).alternatives.isEmpty,
            authenticating: AssociatedData(guarded.binding, keychain: locking.keychain).bytes(for: .biometryBoundKey)
        ).bytes
    }

    /// - Returns: what was bound, and what its owner can still prove for it.
    /// - Throws: `itemNotFound` where the fingers are not those any more that the item was bound to; `notAvailable`
    ///   where that cannot be told.
    private func unbound(
        _ content: SecretBytes,
        _ guarded: GuardedBox,
        _ biometry: PresentBiometry
    ) throws(KeychainError) -> (content: SecretBytes, demand: PresenceDemand) {
        let demand = guarded.demand
        guard guarded.needsCurrentBiometry else { return (content, demand) }
        let bound = try BiometryBoundKey(content)
        switch biometry {
        case .known(let key) where bound.isUnder(key):
            let data = AssociatedData(guarded.binding, keychain: locking.keychain).bytes(for: .biometryBoundKey)
            return (try bound.content(under: key, authenticating: data), demand)
        case .known:
            guard let free = bound.free else {
                throw KeychainError(.itemNotFound, "the item went with the fingers that were enrolled")
            }
            return (free, demand.without(.biometry))
        case .unknown:
            guard let free = bound.free else {
                throw KeychainError(
                    .notAvailable,
                    "it cannot be determined which fingers are enrolled",
                    presence: .failed(.noBiometry)
                )
            }
            return (free, demand.without(.biometry))
        }
    }

    // MARK: - Under an application password

    /// What the class key's box holds: the item's key, or that under its password.
    func content(
        of key: SymmetricKey,
        _ guarded: GuardedBox,
        _ credentials: ItemCredentials
    ) throws(KeychainError) -> SecretBytes {
        guard guarded.needsPassword else { return unsafe key.withUnsafeBytes { unsafe SecretBytes($0) } }
        let item = guarded.item
        let typed = credentials.applicationPassword ?? desk.proved(credentials, for: item, isNew: true).password
        guard let password = typed else {
            let need = PresenceNeed(.nothing, password: .new, items: [item])
            throw KeychainError(
                .interactionNotAllowed,
                "the item needs its application password",
                presence: .needed(need)
            )
        }
        return try editor.turn.take { () throws(KeychainError) in
            try PasswordBoundKey(
                key,
                under: password,
                cost: locking.cost,
                authenticating: AssociatedData(guarded.binding, keychain: locking.keychain).bytes(
                    for: .passwordBoundKey
                )
            ).bytes
        }
    }

    func key(in released: Released) throws(KeychainError) -> SymmetricKey {
        let binding = released.guarded.binding
        guard released.guarded.needsPassword else {
            guard released.content.count == 32 else { throw KeychainError.damagedItemKey }
            return released.content.symmetricKey()
        }
        let bound = try PasswordBoundKey(released.content, uncheckedCost: locking.cost)
        guard let password = released.password else { throw KeychainError.damagedItemKey }
        let data = AssociatedData(binding, keychain: locking.keychain).bytes(for: .passwordBoundKey)
        let key = try editor.turn.take { () throws(KeychainError) in
            // Counted before it is tried, and in the turn: of many tries at once no more are made than one after the
            // other.
            try guesses.withLock { (guesses) throws(KeychainError) in try guesses.begin(binding.uuid, at: .current) }
            return try bound.key(under: password, authenticating: data)
        }
        guard let key else { throw KeychainError(.authenticationFailed, "the application password is wrong") }
        guesses.withLock { $0.succeeded(binding.uuid) }
        return key
    }

    /// What items are bound to that die with these fingers. Where others were enrolled before, it is a new one, and the
    /// old one is gone for good.
    func biometryKey(of set: EnrolledSet) throws(KeychainError) -> SymmetricKey {
        func present() throws(KeychainError) -> SymmetricKey? {
            try locking.use { (state) throws(KeychainError) in
                state.keys.biometryKey.flatMap { $0.set == set ? $0.key : nil }
            }
        }
        if let key = try present() { return key }
        try editor.exclusively { () throws(KeychainError) in
            guard try present() == nil else { return }
            try editor.rewrite(with: nil) { (draft, keys) throws(KeychainError) in
                try draft.setBiometry(set, under: keys)
                return nil
            }
        }
        guard let key = try present() else { throw KeychainError(.internalError, "the keybag took no key for fingers") }
        return key
    }

    // MARK: - Asking

    func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        _ = try locking.state()
        let asker = { () throws(KeychainError) -> Asker in
            guard case .named(let name, let isVerified) = question.asker else {
                throw KeychainError(.noPermission, "programs within a process cannot be told apart")
            }
            return .named(name, isVerified: isVerified)
        }
        return try desk.ask(question, of: asker) {
            // This process is not told when another process, or the timeout, locks the keychain meanwhile.
            _ = try? self.locking.state()
            return isWanted()
        }
    }

    func status() throws(KeychainError) -> PresenceStatus {
        _ = try locking.state()
        desk.refreshReaders()
        return desk.status
    }
}
