import Crypto
import EnclaveInterface
import KeychainModel

/// Changing the passcode, and the settings that say when it is asked for.
extension PasscodeGuard {
    func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken? = nil,
        by visitor: Visitor
    ) throws(KeychainError) {
        let (old, new) = (try Self.passcode(old), try Self.passcode(new))
        try editor.exclusively { () throws(KeychainError) in
            let before = try editor.keybagNow().passcode
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
            // A program has brought a token for the first one. A caller that knows the old one does not change who set
            // it.
            secret?.record.isConfirmed = visitor == .administrator || before?.isConfirmed ?? (visitor == .program)
            try editor.rewrite(with: oldKey) { (draft, keys) throws(KeychainError) in
                let opened = try draft.unwrapAll(with: keys)
                guard opened.count == draft.entries.count else {
                    throw KeychainError(.internalError, "some key did not open")
                }
                let newKeys = try editor.wrappingKeys(passcode: secret?.key)
                try draft.setPasscode(secret?.record, opened: opened, under: newKeys)
                return secret?.key
            }
            // No keybag of this device names it any more.
            if let place = before?.place { try? locking.device.passcodeSecrets?.remove(place) }
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
        let keybag = try editor.keybagNow()
        let salt = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) }
        let stretched = try StretchedPasscode(passcode, salt: salt, cost: locking.cost)
        var place: UInt8?
        var hardware: SecretBytes?
        if let secrets = locking.device.passcodeSecrets {
            let free: UInt8 = occupied == 0 ? 1 : 0
            place = free
            hardware = try secrets.make(in: free, authorization: stretched.authorization)
        }
        let key = stretched.key(hardware: hardware, deviceKey: try locking.deviceKey.key, keybag: keybag.uuid)
        let check = PasscodeRecord.check(
            key,
            keychain: keybag.keychain,
            keybag: keybag.uuid,
            salt: salt,
            cost: locking.cost
        )
        return (PasscodeRecord(cost: locking.cost, salt: salt, place: place, check: check), key)
    }

    /// After too many wrong passcodes, where the owner wished it so.
    func destroyKeys() throws(KeychainError) {
        let place = try editor.keybagNow().passcode?.place
        try editor.rewrite(with: nil) { (draft, keys) throws(KeychainError) in
            try draft.destroyProtectedKeys(under: keys)
            return nil
        }
        if let place { try? locking.device.passcodeSecrets?.remove(place) }
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
        try editor.exclusively { () throws(KeychainError) in
            let before = try editor.keybagNow()
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
            try editor.rewrite(with: nil) { (draft, _) throws(KeychainError) in
                draft.settings = settings
                return nil
            }
        }
    }

    /// Notes down that the passcode came over the trusted path. The caller runs editor.exclusively.
    func markConfirmed() throws(KeychainError) {
        guard try editor.keybagNow().passcode?.isConfirmed == false else { return }
        try editor.rewrite(with: nil) { (draft, _) throws(KeychainError) in
            draft.passcode?.isConfirmed = true
            return nil
        }
    }

    // MARK: - Whose the passcode is

    func confirmPasscode(
        _ passcode: SecretBytes,
        with token: AuthorizationToken?,
        by visitor: Visitor
    ) throws(KeychainError) {
        let passcode = try Passcode(passcode)
        try editor.exclusively { () throws(KeychainError) in
            guard try locking.state().hasPasscode else {
                throw KeychainError(.authenticationFailed, "the keychain has no passcode")
            }
            try check(token, for: .confirmPasscode, by: visitor)
            _ = try authenticate(passcode, by: visitor)
            // Where programs are not kept apart, any program could confirm it.
            if visitor != .owner { try markConfirmed() }
        }
    }

    /// What the administrator brings is what the person typed at a log-in. The caller runs editor.exclusively.
    func confirm(by visitor: Visitor) {
        guard visitor == .administrator, locking.keepsProgramsApart else { return }
        // A full or failing disk does not prevent unlocking.
        try? markConfirmed()
    }
}
