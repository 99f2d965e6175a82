import Crypto
package import SwiftASN1

/// A public key: RSA, a point on one of NIST's curves, or Ed25519.
///
/// An Ed25519 key is read, compared and described. No algorithm of the keychain uses one.
package struct PublicKey: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Both numbers big-endian, without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// The coordinates big-endian, as long as the curve's field.
        case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
        /// RFC 8032, section 5.1.5.
        case ed25519
    }

    package let kind: Kind
    /// The key alone: RSAPublicKey (PKCS #1) in DER, an uncompressed point (X9.63), or the 32 bytes of an Ed25519 key. It is
    /// also what the BIT STRING of a certificate's SubjectPublicKeyInfo contains.
    package let externalRepresentation: [UInt8]

    /// The smallest and the largest modulus in bits. Below, a key protects nothing; above, it only costs time.
    private static let modulusSizes = 512...16384

    /// Reads an RSAPublicKey (RFC 8017, appendix A.1.1).
    ///
    /// - Returns: nil for anything else, also for one with something behind it, and for numbers with which there is no RSA.
    package init?(rsa bytes: [UInt8]) {
        guard let (modulus, exponent) = try? Self.rsaNumbers(bytes) else { return nil }
        kind = .rsa(modulus: modulus, exponent: exponent)
        externalRepresentation = bytes
        // Both are odd in every RSA key, and 1 would encrypt nothing.
        guard Self.modulusSizes.contains(sizeInBits), exponent.count <= modulus.count, exponent != [1],
            let lowest = modulus.last, let lowestOfExponent = exponent.last, lowest & lowestOfExponent & 1 == 1
        else { return nil }
    }

    /// Reads an uncompressed point.
    ///
    /// - Returns: nil for anything else, also for a point that is not on the curve of its length.
    package init?(point bytes: [UInt8]) {
        guard
            let curve = EllipticCurve.allCases.first(where: { bytes.count == 1 + 2 * $0.coordinateSize }),
            curve.hasPoint(bytes)
        else { return nil }
        let coordinates = bytes.dropFirst()
        kind = .ellipticCurve(
            curve,
            x: Array(coordinates.prefix(curve.coordinateSize)),
            y: Array(coordinates.dropFirst(curve.coordinateSize))
        )
        externalRepresentation = bytes
    }

    /// Reads an Ed25519 key of 32 bytes.
    ///
    /// - Returns: nil for another length.
    package init?(ed25519 bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        kind = .ed25519
        externalRepresentation = bytes
    }

    private static func rsaNumbers(_ bytes: [UInt8]) throws -> ([UInt8], [UInt8]) {
        try DER.sequence(DER.parse(bytes), identifier: .sequence) { nodes in
            guard let modulus = nodes.next()?.positiveInteger, let exponent = nodes.next()?.positiveInteger else {
                throw Malformed()
            }
            return (modulus, exponent)
        }
    }

    /// The size by which a key is named: of the modulus, or of the curve.
    package var sizeInBits: Int {
        switch kind {
        case .rsa(let modulus, _): modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        case .ellipticCurve(let curve, _, _): curve.sizeInBits
        case .ed25519: 256
        }
    }

    /// The bytes of the modulus or of a coordinate.
    package var blockSize: Int { (sizeInBits + 7) / 8 }

    /// SHA-1 of the external representation, by which keys and certificates find each other.
    package var applicationLabel: [UInt8] { Self.applicationLabel(of: externalRepresentation) }

    package static func applicationLabel(of externalRepresentation: [UInt8]) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: externalRepresentation))
    }
}

extension ASN1Node {
    /// The bytes of an INTEGER above zero, without leading zeros; nil for all else, and for one that is longer than it has
    /// to be.
    package var positiveInteger: [UInt8]? {
        guard identifier == .integer, case .primitive(let bytes) = content, let first = bytes.first, first < 0x80
        else { return nil }
        guard first == 0 else { return Array(bytes) }
        let rest = Array(bytes.dropFirst())
        guard let second = rest.first, second >= 0x80 else { return nil }
        return rest
    }
}
