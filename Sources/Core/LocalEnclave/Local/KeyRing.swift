import Crypto
import EnclaveInterface
import KeychainModel

/// The class keys at work: they wrap items' keys and private keys, and open them again.
final class KeyRing: Sendable {
    let locking: EnclaveLock
    let editor: KeybagEditor
    let presence: OwnerPresence

    init(_ editor: KeybagEditor, _ presence: OwnerPresence) {
        self.editor = editor
        self.presence = presence
        locking = editor.locking
    }

    func wrap(
        _ keys: [UnwrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [[UInt8]] {
        // Without the state, which all others wait for.
        let biometry = try presence.presentBiometry(isNeeded: keys.contains { $0.binding.needsCurrentBiometry })
        var contents: [SecretBytes] = []
        contents.reserveCapacity(keys.count)
        for item in keys {
            let guarded = try GuardedBox(valueOf: item.binding)
            contents.append(try presence.bound(presence.content(of: item.key, guarded, credentials), guarded, biometry))
        }
        return try locking.use { (state) throws(KeychainError) in
            var boxes: [[UInt8]] = []
            boxes.reserveCapacity(keys.count)
            for (item, content) in zip(keys, contents) {
                boxes.append(try box(content, item.binding, in: state))
            }
            return boxes
        }
    }

    func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        let biometry = try presence.presentBiometry(isNeeded: keys.contains { $0.binding.needsCurrentBiometry })
        let contents = try locking.use { (state) throws(KeychainError) in
            keys.map { item in
                Result { () throws(KeychainError) in
                    let box = try open(item, in: state)
                    return try presence.release(box, GuardedBox(valueOf: item.binding), biometry, credentials)
                }
            }
        }
        return contents.map { released in
            Result { () throws(KeychainError) in try presence.key(in: released.get()) }
        }
    }

    func rewrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [[UInt8]?] {
        try locking.use { (state) throws(KeychainError) in
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
        in state: EnclaveLock.State
    ) throws(KeychainError) -> [UInt8] {
        guard let accessibility = Accessibility(code: binding.accessibility) else {
            throw KeychainError(.invalidParameter, "no accessibility class")
        }
        return try Cipher.seal(
            secret: content,
            under: try newestKey(of: accessibility, in: state),
            authenticating: AssociatedData(binding, keychain: locking.keychain).bytes(for: .wrappedKey)
        )
    }

    private func open(_ item: WrappedItemKey, in state: EnclaveLock.State) throws(KeychainError) -> SecretBytes {
        guard let accessibility = Accessibility(code: item.binding.accessibility) else {
            throw KeychainError.damagedItemKey
        }
        let data = AssociatedData(item.binding, keychain: locking.keychain).bytes(for: .wrappedKey)
        guard let held = state.keys.classes[accessibility], !held.isEmpty else {
            throw locking.description(of: state).refusal(of: accessibility)
        }
        for classKey in held {
            guard let wrapping = classKey.wrapping.key else { continue }
            if let content = Cipher.openSecret(item.box, under: wrapping, authenticating: data) { return content }
        }
        throw KeychainError.damagedItemKey
    }

    /// Never an older one: what is wrapped under that is lost at the end of a rotation.
    private func newestKey(of accessibility: Accessibility, in state: EnclaveLock.State) throws(KeychainError)
        -> SymmetricKey
    {
        let newest = state.keybag.newestGeneration(of: accessibility)
        guard let held = state.keys.classes[accessibility]?.first, held.madeIn == newest, let key = held.wrapping.key
        else { throw locking.description(of: state).refusal(of: accessibility) }
        return key
    }
}
