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

    /// The attributes that the object itself says, in the form in which items have them; none for a certificate that
    /// cannot be read.
    package var derivedAttributes: [(AttributeKey, AttributeValue)] {
        switch self {
        case .certificate(let der): CertificateContents(der: der)?.attributes ?? []
        case .publicKey(let key): key.attributes
        case .identity: []
        }
    }
}

extension CertificateContents {
    fileprivate var attributes: [(AttributeKey, AttributeValue)] {
        [
            ("ctyp", .integer(Int64(version))),
            // DER.
            ("cenc", .integer(3)),
            ("subj", .data(subject.normalizedContent)),
            (.issuer, .data(issuer.normalizedContent)),
            (.serialNumber, .data(serialNumber)),
            (.publicKeyHash, .data(publicKeyHash)),
        ] + (subjectKeyIdentifier.map { [(.subjectKeyID, .data($0))] } ?? [])
    }
}

extension PublicKey {
    fileprivate var attributes: [(AttributeKey, AttributeValue)] {
        let isRSA = if case .rsa = kind { true } else { false }
        let flags: [(AttributeKey, Bool)] = [
            // Also of a public key: the class tells the halves apart.
            (.isPrivate, true),
            ("perm", true), ("modi", true), ("sens", false), ("asen", false), ("extr", true), ("next", false),
            ("encr", true), ("decr", isRSA), ("drve", false), ("sign", false), ("vrfy", true),
            ("snrc", false), ("vyrc", false), ("wrap", true), ("unwp", false),
        ]
        return [
            (.keyClass, .integer(0)),
            (.applicationLabel, .data(applicationLabel)),
            ("type", .integer(isRSA ? 42 : 73)),
            ("bsiz", .integer(Int64(sizeInBits))),
            ("esiz", .integer(Int64(sizeInBits))),
        ] + flags.map { ($0, .integer($1 ? 1 : 0)) }
    }
}
