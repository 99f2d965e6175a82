import CryptoExtras
import KeychainCertificates
package import KeychainModel

extension PrivateKey {
    /// Decrypts.
    ///
    /// RSA without padding returns as many bytes as the modulus has, with the zeros in front.
    ///
    /// **PKCS #1 padding cannot be decrypted safely for other people.** Whatever is wrong, the error is the same. But
    /// that there is an error, how long the plaintext is, and how long it all took, is told; and whoever may send
    /// ciphertexts and learns one of these decrypts with some thousands of questions (Bleichenbacher, "Chosen
    /// Ciphertext Attacks Against Protocols Based on the RSA Encryption Standard PKCS #1", CRYPTO 1998). Only a caller
    /// can stop that, by going on with random bytes after an error; nothing here does.
    ///
    /// - Throws: for bytes that were not encrypted for this key in this way, `invalidParameter` by RSA, always in the same
    ///   words, and `undecodable` by ECIES; `invalidParameter` for an algorithm that is not for decrypting with such a
    ///   key, and for a message of ECIES that is too short; `unimplemented` for what is missing (`Gap`); whatever a key
    ///   that is elsewhere throws.
    package func decrypted(
        _ ciphertext: [UInt8],
        _ algorithm: KeyAlgorithm,
        _ parameters: CipherParameters = CipherParameters()
    ) throws(KeychainError) -> SecretBytes {
        try algorithm.require(.decrypt, by: publicKey.keyKind)
        switch backing {
        case .rsa(let key): return try key.decrypted(ciphertext, algorithm, parameters)
        case .ellipticCurve(let key): return try key.decrypted(ciphertext, algorithm, parameters)
        }
    }
}

extension PrivateKeyOperations {
    /// Decrypts what was encrypted with ECIES. See `PrivateKey.decrypted(_:_:_:)`.
    package func decrypted(
        _ ciphertext: [UInt8],
        _ algorithm: KeyAlgorithm,
        _ parameters: CipherParameters = CipherParameters()
    ) throws(KeychainError) -> SecretBytes {
        let curve = try curve
        try algorithm.require(.decrypt, by: .ellipticCurve(curve))
        guard case .eciesEncryption(_, let hash, let vector) = algorithm else { throw algorithm.mistaken }
        return try ECIES(curve: curve, hash: hash, vector: vector, parameters: parameters).decrypt(
            ciphertext,
            with: self
        )
    }
}

extension RSAPrivateKey {
    fileprivate func decrypted(
        _ ciphertext: [UInt8],
        _ algorithm: KeyAlgorithm,
        _ parameters: CipherParameters
    ) throws(KeychainError) -> SecretBytes {
        let size = publicKey.blockSize
        switch algorithm {
        case .rsaEncryption(let padding):
            guard ciphertext.count == size, let plaintext = try decrypted(ciphertext, padding) else {
                throw KeychainError.wrongRSAInput
            }
            return plaintext
        case .rsaEncryptionAESGCM(let hash):
            guard ciphertext.count >= size + SealedByAES.tagSize else { throw KeychainError.wrongRSAInput }
            let keySize = try parameters.keySize(
                default: SealedByAES.sessionKeySize(rsaBits: publicKey.sizeInBits)
            )
            let carried = try decrypted(Array(ciphertext.prefix(size)), .oaep(hash))
            // A random key, so that a wrong padding is found out no earlier than any other change.
            let key = carried.flatMap { $0.count == keySize ? $0 : nil } ?? SecretBytes.random(count: keySize)
            guard
                let plaintext = SealedByAES.open(
                    ciphertext.dropFirst(size),
                    key: key,
                    vector: SealedByAES.zeroVector,
                    authenticating: parameters.additionalData ?? publicKey.externalRepresentation
                )
            else { throw KeychainError.wrongRSAInput }
            return plaintext
        case .rsaSignatureRaw, .rsaSignaturePKCS1v15, .rsaSignature, .ecdsaSignature, .eciesEncryption, .keyExchange:
            throw algorithm.mistaken
        }
    }

    /// - Returns: nil for whatever is wrong.
    private func decrypted(
        _ block: [UInt8],
        _ padding: KeyAlgorithm.RSAEncryptionPadding
    ) throws(KeychainError) -> SecretBytes? {
        switch padding {
        case .none: return rawOperation(on: block)
        case .pkcs1: return decrypted(block, padding: ._WEAK_AND_INSECURE_PKCS_V1_5)
        // swift-crypto decrypts with no keys whose bits do not fill their bytes.
        case .oaep(.sha1) where publicKey.sizeInBits.isMultiple(of: 8):
            return decrypted(block, padding: .PKCS1_OAEP)
        case .oaep(.sha256) where publicKey.sizeInBits.isMultiple(of: 8):
            return decrypted(block, padding: .PKCS1_OAEP_SHA256)
        case .oaep(let hash):
            guard let padded = rawOperation(on: block) else { return nil }
            return try OAEP.message(in: padded, hash)
        }
    }
}

extension KeychainError {
    /// The error for all that RSA does not decrypt, whatever the cause. The words are Apple's, which programs look for.
    static var wrongRSAInput: KeychainError {
        KeychainError(.invalidParameter, "RSAdecrypt wrong input (err -27)")
    }
}
