import SwiftASN1

/// The public key of a certificate with its algorithm (RFC 5280, section 4.1.2.7), known or not.
package struct SubjectPublicKeyInfo: Sendable {
    package let algorithm: AlgorithmIdentifier
    /// The bytes of the BIT STRING.
    package let key: ArraySlice<UInt8>
    /// Whether the last byte counts as a whole, as it does in every key that is known here.
    private let hasWholeBytes: Bool

    init(_ node: ASN1Node) throws {
        let (algorithm, bits) = try DER.sequence(node, identifier: .sequence) { nodes in
            guard let algorithm = nodes.next(), let key = nodes.next() else { throw Malformed() }
            return (try AlgorithmIdentifier(algorithm), try ASN1BitString(derEncoded: key))
        }
        self.algorithm = algorithm
        key = bits.bytes
        hasWholeBytes = bits.paddingBits == 0
    }

    /// The key, if it is of a known kind: RSA, a point on P-256, P-384 or P-521, or Ed25519.
    package var publicKey: PublicKey? {
        guard hasWholeBytes else { return nil }
        switch algorithm.algorithm {
        case .rsaEncryption: return PublicKey(rsa: Array(key))
        case .ellipticCurvePublicKey:
            guard let parameters = algorithm.parameters, let curve = Self.curve(parameters),
                let publicKey = PublicKey(point: Array(key)), publicKey.sizeInBits == curve.sizeInBits
            else { return nil }
            return publicKey
        // RFC 8410, section 3: there are no parameters.
        case .ed25519: return algorithm.parameters == nil ? PublicKey(ed25519: Array(key)) : nil
        default: return nil
        }
    }

    private static func curve(_ parameters: ArraySlice<UInt8>) -> EllipticCurve? {
        switch try? OID(DER.parse(parameters)) {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        default: nil
        }
    }
}
