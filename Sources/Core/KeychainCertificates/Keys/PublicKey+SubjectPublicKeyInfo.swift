package import SwiftASN1

extension PublicKey {
    /// Reads a SubjectPublicKeyInfo (RFC 5280, section 4.1) that stands alone.
    ///
    /// - Returns: nil for anything else, for a kind of key that cannot be used, and for RSA with other parameters than NULL
    ///   (RFC 3279, section 2.3.1).
    package init?(subjectPublicKeyInfo bytes: [UInt8]) {
        guard let info = try? SubjectPublicKeyInfo(DER.parse(bytes)), let key = info.publicKey else { return nil }
        if case .rsa = key.kind, info.algorithm.parameters.map(Array.init) != [5, 0] { return nil }
        self = key
    }

    /// The key as SubjectPublicKeyInfo in DER: for RSA with the parameters NULL, for points with the curve's name (RFC 5480,
    /// section 2.1.1), for Ed25519 without parameters (RFC 8410, section 3).
    package var subjectPublicKeyInfo: [UInt8] {
        var serializer = DER.Serializer()
        // Writing identifiers that are known does not fail.
        try? serializer.appendConstructedNode(identifier: .sequence) { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                switch kind {
                case .rsa:
                    try coder.serialize([1, 2, 840, 113549, 1, 1, 1] as ASN1ObjectIdentifier)
                    try coder.serialize(ASN1Null())
                case .ellipticCurve(let curve, _, _):
                    try coder.serialize([1, 2, 840, 10045, 2, 1] as ASN1ObjectIdentifier)
                    try coder.serialize(curve.identifier)
                case .ed25519: try coder.serialize([1, 3, 101, 112] as ASN1ObjectIdentifier)
                }
            }
            try coder.serialize(ASN1BitString(bytes: externalRepresentation[...]))
        }
        return serializer.serializedBytes
    }
}

extension EllipticCurve {
    /// The name of the curve (RFC 5480, section 2.1.1.1).
    package var identifier: ASN1ObjectIdentifier {
        switch self {
        case .p256: [1, 2, 840, 10045, 3, 1, 7]
        case .p384: [1, 3, 132, 0, 34]
        case .p521: [1, 3, 132, 0, 35]
        }
    }
}
