package import KeychainCertificates

/// The attributes and the data of an item that is made of an object.
package struct DerivedAttributes: Sendable {
    /// What tells the object from others, and so finds its item.
    package let telling: [(AttributeKey, AttributeValue)]
    /// Attributes that a search leaves out: the item may have been added with others.
    private let other: [(AttributeKey, AttributeValue)]
    let label: String?
    package let data: SecretBytes
    /// What an item that is made of it has to have.
    let accessControl: AccessControl?
    let accessGroup: String?

    package var all: [(AttributeKey, AttributeValue)] { telling + other }

    init(certificate contents: CertificateContents, der: [UInt8]) {
        // What the certificate may not have, or not in a form that can be read.
        let subject = contents.subject.map { [(AttributeKey.subject, AttributeValue.data($0.normalizedContent))] }
        let keyID = contents.subjectKeyIdentifier.map { [(AttributeKey.subjectKeyID, AttributeValue.data($0))] }
        telling =
            [
                (.certificateType, .integer(Int64(contents.version))),
                // DER.
                (.certificateEncoding, .integer(3)),
                (.issuer, .data(contents.issuer.normalizedContent)),
                (.serialNumber, .data(contents.serialNumber)),
                (.publicKeyHash, .data(contents.publicKeyHash)),
            ] + (subject ?? []) + (keyID ?? [])
        other = []
        label = contents.summary
        data = SecretBytes(der)
        accessControl = nil
        accessGroup = nil
    }

    package init(publicKey key: PublicKey) {
        let isRSA = key.isRSA
        self.init(
            key,
            keyClass: 0,
            can: [
                (.canEncrypt, key.kind != .ed25519), (.canDecrypt, isRSA), (.canDerive, false), (.canSign, false),
                (.canVerify, true), (.canWrap, key.kind != .ed25519), (.canUnwrap, false),
            ],
            data: SecretBytes(key.externalRepresentation)
        )
    }

    /// - Parameter representation: the private key itself.
    package init(privateKeyOf key: PublicKey, _ representation: SecretBytes) {
        self.init(key, keyClass: 1, can: Self.abilities(ofPrivate: key), data: representation)
    }

    package init(enclaveKey key: EnclaveKey, of publicKey: PublicKey) {
        self.init(
            publicKey,
            keyClass: 1,
            can: Self.abilities(ofPrivate: publicKey),
            data: SecretBytes(key.bytes),
            enclaveKey: key
        )
    }

    /// What finds a certificate and its key among identities. Nothing is added that is both: see
    /// `QueryParser.identityParts(_:)`.
    init(identity certificate: DerivedAttributes, key: DerivedAttributes) {
        let selecting: Set<AttributeKey> = [.issuer, .serialNumber, .subjectKeyID]
        telling =
            certificate.telling.filter { selecting.contains($0.0) }
            + key.telling.filter { $0.0 == .applicationLabel || $0.0 == .keyClass }
        other = []
        label = nil
        data = key.data
        accessControl = nil
        accessGroup = nil
    }

    private static func abilities(ofPrivate key: PublicKey) -> [(AttributeKey, Bool)] {
        [
            (.canEncrypt, false), (.canDecrypt, true), (.canDerive, !key.isRSA), (.canSign, true),
            (.canVerify, false), (.canWrap, false), (.canUnwrap, true),
        ]
    }

    private init(
        _ key: PublicKey,
        keyClass: Int64,
        can abilities: [(AttributeKey, Bool)],
        data: SecretBytes,
        enclaveKey: EnclaveKey? = nil
    ) {
        telling =
            [
                (.keyClass, .integer(keyClass)),
                (.applicationLabel, .data(key.applicationLabel)),
                (.keyType, .integer(key.type)),
                (.keySizeInBits, .integer(Int64(key.sizeInBits))),
                (.effectiveKeySize, .integer(Int64(key.sizeInBits))),
            ] + (enclaveKey == nil ? [] : [(.tokenID, .string(EnclaveKey.tokenID))])
        let leaves = enclaveKey == nil
        let flags: [(AttributeKey, Bool)] =
            [
                // Also of a public key: the class tells the halves apart.
                (.isPrivate, true),
                (.isPermanent, true), (.isModifiable, true), (.isSensitive, !leaves), (.wasAlwaysSensitive, !leaves),
                (.isExtractable, leaves), (.wasNeverExtractable, !leaves), (.canSignRecover, false),
                (.canVerifyRecover, false),
            ] + abilities
        other = flags.map { ($0, .integer($1 ? 1 : 0)) }
        label = nil
        self.data = data
        accessControl = enclaveKey?.header.accessControl
        accessGroup = enclaveKey?.header.accessGroup
    }
}

extension PublicKey {
    fileprivate var isRSA: Bool { if case .rsa = kind { true } else { false } }

    /// The value of `kSecAttrKeyType`.
    fileprivate var type: Int64 {
        switch kind {
        case .rsa: 42
        case .ellipticCurve: 73
        case .ed25519: 105
        }
    }
}
