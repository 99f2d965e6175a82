package import KeychainCertificates

/// The object of `kSecValueRef`: what an item can be made of, and found by.
package enum ItemReference: Sendable, Equatable {
    /// A certificate in DER.
    case certificate([UInt8])
    case publicKey(PublicKey)
    /// A certificate and its private key.
    case identity

    package var itemClass: ItemClass {
        switch self {
        case .certificate: .certificate
        case .publicKey: .key
        case .identity: .identity
        }
    }

    /// What the object itself says, in the form in which items have it.
    ///
    /// - Throws: `undecodable` for a certificate that cannot be read; `unimplemented` for an identity.
    var derivedAttributes: DerivedAttributes {
        get throws(KeychainError) {
            switch self {
            case .certificate(let der):
                guard let contents = CertificateContents(der: der) else {
                    throw KeychainError(.undecodable, "the certificate cannot be read")
                }
                return DerivedAttributes(certificate: contents, der: der)
            case .publicKey(let key): return DerivedAttributes(publicKey: key)
            case .identity:
                throw KeychainError(.unimplemented, "identities are not taken from kSecValueRef yet")
            }
        }
    }
}
