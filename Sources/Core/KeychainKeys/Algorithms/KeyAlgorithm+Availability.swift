package import KeychainCertificates
import KeychainModel

/// What is done with a key.
package enum KeyOperation: Sendable, CaseIterable {
    case sign
    case verify
    case encrypt
    case decrypt
    case exchange

    /// Which half of a pair of keys does it.
    var half: KeyHalf {
        switch self {
        case .verify, .encrypt: .publicKey
        case .sign, .decrypt, .exchange: .privateKey
        }
    }
}

/// A half of a pair of keys.
package enum KeyHalf: Sendable, CaseIterable {
    case publicKey
    case privateKey
}

/// What is known of a key without its numbers.
package enum KeyKind: Hashable, Sendable {
    case rsa(sizeInBits: Int)
    case ellipticCurve(EllipticCurve)
    case ed25519
}

/// Whether keys of a kind do something with an algorithm.
package enum Availability: Hashable, Sendable {
    case works
    /// The algorithm is not for it: -50.
    case isRefused
    /// It would be, but for what is missing: -4.
    case isMissing(Gap)
}

extension KeyAlgorithm {
    /// Whether keys of a kind do something with the algorithm, whichever half does it.
    package func availability(of operation: KeyOperation, by kind: KeyKind) -> Availability {
        guard operations.contains(operation) else { return .isRefused }
        switch (isRSA, kind) {
        case (true, .rsa(let bits)): return rsaAvailability(of: operation, bits)
        case (false, .ellipticCurve): return hash.map { missingHash($0) } ?? .works
        case (true, .ellipticCurve), (false, .rsa), (_, .ed25519): return .isRefused
        }
    }

    /// Whether a half of a pair of keys supports an operation, as `SecKeyIsAlgorithmSupported` says it.
    ///
    /// Two answers are Apple's and not those of the table. An RSA private key is said to support what its public key
    /// verifies, although `PrivateKey` verifies nothing. An RSA public key decrypts what its private key has signed
    /// (`PublicKey.decrypted(_:_:)`).
    package func isSupported(for operation: KeyOperation, by half: KeyHalf, of kind: KeyKind) -> Bool {
        guard availability(of: operation, by: kind) == .works else { return false }
        if case .rsa = kind, operation == .verify { return true }
        if operation == .decrypt, half == .publicKey { return opensByPublicKey && Libcrypto.isPresent }
        return operation.half == half
    }

    /// Ends an operation that is not available.
    ///
    /// - Throws: `invalidParameter` for what the algorithm is not for, `unimplemented` for what is missing.
    func require(_ operation: KeyOperation, by kind: KeyKind) throws(KeychainError) {
        switch availability(of: operation, by: kind) {
        case .works: return
        case .isRefused: throw KeychainError(.invalidParameter, "the key does not do this with the algorithm")
        case .isMissing(let gap): throw gap.error
        }
    }

    /// Whether an RSA public key decrypts with the algorithm.
    var opensByPublicKey: Bool {
        switch self {
        case .rsaEncryption(.none), .rsaEncryption(.pkcs1): true
        case .rsaEncryption(.oaep(let hash)): [.sha1, .sha224, .sha256].contains(hash)
        default: false
        }
    }

    private var operations: [KeyOperation] {
        switch self {
        case .rsaSignatureRaw, .rsaSignaturePKCS1v15, .rsaSignature, .ecdsaSignature: [.sign, .verify]
        case .rsaEncryption, .rsaEncryptionAESGCM, .eciesEncryption: [.encrypt, .decrypt]
        case .keyExchange: [.exchange]
        }
    }

    private var isRSA: Bool {
        switch self {
        case .rsaSignatureRaw, .rsaSignaturePKCS1v15, .rsaSignature, .rsaEncryption, .rsaEncryptionAESGCM: true
        case .ecdsaSignature, .eciesEncryption, .keyExchange: false
        }
    }

    /// The hash function that has to be computed, if there is one.
    private var hash: KeyHash? {
        switch self {
        case .rsaSignatureRaw, .rsaSignaturePKCS1v15, .rsaEncryption(.none), .rsaEncryption(.pkcs1),
            .rsaSignature(.pkcs1v15, .digest, _), .ecdsaSignature(_, .digest, _):
            nil
        // PSS computes it also where the digest is given.
        case .rsaSignature(_, _, let hash), .rsaEncryption(.oaep(let hash)), .rsaEncryptionAESGCM(let hash),
            .eciesEncryption(_, let hash, _):
            hash
        case .ecdsaSignature(_, .message, let hash), .keyExchange(_, let hash): hash
        }
    }

    private func missingHash(_ hash: KeyHash) -> Availability {
        hash.isComputed ? .works : .isMissing(.library)
    }

    private func rsaAvailability(of operation: KeyOperation, _ bits: Int) -> Availability {
        guard fits(bits) else { return .isRefused }
        guard RSAPrivateKey.sizes.contains(bits) else { return .isMissing(.rsaSize) }
        let fillsBytes = bits.isMultiple(of: 8)
        if case (.rsaEncryption(.pkcs1), .decrypt, false) = (self, operation, fillsBytes) {
            return .isMissing(.rsaPartialByte)
        }
        return needsLibrary(for: operation, fillsBytes: fillsBytes) && !Libcrypto.isPresent
            ? .isMissing(.library) : .works
    }

    /// Whether swift-crypto has no call for it, with an RSA key.
    private func needsLibrary(for operation: KeyOperation, fillsBytes: Bool) -> Bool {
        if hash == .sha224 { return true }
        return switch (self, operation) {
        case (.rsaSignatureRaw, .verify), (.rsaEncryption(.none), .encrypt): true
        // A signature over SHA-224's digest is made by the private key, and opened without padding.
        case (.rsaSignature(_, _, .sha224), .verify): true
        case (.rsaEncryption(.oaep(let hash)), .encrypt), (.rsaEncryptionAESGCM(let hash), .encrypt):
            !fillsBytes || ![.sha1, .sha256].contains(hash)
        case (.rsaEncryption, .encrypt): !fillsBytes
        default: false
        }
    }

    /// Whether the padding has room in a modulus of so many bits.
    private func fits(_ bits: Int) -> Bool {
        let size = (bits + 7) / 8
        return switch self {
        // RFC 8017, sections 9.1.1 (a block of one bit less than the modulus) and 9.2.
        case .rsaSignature(.pss, _, let hash): (bits + 6) / 8 >= 2 * hash.size + 2
        case .rsaSignature(.pkcs1v15, _, let hash): size >= DigestInfo.size(of: hash) + 11
        // RFC 8017, section 7.1.1.
        case .rsaEncryption(.oaep(let hash)): size >= 2 * hash.size + 2
        case .rsaEncryptionAESGCM(let hash): size >= 2 * hash.size + 2 + SealedByAES.sessionKeySize(rsaBits: bits)
        default: true
        }
    }
}
