package import KeychainCertificates

/// The attributes and the data of an item that is made of an object.
package struct DerivedAttributes: Sendable {
    /// What tells the object from others, and so finds its item.
    package let telling: [(AttributeKey, AttributeValue)]
    /// Attributes that a search leaves out: somebody may have wished otherwise for the item.
    private let other: [(AttributeKey, AttributeValue)]
    let label: String?
    let data: [UInt8]

    package var all: [(AttributeKey, AttributeValue)] { telling + other }

    init(certificate contents: CertificateContents, der: [UInt8]) {
        let keyID = contents.subjectKeyIdentifier.map { [(AttributeKey.subjectKeyID, AttributeValue.data($0))] }
        telling =
            [
                ("ctyp", .integer(Int64(contents.version))),
                // DER.
                ("cenc", .integer(3)),
                ("subj", .data(contents.subject.normalizedContent)),
                (.issuer, .data(contents.issuer.normalizedContent)),
                (.serialNumber, .data(contents.serialNumber)),
                (.publicKeyHash, .data(contents.publicKeyHash)),
            ] + (keyID ?? [])
        other = []
        label = contents.summary
        data = der
    }

    package init(publicKey key: PublicKey) {
        let isRSA = if case .rsa = key.kind { true } else { false }
        telling = [
            (.keyClass, .integer(0)),
            (.applicationLabel, .data(key.applicationLabel)),
            ("type", .integer(isRSA ? 42 : 73)),
            ("bsiz", .integer(Int64(key.sizeInBits))),
            ("esiz", .integer(Int64(key.sizeInBits))),
        ]
        let flags: [(AttributeKey, Bool)] = [
            // Also of a public key: the class tells the halves apart.
            (.isPrivate, true),
            ("perm", true), ("modi", true), ("sens", false), ("asen", false), ("extr", true), ("next", false),
            ("encr", true), ("decr", isRSA), ("drve", false), ("sign", false), ("vrfy", true),
            ("snrc", false), ("vyrc", false), ("wrap", true), ("unwp", false),
        ]
        other = flags.map { ($0, .integer($1 ? 1 : 0)) }
        label = nil
        data = key.externalRepresentation
    }
}
