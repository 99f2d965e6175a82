package import Crypto
package import KeychainModel
import Synchronization

extension LocalEnclave {
    package func wrap(
        _ keys: [UnwrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [[UInt8]] {
        // Without the state, which all others wait for.
        let biometry = try presentBiometry(isNeeded: keys.contains { $0.binding.needsCurrentBiometry })
        var contents: [SecretBytes] = []
        contents.reserveCapacity(keys.count)
        for item in keys {
            let guarded = try GuardedBox(valueOf: item.binding)
            contents.append(try bound(content(of: item.key, guarded, credentials), guarded, biometry))
        }
        return try use { (state) throws(KeychainError) in
            var boxes: [[UInt8]] = []
            boxes.reserveCapacity(keys.count)
            for (item, content) in zip(keys, contents) {
                boxes.append(try box(content, item.binding, in: state))
            }
            return boxes
        }
    }

    package func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        let biometry = try presentBiometry(isNeeded: keys.contains { $0.binding.needsCurrentBiometry })
        let contents = try use { (state) throws(KeychainError) in
            keys.map { item in
                Result { () throws(KeychainError) in
                    let box = try open(item, in: state)
                    return try release(box, GuardedBox(valueOf: item.binding), biometry, credentials)
                }
            }
        }
        return contents.map { released in
            Result { () throws(KeychainError) in try key(in: released.get()) }
        }
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

    package func rewrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [[UInt8]?] {
        try use { (state) throws(KeychainError) in
            var boxes: [[UInt8]?] = []
            boxes.reserveCapacity(keys.count)
            for item in keys {
                do throws(KeychainError) {
                    boxes.append(try box(open(item, in: state), item.binding, in: state))
                } catch {
                    guard error.code == .undecodable else { throw error }
                    boxes.append(nil)
                }
            }
            return boxes
        }
    }

    // MARK: - Under the class key

    private func box(
        _ content: SecretBytes,
        _ binding: ItemBinding,
        in state: State
    ) throws(KeychainError) -> [UInt8] {
        guard let accessibility = Accessibility(code: binding.accessibility) else {
            throw KeychainError(.invalidParameter, "no accessibility class")
        }
        return try Cipher.seal(
            secret: content,
            under: try newestKey(of: accessibility, in: state),
            authenticating: AssociatedData(binding, keychain: keychain).bytes(for: .wrappedKey)
        )
    }

    private func open(_ item: WrappedItemKey, in state: State) throws(KeychainError) -> SecretBytes {
        guard let accessibility = Accessibility(code: item.binding.accessibility) else { throw Self.damaged }
        let data = AssociatedData(item.binding, keychain: keychain).bytes(for: .wrappedKey)
        guard let held = state.keys.classes[accessibility], !held.isEmpty else {
            throw description(of: state).refusal(of: accessibility)
        }
        for classKey in held {
            guard let wrapping = classKey.wrapping.key else { continue }
            if let content = Cipher.openSecret(item.box, under: wrapping, authenticating: data) { return content }
        }
        throw Self.damaged
    }

    /// Never an older one: what is wrapped under that is lost at the end of a rotation.
    private func newestKey(of accessibility: Accessibility, in state: State) throws(KeychainError) -> SymmetricKey {
        let newest = state.keybag.newestGeneration(of: accessibility)
        guard let held = state.keys.classes[accessibility]?.first, held.madeIn == newest, let key = held.wrapping.key
        else { throw description(of: state).refusal(of: accessibility) }
        return key
    }

    static let damaged = KeychainError(.undecodable, "an item's key is not as it was wrapped")

    // MARK: - Bound to a set of fingers

    /// Looks at the fingers that are enrolled, where any item is bound to such.
    func presentBiometry(isNeeded: Bool) throws(KeychainError) -> PresentBiometry {
        guard isNeeded else { return .unknown }
        desk.look()
        guard let set = desk.biometrySet else { return .unknown }
        return .known(try biometryKey(of: set))
    }

    /// - Throws: `notAvailable` where there is no finger to bind it to.
    func bound(
        _ content: SecretBytes,
        _ guarded: GuardedBox,
        _ biometry: PresentBiometry
    ) throws(KeychainError) -> SecretBytes {
        guard guarded.needsCurrentBiometry else { return content }
        guard case .known(let key) = biometry, desk.biometrySet != .empty else {
            throw KeychainError(.notAvailable, "no finger is enrolled that an item could be bound to")
        }
        return try BiometryBoundKey(
            content,
            under: key,
            isFree: !guarded.demand.without(.biometry).alternatives.isEmpty,
            authenticating: AssociatedData(guarded.binding, keychain: keychain).bytes(for: .biometryBoundKey)
        ).bytes
    }

    /// - Returns: what was bound, and what its owner can still prove for it.
    /// - Throws: `itemNotFound` where the fingers are not those any more that the item was bound to; `notAvailable` where that
    ///   cannot be told.
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
            let data = AssociatedData(guarded.binding, keychain: keychain).bytes(for: .biometryBoundKey)
            return (try bound.content(under: key, authenticating: data), demand)
        case .known:
            guard let free = bound.free else {
                throw KeychainError(.itemNotFound, "the item went with the fingers that were enrolled")
            }
            return (free, demand.without(.biometry))
        case .unknown:
            guard let free = bound.free else {
                throw KeychainError(.notAvailable, "nobody can tell which fingers are enrolled")
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
        return try turn.take { () throws(KeychainError) in
            try PasswordBoundKey(
                key,
                under: password,
                cost: cost,
                authenticating: AssociatedData(guarded.binding, keychain: keychain).bytes(for: .passwordBoundKey)
            ).bytes
        }
    }

    func key(in released: Released) throws(KeychainError) -> SymmetricKey {
        let binding = released.guarded.binding
        guard released.guarded.needsPassword else {
            guard released.content.count == 32 else { throw Self.damaged }
            return released.content.symmetricKey()
        }
        let bound = try PasswordBoundKey(released.content, uncheckedCost: cost)
        guard let password = released.password else { throw Self.damaged }
        let data = AssociatedData(binding, keychain: keychain).bytes(for: .passwordBoundKey)
        let key = try turn.take { () throws(KeychainError) in
            // Counted before it is tried, and in the turn: of many tries at once no more are made than one after the other.
            try guesses.withLock { (guesses) throws(KeychainError) in try guesses.begin(binding.uuid, at: .current) }
            return try bound.key(under: password, authenticating: data)
        }
        guard let key else { throw KeychainError(.authenticationFailed, "the application password is wrong") }
        guesses.withLock { $0.succeeded(binding.uuid) }
        return key
    }

    // MARK: - Asking

    package func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        _ = try state()
        let asker = { () throws(KeychainError) -> Asker in
            guard case .named(let name, let isVerified) = question.asker else {
                throw KeychainError(.noPermission, "nobody vouches for programs within a process")
            }
            return .named(name, isVerified: isVerified)
        }
        return try desk.ask(question, of: asker) {
            // What another process locks meanwhile, or time, nobody here is told of.
            _ = try? self.state()
            return isWanted()
        }
    }

    package func forget(_ proof: PresenceProof) {
        desk.forget(proof)
    }

    package func openContext(_ groups: [String]) throws(KeychainError) -> PresenceContextID {
        try desk.openContext(groups)
    }

    package func closeContext(_ id: PresenceContextID) {
        desk.closeContext(id)
    }

    package func presenceStatus() throws(KeychainError) -> PresenceStatus {
        _ = try state()
        desk.look()
        return desk.status
    }
}

/// What stands before the content of a box: demands that are bound into it, so that one that was edited opens nothing.
struct GuardedBox {
    let binding: ItemBinding
    let demand: PresenceDemand
    let needsPassword: Bool
    let needsCurrentBiometry: Bool

    var item: GuardedItem { GuardedItem(binding.uuid, in: binding.accessGroup) }

    /// Of an item's key, which is asked for where the item's value is.
    ///
    /// - Throws: `undecodable` for an access control that is not understood, which is not waived.
    init(valueOf binding: ItemBinding) throws(KeychainError) {
        let control = try binding.control()
        self.binding = binding
        demand = control.demand
        needsPassword = control.needsApplicationPassword
        needsCurrentBiometry = control.needsCurrentBiometry
    }

    /// Of a private key, which is asked for where it is to do something.
    init(useOf key: EnclaveKey.Header) {
        binding = ItemBinding(key)
        demand = key.accessControl.keyUseDemand
        needsPassword = key.accessControl.keyUseNeedsApplicationPassword
        needsCurrentBiometry = key.accessControl.keyUseNeedsCurrentBiometry
    }
}

extension ItemBinding {
    fileprivate func control() throws(KeychainError) -> AccessControl {
        guard let accessibility = Accessibility(code: accessibility),
            let control = AccessControl(serialized: accessControl, accessibility: accessibility)
        else { throw KeychainError(.undecodable, "an item's access control is not understood") }
        return control
    }

    /// Whether it dies with the fingers that were enrolled when it was made.
    package var needsCurrentBiometry: Bool {
        guard !accessControl.isEmpty else { return false }
        return (try? control().needsCurrentBiometry) ?? false
    }
}
