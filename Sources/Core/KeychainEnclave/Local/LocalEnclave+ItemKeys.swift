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
        for item in keys { contents.append(try bound(content(of: item, credentials), item.binding, biometry)) }
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
                    let opened = try unbound(open(item, in: state), item.binding, biometry)
                    return try Released(opened.content, item.binding, opened.demand, credentials, desk)
                }
            }
        }
        return zip(keys, contents).map { item, released in
            Result { () throws(KeychainError) in try key(in: released.get(), item.binding) }
        }
    }

    /// What a class key's box held, after its owner has proved what it demands.
    private struct Released {
        let content: SecretBytes
        let needsPassword: Bool
        let password: ApplicationPassword?

        /// - Throws: `interactionNotAllowed` with the `PresenceNeed` for what is not proved.
        init(
            _ content: SecretBytes,
            _ binding: ItemBinding,
            _ demand: PresenceDemand,
            _ credentials: ItemCredentials,
            _ desk: PresenceDesk
        ) throws(KeychainError) {
            needsPassword = try binding.control().needsApplicationPassword
            self.content = content
            guard needsPassword || demand != .nothing else {
                password = nil
                return
            }
            let proved = desk.proved(credentials.proofs, for: binding.uuid)
            password = credentials.applicationPassword ?? proved.password
            let isProved = demand.isMet(by: proved.factors)
            let lacksPassword = needsPassword && password == nil
            guard isProved, !lacksPassword else {
                let need = PresenceNeed(
                    isProved ? .nothing : demand,
                    password: lacksPassword ? .existing : .none,
                    items: [binding.uuid]
                )
                throw KeychainError(.interactionNotAllowed, "the item's owner has to be asked", presence: .needed(need))
            }
        }
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

    private static let damaged = KeychainError(.undecodable, "an item's key is not as it was wrapped")

    // MARK: - Bound to a set of fingers

    /// Looks at the fingers that are enrolled, where any item is bound to such.
    private func presentBiometry(isNeeded: Bool) throws(KeychainError) -> PresentBiometry {
        guard isNeeded else { return .unknown }
        desk.look()
        guard let set = desk.biometrySet else { return .unknown }
        return .known(try biometryKey(of: set))
    }

    /// - Throws: `notAvailable` where there is no finger to bind it to.
    private func bound(
        _ content: SecretBytes,
        _ binding: ItemBinding,
        _ biometry: PresentBiometry
    ) throws(KeychainError) -> SecretBytes {
        guard binding.needsCurrentBiometry else { return content }
        guard case .known(let key) = biometry, desk.biometrySet != .empty else {
            throw KeychainError(.notAvailable, "no finger is enrolled that an item could be bound to")
        }
        return try BiometryBoundKey(
            content,
            under: key,
            isFree: !binding.control().demand.without(.biometry).alternatives.isEmpty,
            authenticating: AssociatedData(binding, keychain: keychain).bytes(for: .biometryBoundKey)
        ).bytes
    }

    /// - Returns: what was bound, and what its owner can still prove for it.
    /// - Throws: `itemNotFound` where the fingers are not those any more that the item was bound to; `notAvailable` where that
    ///   cannot be told.
    private func unbound(
        _ content: SecretBytes,
        _ binding: ItemBinding,
        _ biometry: PresentBiometry
    ) throws(KeychainError) -> (content: SecretBytes, demand: PresenceDemand) {
        let demand = try binding.control().demand
        guard binding.needsCurrentBiometry else { return (content, demand) }
        let bound = try BiometryBoundKey(content)
        switch biometry {
        case .known(let key) where bound.isUnder(key):
            let data = AssociatedData(binding, keychain: keychain).bytes(for: .biometryBoundKey)
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
    private func content(
        of item: UnwrappedItemKey,
        _ credentials: ItemCredentials
    ) throws(KeychainError) -> SecretBytes {
        guard try item.binding.control().needsApplicationPassword else {
            return unsafe item.key.withUnsafeBytes { unsafe SecretBytes($0) }
        }
        let uuid = item.binding.uuid
        guard let password = credentials.applicationPassword ?? desk.proved(credentials.proofs, for: uuid).password
        else {
            let need = PresenceNeed(.nothing, password: .new, items: [uuid])
            throw KeychainError(
                .interactionNotAllowed,
                "the item needs its application password",
                presence: .needed(need)
            )
        }
        return try turn.take { () throws(KeychainError) in
            try PasswordBoundKey(
                item.key,
                under: password,
                cost: cost,
                authenticating: AssociatedData(item.binding, keychain: keychain).bytes(for: .passwordBoundKey)
            ).bytes
        }
    }

    private func key(in released: Released, _ binding: ItemBinding) throws(KeychainError) -> SymmetricKey {
        guard released.needsPassword else {
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
        return try desk.ask(question) {
            // What another process locks meanwhile, or time, nobody here is told of.
            _ = try? self.state()
            return isWanted()
        }
    }

    package func forget(_ proof: PresenceProof) {
        desk.forget(proof)
    }

    package func presenceStatus() throws(KeychainError) -> PresenceStatus {
        _ = try state()
        desk.look()
        return desk.status
    }
}

extension ItemBinding {
    /// What the box is bound to, so that one that was edited opens nothing. What is not understood is not waived.
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
