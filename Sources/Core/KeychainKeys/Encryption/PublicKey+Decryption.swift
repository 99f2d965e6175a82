package import KeychainCertificates
package import KeychainModel

extension PublicKey {
    /// Opens what the RSA private key has signed or encrypted: the operation of the public key, and then the padding of
    /// a ciphertext taken off. Nothing about it is secret.
    ///
    /// - Returns: without padding, as many bytes as the modulus has.
    /// - Throws: `invalidParameter` for an algorithm or a key that is not for it, and for bytes that do not open;
    ///   `unimplemented` without libcrypto.
    package func decrypted(_ block: [UInt8], _ algorithm: KeyAlgorithm) throws(KeychainError) -> SecretBytes {
        try algorithm.require(.decrypt, by: keyKind)
        guard algorithm.opensByPublicKey, case .rsaEncryption(let padding) = algorithm else {
            throw KeychainError(.invalidParameter, "a public key does not decrypt with the algorithm")
        }
        try requireUsableExponent()
        guard block.count == blockSize, let opened = try Libcrypto().encrypted(block, by: self, .none) else {
            throw KeychainError.wrongRSAInput
        }
        let message: SecretBytes? =
            switch padding {
            case .none: SecretBytes(opened)
            case .pkcs1: Self.message(inPKCS1: opened)
            case .oaep(let hash): try OAEP.message(in: SecretBytes(opened), hash)
            }
        guard let message else { throw KeychainError.wrongRSAInput }
        return message
    }

    /// What stands behind the padding of a ciphertext (RFC 8017, section 7.2.2); nil if it is not right.
    private static func message(inPKCS1 block: [UInt8]) -> SecretBytes? {
        guard block.starts(with: [0, 2]), let zero = block.dropFirst(2).firstIndex(of: 0), zero >= 10 else {
            return nil
        }
        return SecretBytes(block[(zero + 1)...])
    }
}
