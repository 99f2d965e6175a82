import KeychainModel

/// What swift-crypto, from which all cryptography here is composed, cannot do; and so what is unimplemented.
///
/// This is the whole list. `KeyAlgorithm.availability(of:by:)` says which algorithms meet which gap (docs/keys.md).
package enum Gap: Sendable, CaseIterable {
    /// SHA-224 cannot be computed: no messages, no PSS, no OAEP, no derivation with it.
    case sha224
    /// There is no RSA public-key operation without padding: nothing can be encrypted, and no signature be opened, with a
    /// padding of our own.
    case rawPublicOperation
    /// Nothing encrypts with OAEP but for SHA-1 and SHA-256: see `rawPublicOperation`.
    case oaepEncryption
    /// RSA keys below 1024 and above 8192 bits.
    case rsaSize
    /// RSA keys with a public exponent of more than 33 bits.
    case rsaExponent
    /// Encryption with RSA keys whose bits do not fill their bytes.
    case rsaPartialByte
    /// New RSA keys of a size that is no multiple of 128 bits.
    case rsaGeneratedSize

    var error: KeychainError {
        let message =
            switch self {
            case .sha224: "SHA-224 cannot be computed here"
            case .rawPublicOperation: "RSA without padding is not done with public keys"
            case .oaepEncryption: "OAEP with this hash function decrypts and does not encrypt"
            case .rsaSize: "RSA keys of this size are not used"
            case .rsaExponent: "RSA keys with so large a public exponent are not used"
            case .rsaPartialByte: "RSA keys of this size do not encrypt: it is no multiple of 8 bits"
            case .rsaGeneratedSize: "RSA keys of this size are not made: they have 1024 to 8192 bits, a multiple of 128"
            }
        return KeychainError(.unimplemented, message)
    }
}
