/// A wish for a new private key that never leaves the enclave. It is P-256.
package struct MakeKeyRequest: Sendable {
    /// Nil for the caller's first.
    package var accessGroup: String?
    /// Nil for an item's default without demands.
    package var accessControl: AccessControl?
    package var authentication = ItemAuthentication()

    package init() {}
}

/// What a private key of the enclave is to do.
package struct UseKeyRequest: Sendable {
    package var key: EnclaveKey
    package var use: KeyUse
    package var authentication = ItemAuthentication()

    package init(key: EnclaveKey, use: KeyUse) {
        self.key = key
        self.use = use
    }
}

package enum KeyUse: Sendable {
    /// ECDSA (FIPS 186-5, section 6.4.1) of a digest of 32 bytes; the result is r and s, 32 bytes each.
    case signature(ofDigest: [UInt8])
    /// ECDH with another's public key (X9.63, 65 bytes); the result is the X coordinate, 32 bytes.
    case sharedSecret(with: [UInt8])

    /// The size of a digest. The caller cuts a longer one, or puts zeros before a shorter one, as ECDSA does with P-256.
    package static let digestSize = 32
    package static let pointSize = 65

    package var isOfRightSize: Bool {
        switch self {
        case .signature(let digest): digest.count == Self.digestSize
        case .sharedSecret(let point): point.count == Self.pointSize
        }
    }
}
