import Crypto
import Foundation
package import KeychainCertificates
package import KeychainModel

/// A private key on a curve, in this process.
package struct CurvePrivateKey: PrivateKeyOperations {
    private enum Backing {
        case p256(P256.Signing.PrivateKey, P256.KeyAgreement.PrivateKey)
        case p384(P384.Signing.PrivateKey, P384.KeyAgreement.PrivateKey)
        case p521(P521.Signing.PrivateKey, P521.KeyAgreement.PrivateKey)
    }

    private let backing: Backing
    package let publicKey: PublicKey
    private let point: [UInt8]
    /// The private number, big-endian, as long as a coordinate.
    package let number: SecretBytes

    /// The key of a number.
    ///
    /// - Parameter number: as long as a coordinate of the curve, above zero and below the curve's order.
    /// - Throws: `invalidParameter` for any other.
    package init(_ curve: EllipticCurve, number: SecretBytes) throws(KeychainError) {
        guard number.count == curve.coordinateSize else { throw Self.malformed }
        let made: (Backing, [UInt8])? = unsafe number.withUnsafeBytes { bytes in
            switch curve {
            case .p256:
                guard let signing = try? unsafe P256.Signing.PrivateKey(rawRepresentation: bytes),
                    let agreement = try? unsafe P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
                else { return nil }
                return (.p256(signing, agreement), Array(signing.publicKey.x963Representation))
            case .p384:
                guard let signing = try? unsafe P384.Signing.PrivateKey(rawRepresentation: bytes),
                    let agreement = try? unsafe P384.KeyAgreement.PrivateKey(rawRepresentation: bytes)
                else { return nil }
                return (.p384(signing, agreement), Array(signing.publicKey.x963Representation))
            case .p521:
                guard let signing = try? unsafe P521.Signing.PrivateKey(rawRepresentation: bytes),
                    let agreement = try? unsafe P521.KeyAgreement.PrivateKey(rawRepresentation: bytes)
                else { return nil }
                return (.p521(signing, agreement), Array(signing.publicKey.x963Representation))
            }
        }
        guard let (backing, point) = made, let publicKey = PublicKey(point: point) else { throw Self.malformed }
        self.backing = backing
        self.publicKey = publicKey
        self.point = point
        self.number = number
    }

    /// A new key.
    package init(generatedOn curve: EllipticCurve) throws(KeychainError) {
        var number =
            switch curve {
            case .p256: P256.Signing.PrivateKey(compactRepresentable: false).rawRepresentation
            case .p384: P384.Signing.PrivateKey(compactRepresentable: false).rawRepresentation
            case .p521: P521.Signing.PrivateKey(compactRepresentable: false).rawRepresentation
            }
        try self.init(curve, number: SecretBytes(movingBytesOf: &number))
    }

    /// Reads 04, both coordinates and the private number, each as long as a coordinate (X9.63).
    ///
    /// - Throws: `invalidParameter` for anything else, and for a number that has another point.
    package init(externalRepresentation bytes: SecretBytes) throws(KeychainError) {
        guard let curve = EllipticCurve.allCases.first(where: { bytes.count == 1 + 3 * $0.coordinateSize }) else {
            throw Self.malformed
        }
        let start = 1 + 2 * curve.coordinateSize
        try self.init(curve, number: bytes.part(start..<bytes.count))
        guard bytes.part(0..<start).isEqual(to: SecretBytes(point)) else { throw Self.malformed }
    }

    /// 04, both coordinates and the private number.
    package var externalRepresentation: SecretBytes {
        SecretBytes(point, number)
    }

    package func signature(ofDigest digest: [UInt8]) throws(KeychainError) -> [UInt8] {
        let digest = AnyDigest(bytes: digest)
        let signature =
            switch backing {
            case .p256(let key, _): try? key.signature(for: digest).rawRepresentation
            case .p384(let key, _): try? key.signature(for: digest).rawRepresentation
            case .p521(let key, _): try? key.signature(for: digest).rawRepresentation
            }
        guard let signature else { throw KeychainError(.internalError, "nothing could be signed") }
        return Array(signature)
    }

    package func sharedSecret(with peer: PublicKey) throws(KeychainError) -> SecretBytes {
        let point = peer.externalRepresentation
        let secret =
            switch backing {
            case .p256(_, let key):
                try? key.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: point))
            case .p384(_, let key):
                try? key.sharedSecretFromKeyAgreement(with: P384.KeyAgreement.PublicKey(x963Representation: point))
            case .p521(_, let key):
                try? key.sharedSecretFromKeyAgreement(with: P521.KeyAgreement.PublicKey(x963Representation: point))
            }
        guard let secret else {
            throw KeychainError(.invalidParameter, "the other key is not on the curve of this one")
        }
        return unsafe secret.withUnsafeBytes { bytes in unsafe SecretBytes(bytes) }
    }

    private static var malformed: KeychainError {
        KeychainError(.invalidParameter, "the bytes are no private key on a curve")
    }
}
