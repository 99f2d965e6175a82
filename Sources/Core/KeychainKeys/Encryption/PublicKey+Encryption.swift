import CryptoExtras
package import KeychainCertificates
package import KeychainModel

extension PublicKey {
    /// Encrypts.
    ///
    /// - Returns: for RSA as many bytes as the modulus has, and with AES-GCM the ciphertext and a tag of 16 bytes behind it;
    ///   for ECIES a point, the ciphertext and the tag.
    /// - Throws: `invalidParameter` for an algorithm that is not for encrypting with such a key, and for data that does not
    ///   fit: with PKCS #1 padding 11 bytes less than the modulus, with OAEP two digests and 2 less. `unimplemented` for
    ///   what is missing (`Gap`).
    package func encrypted(
        _ plaintext: [UInt8],
        _ algorithm: KeyAlgorithm,
        _ parameters: CipherParameters = CipherParameters()
    ) throws(KeychainError) -> [UInt8] {
        try algorithm.require(.encrypt, by: keyKind)
        switch (kind, algorithm) {
        case (.rsa, .rsaEncryption(.none)): return try encryptedRaw(plaintext)
        case (.rsa, .rsaEncryption(.pkcs1)):
            guard fillsBytes else { return try encrypted(plaintext, .pkcs1, limit: blockSize - 11) }
            return try encrypted(plaintext, _RSA.Encryption.Padding._WEAK_AND_INSECURE_PKCS_V1_5, limit: blockSize - 11)
        case (.rsa, .rsaEncryption(.oaep(let hash))): return try encrypted(plaintext, oaep: hash)
        case (.rsa, .rsaEncryptionAESGCM(let hash)): return try encryptedUnderSessionKey(plaintext, hash, parameters)
        case (.ellipticCurve(let curve, _, _), .eciesEncryption(_, let hash, let vector)):
            return try ECIES(curve: curve, hash: hash, vector: vector, parameters: parameters)
                .encrypt(plaintext, for: self)
        default: throw algorithm.mistaken
        }
    }

    private func encrypted(_ plaintext: [UInt8], oaep hash: KeyHash) throws(KeychainError) -> [UInt8] {
        let limit = blockSize - 2 * hash.size - 2
        return switch (hash, fillsBytes) {
        case (.sha1, true): try encrypted(plaintext, _RSA.Encryption.Padding.PKCS1_OAEP, limit: limit)
        case (.sha256, true): try encrypted(plaintext, _RSA.Encryption.Padding.PKCS1_OAEP_SHA256, limit: limit)
        default: try encrypted(plaintext, Libcrypto.Padding.oaep(hash), limit: limit)
        }
    }

    /// Whether the size is a multiple of 8 bits. swift-crypto encrypts with no other keys.
    private var fillsBytes: Bool { sizeInBits.isMultiple(of: 8) }

    /// The operation itself (RFC 8017, section 5.1.1), on a number: zeros are put in front.
    private func encryptedRaw(_ number: [UInt8]) throws(KeychainError) -> [UInt8] {
        try requireUsableExponent()
        guard number.count <= blockSize else { throw Self.tooLong }
        let block = [UInt8](repeating: 0, count: blockSize - number.count) + number
        guard let ciphertext = try Libcrypto().encrypted(block, by: self, .none) else {
            throw KeychainError(.invalidParameter, "the number is not below the key's modulus")
        }
        return ciphertext
    }

    private func encrypted(
        _ plaintext: [UInt8],
        _ padding: Libcrypto.Padding,
        limit: Int
    ) throws(KeychainError) -> [UInt8] {
        try requireUsableExponent()
        guard plaintext.count <= limit else { throw Self.tooLong }
        guard let ciphertext = try Libcrypto().encrypted(plaintext, by: self, padding) else {
            throw KeychainError(.internalError, "nothing could be encrypted")
        }
        return ciphertext
    }

    private static var tooLong: KeychainError {
        KeychainError(.invalidParameter, "more data than the key encrypts at once")
    }

    private func encrypted(
        _ plaintext: [UInt8],
        _ padding: _RSA.Encryption.Padding,
        limit: Int
    ) throws(KeychainError) -> [UInt8] {
        try requireUsableExponent()
        // swift-crypto ends the program over some blocks that are too long, and not only the call.
        guard plaintext.count <= limit else { throw Self.tooLong }
        guard let key = try? _RSA.Encryption.PublicKey(unsafeDERRepresentation: externalRepresentation),
            let ciphertext = try? key.encrypt(plaintext, padding: padding)
        else { throw KeychainError(.internalError, "nothing could be encrypted") }
        return Array(ciphertext)
    }

    /// A new AES key in OAEP, then AES-GCM under that key, which authenticates the RSA key too.
    private func encryptedUnderSessionKey(
        _ plaintext: [UInt8],
        _ hash: KeyHash,
        _ parameters: CipherParameters
    ) throws(KeychainError) -> [UInt8] {
        let size = try parameters.keySize(default: SealedByAES.sessionKeySize(rsaBits: sizeInBits))
        let sessionKey = SecretBytes.random(count: size)
        var bytes = unsafe sessionKey.withUnsafeBytes { unsafe Array($0) }
        defer { bytes.zero() }
        return try encrypted(bytes, oaep: hash)
            + SealedByAES.seal(
                plaintext,
                key: sessionKey,
                vector: SealedByAES.zeroVector,
                authenticating: parameters.additionalData ?? externalRepresentation
            )
    }
}
