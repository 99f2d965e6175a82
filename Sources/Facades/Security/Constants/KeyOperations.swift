public import CoreFoundationAliases
public import Foundation

/// What can be done with a key.
public enum SecKeyOperationType: CFIndex, Sendable {
    /// Sign.
    case sign = 0

    /// Verify a signature.
    case verify = 1

    /// Encrypt.
    case encrypt = 2

    /// Decrypt.
    case decrypt = 3

    /// Agree with another key on a secret.
    case keyExchange = 4
}

/// A parameter of a key exchange.
public struct SecKeyKeyExchangeParameter: Hashable, RawRepresentable, @unchecked Sendable {
    // Sendable because the string is copied, and so immutable, before it is kept.

    /// The name of the parameter.
    public let rawValue: CFString

    /// The parameter of a name, whether or not it is known.
    public init(rawValue: CFString) {
        self.rawValue = CFString(string: String(describing: rawValue))
    }

    /// How many bytes to derive; a number.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")

    /// What both sides know and put into the derivation; data.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}
