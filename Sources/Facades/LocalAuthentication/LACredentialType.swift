/// What an application can give a context in the person's place.
@nonexhaustive(warn)
public enum LACredentialType: Int, Sendable {
    /// The password that an access control with `applicationPassword` asks for.
    case applicationPassword = 0
    /// The PIN of a smart card.
    case smartCardPIN = -3
}

// MARK: The numbers of the types

/// `LACredentialType.applicationPassword`.
public var kLACredentialTypeApplicationPassword: Int32 { 0 }

/// `LACredentialType.smartCardPIN`.
public var kLACredentialSmartCardPIN: Int32 { -3 }
