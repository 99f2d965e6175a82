package import KeychainCertificates
package import KeychainModel

/// What a private key on a curve does, wherever it is: in this process, or in one that never gives it away.
///
/// All else is composed on top of it: messages and their digests, DER, key exchange with derivation, ECIES. An
/// implementation sends at most a digest or a point to the key's holder.
package protocol PrivateKeyOperations: Sendable {
    /// The other half, on a curve.
    var publicKey: PublicKey { get }

    /// Signs a digest with ECDSA (FIPS 186-5, section 6.4.1).
    ///
    /// - Parameter digest: what `EllipticCurve.representative(of:)` makes of a digest: for P-256 always 32 bytes, for
    ///   P-384 always 48, for P-521 1 to 66.
    /// - Returns: r and s, each as long as a coordinate. The code that builds on it checks their range.
    func signature(ofDigest digest: [UInt8]) throws(KeychainError) -> [UInt8]

    /// The X coordinate of the point that both keys lead to (SEC 1, section 3.3.1), as long as a coordinate.
    ///
    /// - Parameter peer: a point on the same curve.
    func sharedSecret(with peer: PublicKey) throws(KeychainError) -> SecretBytes
}

extension PrivateKeyOperations {
    /// The curve of the key.
    ///
    /// - Throws: `internalError` if the public key is no point.
    package var curve: EllipticCurve {
        get throws(KeychainError) {
            guard case .ellipticCurve(let curve, _, _) = publicKey.kind else {
                throw KeychainError(.internalError, "a key that is on no curve was given as one")
            }
            return curve
        }
    }

    /// The shared secret, which may come from another process, which may be broken.
    func checkedSecret(with peer: PublicKey) throws(KeychainError) -> SecretBytes {
        let secret = try sharedSecret(with: peer)
        guard secret.count == (try curve.coordinateSize) else {
            throw KeychainError(.internalError, "the key made no shared secret")
        }
        return secret
    }
}

extension EllipticCurve {
    /// A digest as ECDSA counts it: its first bytes where it is longer than the curve's order (FIPS 186-5, section
    /// 6.4.1), and with zeros in front of it where it is shorter, which does not change the number. On P-521 nothing is
    /// put in front: its order does not fill its bytes, and bits would be taken from the wrong end.
    package func representative(of digest: [UInt8]) -> [UInt8] {
        let first = Array(digest.prefix(coordinateSize))
        guard sizeInBits.isMultiple(of: 8) else { return first }
        return [UInt8](repeating: 0, count: coordinateSize - first.count) + first
    }
}
