package import KeychainModel

// What an owner does with the passcode, or by it. The keychain service can send none of these.

package struct UnlockRequest: EnclaveRequest {
    package static let description = RequestDescription(64, from: .owner, on: .passcodes(), answer: .nothing)

    package let passcode: SecretBytes

    package init(_ passcode: SecretBytes) {
        self.passcode = passcode
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { passcode = try reader.secret() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(passcode) }
}

extension EnclaveControl {
    /// - Throws: `authenticationFailed` for a wrong passcode, where there is none, and, with the seconds in its message,
    ///   while one has to wait after wrong ones; `notAvailable` while too many others are being tried.
    package func unlock(_ passcode: SecretBytes) throws(KeychainError) { try answer(UnlockRequest(passcode)) }
}

/// What a log-in has its password for: it unlocks the keychain, or becomes the first passcode. It is one message, so that
/// what it asks for is done also where the log-in waits no longer for the answer.
package struct LogInRequest: EnclaveRequest {
    package static let description = RequestDescription(76, from: .owner, on: .passcodes(), answer: .nothing)

    package let password: SecretBytes
    /// Whether it becomes the passcode of a keychain that has none.
    package let setsFirst: Bool

    package init(_ password: SecretBytes, setsFirst: Bool) {
        self.password = password
        self.setsFirst = setsFirst
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        setsFirst = try reader.flags(1) != 0
        password = try reader.secret()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(setsFirst ? 1 as UInt8 : 0)
        try writer.append(password)
    }
}

/// Sets, changes or removes the passcode without an authorization, as log-ins have always done.
package struct ChangePasscodeRequest: EnclaveRequest {
    package static let description = RequestDescription(65, from: .owner, on: .passcodes(), answer: .nothing)

    package let old: SecretBytes?
    package let new: SecretBytes?

    package init(from old: SecretBytes?, to new: SecretBytes?) {
        self.old = old
        self.new = new
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        old = try reader.optionalSecret()
        new = try reader.optionalSecret()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(optional: old)
        try writer.append(optional: new)
    }
}

/// The same with an authorization.
package struct ChangePasscodeWithTokenRequest: EnclaveRequest {
    package static let description = RequestDescription(71, from: .owner, on: .passcodes(), answer: .nothing)

    package let old: SecretBytes?
    package let new: SecretBytes?
    package let token: AuthorizationToken

    package init(from old: SecretBytes?, to new: SecretBytes?, with token: AuthorizationToken) {
        self.old = old
        self.new = new
        self.token = token
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        old = try reader.optionalSecret()
        new = try reader.optionalSecret()
        token = try reader.token()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(optional: old)
        try writer.append(optional: new)
        writer.append(token.bytes)
    }
}

extension EnclaveControl {
    /// Sets the first passcode, changes it, or takes it away (`new` is nil).
    ///
    /// - Parameters:
    ///   - old: nil where there is none.
    ///   - token: where a service keeps the owner's programs apart, needed for the first passcode (`setPasscode`) and to take
    ///     it away (`removePasscode`).
    /// - Throws: as `unlock`; `invalidParameter` for an empty passcode, or one of more than 1,024 bytes;
    ///   `duplicateItem` where there is a passcode and `old` is nil; `authenticationFailed` without the token.
    package func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken? = nil
    ) throws(KeychainError) {
        guard let token else { return try answer(ChangePasscodeRequest(from: old, to: new)) }
        try answer(ChangePasscodeWithTokenRequest(from: old, to: new, with: token))
    }
}

/// Says that the passcode is the owner's own.
package struct ConfirmPasscodeRequest: EnclaveRequest {
    package static let description = RequestDescription(70, from: .owner, on: .passcodes(), answer: .nothing)

    package let passcode: SecretBytes
    package let token: AuthorizationToken?

    package init(_ passcode: SecretBytes, with token: AuthorizationToken?) {
        self.passcode = passcode
        self.token = token
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        passcode = try reader.secret()
        token = try reader.optionalToken()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(passcode)
        writer.append(optional: token)
    }
}

extension EnclaveControl {
    /// Says that the passcode is the owner's: one from before the trusted path was there may be any program's.
    ///
    /// - Parameter token: for `confirmPasscode`, where a service keeps the owner's programs apart.
    /// - Throws: as `unlock`; `authenticationFailed` without the token.
    package func confirmPasscode(
        _ passcode: SecretBytes,
        with token: AuthorizationToken?
    ) throws(KeychainError) {
        try answer(ConfirmPasscodeRequest(passcode, with: token))
    }
}

/// Tries the passcode and unlocks nothing.
package struct VerifyPasscodeRequest: EnclaveRequest {
    package static let description = RequestDescription(66, from: .owner, on: .passcodes(), answer: .nothing)

    package let passcode: SecretBytes

    package init(_ passcode: SecretBytes) {
        self.passcode = passcode
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { passcode = try reader.secret() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(passcode) }
}

extension EnclaveControl {
    /// - Throws: as `unlock`.
    package func verify(_ passcode: SecretBytes) throws(KeychainError) { try answer(VerifyPasscodeRequest(passcode)) }
}

/// Authorizes one operation. The answer is the token for it.
package struct AuthorizeRequest: EnclaveRequest {
    package static let description = RequestDescription(67, from: .owner, on: .passcodes(), answer: .token)

    package let operation: GuardedOperation
    package let passcode: SecretBytes?

    package init(_ operation: GuardedOperation, passcode: SecretBytes?) {
        self.operation = operation
        self.passcode = passcode
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        operation = try reader.operation()
        passcode = try reader.optionalSecret()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(operation.rawValue)
        try writer.append(optional: passcode)
    }
}

extension EnclaveControl {
    /// An authorization of one operation, once, within a minute.
    ///
    /// - Parameter passcode: nil where the caller is root, or where there is none and no service keeps programs apart. Where
    ///   one does, a passcode counts that is confirmed, and only for the operations that take one.
    /// - Throws: as `unlock`; `authenticationFailed` where a passcode is needed, or none is enough.
    package func authorize(
        _ operation: GuardedOperation,
        passcode: SecretBytes?
    ) throws(KeychainError) -> AuthorizationToken {
        try answer(AuthorizeRequest(operation, passcode: passcode))
    }
}

package struct ChangeSettingsRequest: EnclaveRequest {
    package static let description = RequestDescription(68, from: .owner, on: .passcodes(), answer: .nothing)

    package let settings: LockSettings
    package let passcode: SecretBytes?
    package let token: AuthorizationToken?

    package init(_ settings: LockSettings, passcode: SecretBytes?, with token: AuthorizationToken? = nil) {
        self.settings = settings
        self.passcode = passcode
        self.token = token
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        settings = try reader.settings()
        passcode = try reader.optionalSecret()
        token = try reader.optionalToken()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(settings)
        try writer.append(optional: passcode)
        writer.append(optional: token)
    }
}

extension EnclaveControl {
    /// - Parameters:
    ///   - passcode: needed to make the keychain lock later than it does.
    ///   - token: for `changeSettings`. Where a service keeps the owner's programs apart it is needed to have keys destroyed
    ///     after wrong passcodes, and to lock later where the passcode is not confirmed.
    /// - Throws: as `unlock`; `authenticationFailed` where the passcode or the token is missing.
    package func change(
        _ settings: LockSettings,
        passcode: SecretBytes?,
        with token: AuthorizationToken? = nil
    ) throws(KeychainError) {
        try answer(ChangeSettingsRequest(settings, passcode: passcode, with: token))
    }
}
