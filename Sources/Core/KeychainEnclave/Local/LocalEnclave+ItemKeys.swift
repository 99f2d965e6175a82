package import Crypto
package import KeychainModel
import Synchronization

extension LocalEnclave {
    package func wrap(
        _ keys: [UnwrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [[UInt8]] {
        var contents: [SecretBytes] = []
        contents.reserveCapacity(keys.count)
        // Without the state, which all others wait for.
        for item in keys { contents.append(try content(of: item, credentials)) }
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
        let contents = try use { (state) throws(KeychainError) in
            keys.map { item in
                Result { () throws(KeychainError) in
                    try Released(open(item, in: state), item.binding, credentials, desk)
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
            _ credentials: ItemCredentials,
            _ desk: PresenceDesk
        ) throws(KeychainError) {
            let control = try binding.control()
            let demand = control.demand
            needsPassword = control.needsApplicationPassword
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
}
