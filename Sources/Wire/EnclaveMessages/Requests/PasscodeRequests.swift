package import EnclaveInterface
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
