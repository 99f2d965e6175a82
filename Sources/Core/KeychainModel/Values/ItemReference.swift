package import KeychainCertificates

/// The object of `kSecValueRef`: what an item can be made of, and found by.
package indirect enum ItemReference: Sendable {
    /// A certificate in DER.
    case certificate([UInt8])
    case publicKey(PublicKey)
    /// A private key, with its external representation.
    case privateKey(of: PublicKey, SecretBytes)
    /// A private key of the enclave's, on P-256.
    case enclaveKey(of: PublicKey, EnclaveKey)
    /// A certificate in DER, and its private key.
    case identity(certificate: [UInt8], key: ItemReference)

    package var itemClass: ItemClass {
        switch self {
        case .certificate: .certificate
        case .publicKey, .privateKey, .enclaveKey: .key
        case .identity: .identity
        }
    }

    /// What the object itself says, in the form in which items have it.
    ///
    /// - Throws: `undecodable` for a certificate that cannot be read.
    package var derivedAttributes: DerivedAttributes {
        get throws(KeychainError) {
            switch self {
            case .certificate(let der):
                guard let contents = CertificateContents(der: der) else {
                    throw KeychainError(.undecodable, "the certificate cannot be read")
                }
                return DerivedAttributes(certificate: contents, der: der)
            case .publicKey(let key): return DerivedAttributes(publicKey: key)
            case .privateKey(let publicKey, let representation):
                return DerivedAttributes(privateKeyOf: publicKey, representation)
            case .enclaveKey(let publicKey, let key): return DerivedAttributes(enclaveKey: key, of: publicKey)
            case .identity(let certificate, let key):
                return try DerivedAttributes(
                    identity: ItemReference.certificate(certificate).derivedAttributes,
                    key: key.derivedAttributes
                )
            }
        }
    }
}
