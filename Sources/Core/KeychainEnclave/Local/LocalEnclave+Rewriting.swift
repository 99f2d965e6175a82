package import Crypto
package import KeychainModel

/// What rewrites the keybag.
extension LocalEnclave {
    // MARK: - The passcode

    func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken? = nil,
        by visitor: Visitor
    ) throws(KeychainError) {
        let (old, new) = (try Self.passcode(old), try Self.passcode(new))
        try exclusively { () throws(KeychainError) in
            let before = try keybagNow().passcode
            if before != nil && old == nil {
                throw KeychainError(.duplicateItem, "there is a passcode; give it to change it")
            }
            switch (old, new) {
            case (nil, .some): try check(token, for: .setPasscode, by: visitor)
            case (.some, nil) where before != nil: try check(token, for: .removePasscode, by: visitor)
            default: break
            }
            var oldKey: SymmetricKey?
            if let old { oldKey = try authenticate(old, by: visitor) }
            var secret: (record: PasscodeRecord, key: SymmetricKey)?
            if let new { secret = try newSecret(new, besides: before?.place) }
            guard before != nil || secret != nil else { return }
            // A program has brought a token for the first one. Whoever knows the old one changes nothing about whose it is.
            secret?.record.isConfirmed = visitor == .administrator || before?.isConfirmed ?? (visitor == .program)
            try rewrite(with: oldKey) { (draft, keys) throws(KeychainError) in
                let opened = try draft.unwrapAll(with: keys)
                guard opened.count == draft.entries.count else {
                    throw KeychainError(.internalError, "some key did not open")
                }
                let newKeys = try wrappingKeys(passcode: secret?.key)
                try draft.setPasscode(secret?.record, opened: opened, under: newKeys)
                return secret?.key
            }
            // No keybag of this device names it any more.
            if let place = before?.place { try? device.passcodeSecrets?.remove(place) }
        }
    }

    private static func passcode(_ typed: SecretBytes?) throws(KeychainError) -> Passcode? {
        guard let typed else { return nil }
        return try Passcode(typed)
    }

    private func newSecret(
        _ passcode: Passcode,
        besides occupied: UInt8?
    ) throws(KeychainError) -> (record: PasscodeRecord, key: SymmetricKey) {
        let keybag = try keybagNow()
        let salt = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) }
        let stretched = try StretchedPasscode(passcode, salt: salt, cost: cost)
        var place: UInt8?
        var hardware: SecretBytes?
        if let secrets = device.passcodeSecrets {
            let free: UInt8 = occupied == 0 ? 1 : 0
            place = free
            hardware = try secrets.make(in: free, authorization: stretched.authorization)
        }
        let key = stretched.key(hardware: hardware, deviceKey: try deviceKey.key, keybag: keybag.uuid)
        let check = PasscodeRecord.check(key, keychain: keybag.keychain, keybag: keybag.uuid, salt: salt, cost: cost)
        return (PasscodeRecord(cost: cost, salt: salt, place: place, check: check), key)
    }

    /// After too many wrong passcodes, where the owner wished it so.
    func destroyKeys() throws(KeychainError) {
        let place = try keybagNow().passcode?.place
        try rewrite(with: nil) { (draft, keys) throws(KeychainError) in
            try draft.destroyProtectedKeys(under: keys)
            return nil
        }
        if let place { try? device.passcodeSecrets?.remove(place) }
    }

    // MARK: - Settings

    func change(
        _ settings: LockSettings,
        passcode: SecretBytes?,
        with token: AuthorizationToken? = nil,
        by visitor: Visitor
    ) throws(KeychainError) {
        // In the file, and so after the next start, 0 says never.
        guard settings.timeout != 0, settings.wipesAfter != 0 else {
            throw KeychainError(.invalidParameter, "neither the timeout nor the number of wrong passcodes can be 0")
        }
        let passcode = try Self.passcode(passcode)
        try exclusively { () throws(KeychainError) in
            let before = try keybagNow()
            let isLaxer = settings.locksLater(than: before.settings)
            let wipesOtherwise = settings.wipesAfter != before.settings.wipesAfter
            let isPasscodeEnough = passcode != nil && before.passcode?.isConfirmed == true && !wipesOtherwise
            if (isLaxer || wipesOtherwise) && !isPasscodeEnough {
                try check(token, for: .changeSettings, by: visitor)
            }
            if let passcode {
                _ = try authenticate(passcode, by: visitor)
            } else if visitor == .owner && before.hasPasscode && (isLaxer || wipesOtherwise) {
                throw KeychainError(.authenticationFailed, "this needs the passcode, or the administrator")
            }
            guard settings != before.settings else { return }
            try rewrite(with: nil) { (draft, _) throws(KeychainError) in
                draft.settings = settings
                return nil
            }
        }
    }

    /// Notes down that the passcode came over the trusted path. The caller runs exclusively.
    func markConfirmed() throws(KeychainError) {
        guard try keybagNow().passcode?.isConfirmed == false else { return }
        try rewrite(with: nil) { (draft, _) throws(KeychainError) in
            draft.passcode?.isConfirmed = true
            return nil
        }
    }

    // MARK: - Rotation

    package func beginRotation(_ token: AuthorizationToken) throws(KeychainError) -> EnclaveState {
        try redeem(token, for: .rotateKeys)
        return try exclusively { () throws(KeychainError) in
            guard try !keybagNow().isRotating else { return try state() }
            let key = try presentPasscodeKey()
            try rewrite(with: key) { (draft, keys) throws(KeychainError) in
                try draft.addClassKeys(under: keys)
                return key
            }
            return try state()
        }
    }

    package func finishRotation(of generation: UInt64) throws(KeychainError) -> EnclaveState {
        try exclusively { () throws(KeychainError) in
            let keybag = try keybagNow()
            guard keybag.isRotating, keybag.generation == generation else { return try state() }
            let key = try presentPasscodeKey()
            try rewrite(with: key) { (draft, _) throws(KeychainError) in
                draft.removeOlderKeys()
                return key
            }
            return try state()
        }
    }

    /// What the passcode opens; nil where there is none.
    ///
    /// - Throws: `interactionNotAllowed` while the keychain is locked.
    private func presentPasscodeKey() throws(KeychainError) -> SymmetricKey? {
        try withState { (state) throws(KeychainError) in
            guard state.keybag.hasPasscode else { return nil }
            guard state.lock == .unlocked, let key = state.keys.passcodeKey else {
                throw KeychainError(.interactionNotAllowed, "the keychain is locked; unlock it first")
            }
            return key
        }
    }

    // MARK: - Fingers

    /// What items are bound to that die with these fingers. Where others were enrolled before, it is a new one, and the old
    /// one is gone for good.
    func biometryKey(of set: BiometrySet) throws(KeychainError) -> SymmetricKey {
        func present() throws(KeychainError) -> SymmetricKey? {
            try use { (state) throws(KeychainError) in
                state.keys.biometryKey.flatMap { $0.set == set ? $0.key : nil }
            }
        }
        if let key = try present() { return key }
        try exclusively { () throws(KeychainError) in
            guard try present() == nil else { return }
            try rewrite(with: nil) { (draft, keys) throws(KeychainError) in
                try draft.setBiometry(set, under: keys)
                return nil
            }
        }
        guard let key = try present() else { throw KeychainError(.internalError, "the keybag took no key for fingers") }
        return key
    }

    // MARK: - Private keys

    /// For a keybag from before there were such.
    ///
    /// - Throws: `interactionNotAllowed` while the keychain is locked.
    func addPrivateKeyKeys() throws(KeychainError) {
        try exclusively { () throws(KeychainError) in
            guard try !keybagNow().has(.privateKeys(.alwaysThisDeviceOnly)) else { return }
            let key = try presentPasscodeKey()
            try rewrite(with: key) { (draft, keys) throws(KeychainError) in
                try draft.addPrivateKeyKeys(under: keys)
                return key
            }
        }
    }

    // MARK: - Backups

    package func deviceKey(ofBackup backup: ItemUUID) throws(KeychainError) -> SymmetricKey {
        Keybag.derive(try backupKey(\.backupKey), "chatelaine backup device 1", backup)
    }

    package func sign(backupDigest: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard backupDigest.count == SHA256.byteCount else {
            throw KeychainError(.invalidParameter, "a digest has 32 bytes")
        }
        let message = Array("chatelaine backup signature 1".utf8) + backupDigest
        do {
            return Array(try signer().signature(for: message).rawRepresentation)
        } catch {
            throw KeychainError(.internalError, "the signature cannot be made")
        }
    }

    package func backupSigner() throws(KeychainError) -> [UInt8] {
        Array(try signer().publicKey.x963Representation)
    }

    private func signer() throws(KeychainError) -> P256.Signing.PrivateKey {
        let key = try backupKey(\.signingKey)
        do {
            return try unsafe key.withUnsafeBytes { try unsafe P256.Signing.PrivateKey(rawRepresentation: $0) }
        } catch {
            throw Keybag.damaged
        }
    }

    /// A keybag of version 1 has neither key: they are made at the first use.
    private func backupKey(_ path: KeyPath<EnclaveKeys, SymmetricKey?>) throws(KeychainError) -> SymmetricKey {
        func present() throws(KeychainError) -> SymmetricKey? {
            try withState { (state) throws(KeychainError) in state.keys[keyPath: path] }
        }
        if let key = try present() { return key }
        try exclusively { () throws(KeychainError) in
            guard try present() == nil else { return }
            try rewrite(with: nil) { (draft, keys) throws(KeychainError) in
                try draft.addBackupKeys(under: keys)
                return nil
            }
        }
        guard let key = try present() else { throw KeychainError(.internalError, "the keybag took no backup key") }
        return key
    }

    // MARK: - Writing

    private func keybagNow() throws(KeychainError) -> Keybag {
        try withState { (state) throws(KeychainError) in state.keybag }
    }

    private func wrappingKeys(passcode: SymmetricKey?) throws(KeychainError) -> Keybag.WrappingKeys {
        Keybag.WrappingKeys(try deviceKey.key, keybag: try keybagNow().uuid, passcode: passcode)
    }

    /// Writes another keybag in the place of the present one. The caller runs exclusively.
    ///
    /// - Parameters:
    ///   - passcodeKey: what the present passcode opens, where that is known.
    ///   - change: what becomes of it. It returns the key that its passcode opens then, if that is to be kept.
    private func rewrite(
        with passcodeKey: SymmetricKey?,
        _ change: (inout Keybag, Keybag.WrappingKeys) throws(KeychainError) -> SymmetricKey?
    ) throws(KeychainError) {
        let keys = try wrappingKeys(passcode: passcodeKey)
        var draft = try keybagNow()
        try draft.upgrade(under: keys)
        draft.generation += 1
        let newPasscodeKey = try change(&draft, keys)
        let counter = device.rollbackCounter
        if let counter { draft.counter = try counter.value() &+ 1 }
        do throws(KeychainError) {
            try storage.write(keybag: draft.file(under: deviceKey))
        } catch {
            // It may stand there all the same, if only the folder could not be synced.
            try? withState { (state) throws(KeychainError) in try reread(&state, stamp: storage.stamp) }
            throw error
        }
        if let counter { _ = try? counter.increment() }
        try withState { (state) throws(KeychainError) in
            // Another process may have locked meanwhile: a passcode takes its time.
            let hadPasscode = state.keybag.hasPasscode
            try? adoptShared(&state)
            if state.lock == .unlocked, let newPasscodeKey { try state.keys.setPasscodeKey(newPasscodeKey) }
            try install(draft, in: &state)
            state.stamps.keybag = storage.stamp
            // What was left before there was a passcode is nobody's.
            share(&state, unlessChanged: hadPasscode)
        }
        tellObservers()
    }
}
