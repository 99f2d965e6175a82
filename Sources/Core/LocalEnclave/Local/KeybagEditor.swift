import Crypto
import EnclaveInterface
import KeychainModel

/// Puts another keybag in the place of the present one. What does so waits for its turn; nothing else waits for that.
struct KeybagEditor: Sendable {
    let locking: EnclaveLock
    let turn = PasscodeTurn()

    /// Runs what tries a passcode or rewrites the keybag, alone among all processes, with the keybag as it is now.
    func exclusively<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try turn.take { () throws(KeychainError) in
            try locking.storage.withLock { () throws(KeychainError) in
                _ = try locking.epoch
                return try body()
            }
        }
    }

    // MARK: - The keybag as it is now

    /// What the passcode opens; nil where there is none.
    ///
    /// - Throws: `interactionNotAllowed` while the keychain is locked.
    func presentPasscodeKey() throws(KeychainError) -> SymmetricKey? {
        try locking.withState { (state) throws(KeychainError) in
            guard state.keybag.hasPasscode else { return nil }
            guard state.lock == .unlocked, let key = state.keys.passcodeKey else {
                throw KeychainError(.interactionNotAllowed, "the keychain is locked; unlock it first")
            }
            return key
        }
    }

    func keybagNow() throws(KeychainError) -> Keybag {
        try locking.withState { (state) throws(KeychainError) in state.keybag }
    }

    func wrappingKeys(passcode: SymmetricKey?) throws(KeychainError) -> Keybag.WrappingKeys {
        Keybag.WrappingKeys(try locking.deviceKey.key, keybag: try keybagNow().uuid, passcode: passcode)
    }

    /// Writes another keybag in the place of the present one. The caller runs exclusively.
    ///
    /// - Parameters:
    ///   - passcodeKey: what the present passcode opens, where that is known.
    ///   - change: what becomes of it. It returns the key that its passcode opens then, if that is to be kept.
    func rewrite(
        with passcodeKey: SymmetricKey?,
        _ change: (inout Keybag, Keybag.WrappingKeys) throws(KeychainError) -> SymmetricKey?
    ) throws(KeychainError) {
        let keys = try wrappingKeys(passcode: passcodeKey)
        var draft = try keybagNow()
        try draft.upgrade(under: keys)
        draft.generation += 1
        let newPasscodeKey = try change(&draft, keys)
        let counter = locking.device.rollbackCounter
        if let counter { draft.counter = try counter.value() &+ 1 }
        do throws(KeychainError) {
            try locking.storage.write(keybag: draft.file(under: locking.deviceKey))
        } catch {
            // It may stand there all the same, if only the folder could not be synced.
            try? locking.withState { (state) throws(KeychainError) in
                try locking.reread(&state, stamp: locking.storage.stamp)
            }
            throw error
        }
        if let counter { _ = try? counter.increment() }
        try locking.withState { (state) throws(KeychainError) in
            // Another process may have locked meanwhile: a passcode takes its time.
            let hadPasscode = state.keybag.hasPasscode
            try? locking.adoptShared(&state)
            if state.lock == .unlocked, let newPasscodeKey { try state.keys.setPasscodeKey(newPasscodeKey) }
            try locking.install(draft, in: &state)
            state.stamps.keybag = locking.storage.stamp
            // Shared state from before the first passcode is replaced.
            locking.share(&state, unlessChanged: hadPasscode)
        }
        locking.tellObservers()
    }
}
