import Crypto
import EnclaveDesk
import EnclaveInterface
import KeychainModel

/// What processes of one user share of an unlocked keychain.
extension EnclaveLock {
    private func sharedCode() throws(KeychainError) -> SymmetricKey {
        Keybag.derive(try deviceKey.key, "chatelaine unlocked mac 1", keybag)
    }

    /// Takes in what other processes have unlocked or locked.
    func adoptShared(_ state: inout State) throws(KeychainError) {
        guard let shared, state.keybag.hasPasscode else { return }
        let stamp = shared.stamp
        guard stamp != state.stamps.shared else { return }
        let before = state.lock
        defer { if state.lock.rawValue < before.rawValue { desk.forgetAll() } }
        state.epoch += 1
        state.keys.lock(keeping: Self.alwaysThere)
        state.lock = .beforeFirstUnlock
        state.stamps.shared = stamp
        // What cannot be read is as good as locked.
        let file = try? shared.withLock { () throws(KeychainError) in
            state.stamps.shared = shared.stamp
            return shared.read()
        }
        guard let file, let contents = UnlockedContents(file, keybag: keybag, code: try sharedCode()) else { return }
        if let key = contents.passcodeKey, state.keybag.isPasscodeKey(key) { try state.keys.setPasscodeKey(key) }
        for key in contents.classes where state.keybag.entry(of: key.accessibility, madeIn: key.madeIn) != nil {
            try state.keys.insert(
                key.accessibility,
                madeIn: key.madeIn,
                metadata: key.metadata,
                wrapping: key.wrapping
            )
        }
        for (accessibility, key) in contents.privateKeys where state.keybag.has(.privateKeys(accessibility)) {
            try state.keys.insert(key, ofPrivateKeysIn: accessibility)
        }
        state.lock = contents.lock
        state.lastUse = max(state.lastUse, contents.lastUse)
    }

    /// Tells other processes what is unlocked now.
    ///
    /// - Parameter unlessChanged: for callers that neither lock nor unlock: what another process has done since the
    ///   state was adopted stands, or an old state would undo a lock. The next request takes it in.
    func share(_ state: inout State, unlessChanged: Bool = false) {
        guard let shared, state.keybag.hasPasscode || shared.stamp != nil else { return }
        do throws(KeychainError) {
            try shared.withLock { () throws(KeychainError) in
                guard !unlessChanged || shared.stamp == state.stamps.shared else { return }
                defer { state.stamps.shared = shared.stamp }
                guard state.keybag.hasPasscode, state.lock != .beforeFirstUnlock else { return shared.remove() }
                let contents = UnlockedContents(lastUse: state.lastUse, lock: state.lock, keys: state.keys)
                do throws(KeychainError) {
                    try shared.write(contents.file(keybag: keybag, code: try sharedCode()))
                } catch {
                    shared.remove()
                }
            }
        } catch {
            // The folder cannot be locked, and so not be written by others either. What lies there has to go all the
            // same.
            shared.remove()
            state.stamps.shared = shared.stamp
        }
    }
}
