import KeychainModel

/// What neither swift-crypto nor OpenSSL's libcrypto do here; and so what is unimplemented.
///
/// This is the whole list. `KeyAlgorithm.availability(of:by:)` says which algorithms meet which gap (docs/keys.md).
package enum Gap: Sendable, CaseIterable {
    /// OpenSSL's libcrypto is not on this system: there is no SHA-224, no RSA public-key operation with a padding that
    /// swift-crypto does not have, and no new RSA key of a size that is no multiple of 128 bits.
    case library
    /// RSA keys below 1024 and above 8192 bits.
    case rsaSize
    /// RSA keys with a public exponent of more than 33 bits.
    case rsaExponent
    /// Decryption of PKCS #1 padding with RSA keys whose bits do not fill their bytes.
    case rsaPartialByte

    var error: KeychainError {
        let message =
            switch self {
            case .library: "this needs OpenSSL's libcrypto, which is not here"
            case .rsaSize: "RSA keys of this size are not used"
            case .rsaExponent: "RSA keys with so large a public exponent are not used"
            case .rsaPartialByte:
                "RSA keys of this size do not decrypt PKCS #1 padding: it is no multiple of 8 bits"
            }
        return KeychainError(.unimplemented, message)
    }
}
