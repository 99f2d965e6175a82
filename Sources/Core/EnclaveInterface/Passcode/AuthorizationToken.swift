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
    /// Who belongs to the circle of this keychain's devices.
    case synchronize = 9

    /// Whether a confirmed passcode is enough for it. For the others the system has to have authenticated the person.
    package var takesPasscode: Bool {
        switch self {
        case .backup, .restore, .export, .rotateKeys, .synchronize: true
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
