import KeychainCertificates
package import KeychainModel

extension PrivateKey {
    /// Signs a digest or a message.
    ///
    /// RSA's raw signatures take at most as many bytes as the modulus has, and put zeros in front of fewer. ECDSA over
    /// a digest of any length does not take an empty one, whose signature can be forged.
    ///
    /// - Returns: for RSA as many bytes as the modulus has; for ECDSA DER, or two numbers, by the algorithm.
    /// - Throws: `invalidParameter` for an algorithm that is not for signing with such a key, for a digest of another
    ///   length, and for data that does not fit; `unimplemented` for what is missing (`Gap`); whatever a key that is
    ///   elsewhere throws.
    package func signature(of data: [UInt8], _ algorithm: KeyAlgorithm) throws(KeychainError) -> [UInt8] {
        try algorithm.require(.sign, by: publicKey.keyKind)
        switch backing {
        case .rsa(let key): return try key.signature(of: data, algorithm)
        case .ellipticCurve(let key): return try key.signature(of: data, algorithm)
        }
    }
}

extension PrivateKeyOperations {
    /// Signs a digest or a message with ECDSA. See `PrivateKey.signature(of:_:)`.
    package func signature(of data: [UInt8], _ algorithm: KeyAlgorithm) throws(KeychainError) -> [UInt8] {
        let curve = try curve
        try algorithm.require(.sign, by: .ellipticCurve(curve))
        guard case .ecdsaSignature(let form, let input, let hash) = algorithm else { throw algorithm.mistaken }
        let digest = curve.representative(of: try input.digest(of: data, hash))
        // It may come from another process, which may be broken.
        guard let signature = ECDSASignature(raw: try signature(ofDigest: digest), on: curve) else {
            throw KeychainError(.internalError, "the key made no signature")
        }
        return switch form {
        case .x962: signature.der
        case .rfc4754: signature.raw
        }
    }
}

extension RSAPrivateKey {
    fileprivate func signature(of data: [UInt8], _ algorithm: KeyAlgorithm) throws(KeychainError) -> [UInt8] {
        switch algorithm {
        case .rsaSignatureRaw: return try raw(data)
        case .rsaSignaturePKCS1v15: return try padded(data)
        case .rsaSignature(.pkcs1v15, let input, .sha224):
            return try padded(DigestInfo.prefix(of: .sha224) + input.digest(of: data, .sha224))
        case .rsaSignature(let padding, let input, let hash):
            return try signature(ofDigest: input.digest(of: data, hash), hash, padding)
        case .ecdsaSignature, .rsaEncryption, .rsaEncryptionAESGCM, .eciesEncryption, .keyExchange:
            throw algorithm.mistaken
        }
    }

    /// EMSA-PKCS1-v1_5 (RFC 8017, section 9.2) around the given bytes.
    private func padded(_ data: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard let block = publicKey.signatureBlock(around: data) else { throw Self.tooLong }
        return try raw(block)
    }

    private func raw(_ data: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard data.count <= publicKey.blockSize else { throw Self.tooLong }
        let block = [UInt8](repeating: 0, count: publicKey.blockSize - data.count) + data
        guard let signature = rawOperation(on: block) else {
            throw KeychainError(.invalidParameter, "the number is not below the key's modulus")
        }
        return unsafe signature.withUnsafeBytes { unsafe Array($0) }
    }

    private static var tooLong: KeychainError {
        KeychainError(.invalidParameter, "the data does not fit into the key's modulus")
    }
}

extension PublicKey {
    /// EMSA-PKCS1-v1_5 (RFC 8017, section 9.2) around a DigestInfo, or what stands for one, as long as the modulus; nil for
    /// what does not fit.
    func signatureBlock(around data: [UInt8]) -> [UInt8]? {
        let room = blockSize - 11
        guard data.count <= room else { return nil }
        return [0, 1] + [UInt8](repeating: 0xFF, count: room - data.count + 8) + [0] + data
    }
}

extension KeyAlgorithm.SignatureInput {
    /// The digest that is signed.
    ///
    /// - Parameter hash: nil for a digest of any length but zero.
    /// - Throws: `invalidParameter` for a digest of another length; `unimplemented` if it would have to be computed and
    ///   cannot be.
    func digest(of data: [UInt8], _ hash: KeyHash?) throws(KeychainError) -> [UInt8] {
        switch (self, hash) {
        case (.message, let hash?): return try hash.digest(of: data)
        case (.digest, let hash?) where data.count == hash.size: return data
        case (.digest, nil) where !data.isEmpty: return data
        default: throw KeychainError(.invalidParameter, "the data is no digest of the algorithm's")
        }
    }
}

extension KeyAlgorithm {
    /// For an algorithm that is not for what is done, or not for the kind of key.
    var mistaken: KeychainError {
        KeychainError(.invalidParameter, "the algorithm is not for this")
    }
}
