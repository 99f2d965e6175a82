package import KeychainModel

/// What the owner of a keychain does with its enclave. A passcode goes to it straight, never by way of the keychain
/// service.
package protocol EnclaveControl: Sendable {
    func state() throws(KeychainError) -> EnclaveState

    /// - Throws: `authenticationFailed` for a wrong passcode, where there is none, and, with the seconds in its message,
    ///   while one has to wait after wrong ones; `notAvailable` while too many others are being tried.
    func unlock(_ passcode: SecretBytes) throws(KeychainError)

    func lock() throws(KeychainError)

    /// Drops all keys but those of Always classes, as if the machine had just started.
    func logOut() throws(KeychainError)

    /// Sets the first passcode, changes it, or takes it away (`new` is nil).
    ///
    /// - Parameters:
    ///   - old: nil where there is none.
    ///   - token: where a service keeps the owner's programs apart, needed for the first passcode (`setPasscode`) and to take
    ///     it away (`removePasscode`).
    /// - Throws: as `unlock`; `invalidParameter` for an empty passcode, or one of more than 1,024 bytes;
    ///   `duplicateItem` where there is a passcode and `old` is nil; `authenticationFailed` without the token.
    func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken?
    ) throws(KeychainError)

    /// Says that the passcode is the owner's: one from before the trusted path was there may be any program's.
    ///
    /// - Parameter token: for `confirmPasscode`, where a service keeps the owner's programs apart.
    /// - Throws: as `unlock`; `authenticationFailed` without the token.
    func confirmPasscode(_ passcode: SecretBytes, with token: AuthorizationToken?) throws(KeychainError)

    /// - Throws: as `unlock`.
    func verify(_ passcode: SecretBytes) throws(KeychainError)

    /// An authorization of one operation, once, within a minute.
    ///
    /// - Parameter passcode: nil where the caller is root, or where there is none and no service keeps programs apart. Where
    ///   one does, a passcode counts that is confirmed, and only for the operations that take one.
    /// - Throws: as `unlock`; `authenticationFailed` where a passcode is needed, or none is enough.
    func authorize(_ operation: GuardedOperation, passcode: SecretBytes?) throws(KeychainError) -> AuthorizationToken

    /// - Parameters:
    ///   - passcode: needed to make the keychain lock later than it does.
    ///   - token: for `changeSettings`. Where a service keeps the owner's programs apart it is needed to have keys destroyed
    ///     after wrong passcodes, and to lock later where the passcode is not confirmed.
    /// - Throws: as `unlock`; `authenticationFailed` where the passcode or the token is missing.
    func change(
        _ settings: LockSettings,
        passcode: SecretBytes?,
        with token: AuthorizationToken?
    ) throws(KeychainError)
}

extension EnclaveControl {
    package func changePasscode(from old: SecretBytes?, to new: SecretBytes?) throws(KeychainError) {
        try changePasscode(from: old, to: new, with: nil)
    }

    package func change(_ settings: LockSettings, passcode: SecretBytes?) throws(KeychainError) {
        try change(settings, passcode: passcode, with: nil)
    }
}

/// What the owner is asked for afresh, since any program of theirs could run it otherwise.
package enum GuardedOperation: UInt8, Sendable, CaseIterable {
    case backup = 1
    case restore = 2
    case export = 3
    case rotateKeys = 4
    case setPasscode = 5
    case removePasscode = 6
    case confirmPasscode = 7
    case changeSettings = 8

    /// Whether a confirmed passcode is enough for it. For the others the system has to have authenticated the person.
    package var takesPasscode: Bool {
        switch self {
        case .backup, .restore, .export, .rotateKeys: true
        case .setPasscode, .removePasscode, .confirmPasscode, .changeSettings: false
        }
    }
}

/// Says that the owner has allowed one operation. It is worth nothing after use, or a minute later.
package struct AuthorizationToken: Sendable, Equatable, CustomStringConvertible {
    /// 32 random bytes.
    package let bytes: [UInt8]

    package static let size = 32

    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    package var description: String { "[REDACTED]" }
}
