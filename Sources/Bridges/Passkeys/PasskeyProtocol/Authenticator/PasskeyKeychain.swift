/// What an authenticator needs of a keychain. Each call may take long, since a person may be asked.
package protocol PasskeyKeychain {
    /// What the owner has agreed to. It proves so to the enclave, for as long as it lives.
    associatedtype Consent: Sendable

    /// Whether there is something to tell the owner by: a passcode.
    var canVerify: Bool { get }

    /// Whether other devices have its synchronizable passkeys.
    var isShared: Bool { get }

    /// The passkeys for a site, the newest first; those of all sites if it is nil.
    ///
    /// - Throws: `other` where the keychain cannot be asked.
    func passkeys(for site: RelyingParty?) throws(CTAPStatus) -> FoundPasskeys

    /// Asks the owner.
    ///
    /// - Throws: `operationDenied` for a no; `userActionTimeout`; `keepAliveCancel` where the question was taken back;
    ///   `uvInvalid` for wrong answers, and `uvBlocked` after too many.
    func ask(_ question: PasskeyQuestion) throws(CTAPStatus) -> Consent

    /// Makes a passkey, which is not stored.
    func make(_ new: NewPasskey) throws(CTAPStatus) -> (Passkey, PasskeySecrets)

    /// Stores a new passkey, in the place of others.
    ///
    /// - Throws: `keyStoreFull`, and `other` where it cannot be stored. Then the others are there still.
    func store(_ passkey: Passkey, _ secrets: PasskeySecrets, replacing others: [Passkey]) throws(CTAPStatus)

    /// The secrets of a passkey.
    func secrets(of passkey: Passkey, by consent: Consent) throws(CTAPStatus) -> PasskeySecrets

    /// Signs bytes by ECDSA with SHA-256.
    ///
    /// - Returns: the signature in DER.
    func sign(_ bytes: [UInt8], with secrets: PasskeySecrets, by consent: Consent) throws(CTAPStatus) -> [UInt8]

    func delete(_ passkey: Passkey, by consent: Consent) throws(CTAPStatus)

    /// Stores what the passkey's user is called now.
    func update(_ passkey: Passkey, by consent: Consent) throws(CTAPStatus)
}

/// What a search for passkeys has found.
package enum FoundPasskeys: Sendable, Equatable {
    case passkeys([Passkey])
    /// Nothing can be told before the owner unlocks the keychain.
    case locked

    var known: [Passkey]? { if case .passkeys(let passkeys) = self { passkeys } else { nil } }
}
