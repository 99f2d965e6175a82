package import KeychainCertificates
package import KeychainModel

/// A private key that is elsewhere, as what asks for its use. It is for those who cannot conform to a protocol of this module.
package struct RemotePrivateKey: PrivateKeyOperations {
    package let publicKey: PublicKey
    private let sign: @Sendable ([UInt8]) throws(KeychainError) -> [UInt8]
    private let agree: @Sendable (PublicKey) throws(KeychainError) -> SecretBytes

    /// - Parameters:
    ///   - sign: what `signature(ofDigest:)` does.
    ///   - agree: what `sharedSecret(with:)` does.
    package init(
        _ publicKey: PublicKey,
        sign: @escaping @Sendable ([UInt8]) throws(KeychainError) -> [UInt8],
        agree: @escaping @Sendable (PublicKey) throws(KeychainError) -> SecretBytes
    ) {
        self.publicKey = publicKey
        self.sign = sign
        self.agree = agree
    }

    package func signature(ofDigest digest: [UInt8]) throws(KeychainError) -> [UInt8] { try sign(digest) }

    package func sharedSecret(with peer: PublicKey) throws(KeychainError) -> SecretBytes { try agree(peer) }
}
