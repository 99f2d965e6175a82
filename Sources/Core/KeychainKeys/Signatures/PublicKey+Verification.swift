import Crypto
import CryptoExtras
package import KeychainCertificates
package import KeychainModel

extension PublicKey {
    /// Checks a signature of a digest or a message.
    ///
    /// - Throws: `verifyFailed` for anything but the key's signature of the data, well-formed or not;
    ///   `invalidParameter` for an algorithm that is not for such keys, and for a digest of another length;
    ///   `unimplemented` for what is missing (`Gap`).
    package func verify(
        _ signature: [UInt8],
        of data: [UInt8],
        _ algorithm: KeyAlgorithm
    ) throws(KeychainError) {
        try algorithm.require(.verify, by: keyKind)
        let isValid =
            switch (kind, algorithm) {
            case (.ellipticCurve(let curve, _, _), .ecdsaSignature(let form, let input, let hash)):
                isValid(form, signature, of: try input.digest(of: data, hash), on: curve)
            case (.rsa, .rsaSignatureRaw): try isValid(signature, ofNumber: data)
            case (.rsa, .rsaSignature(.pkcs1v15, let input, .sha224)):
                try isValid(signature, ofPadded: DigestInfo.prefix(of: .sha224) + input.digest(of: data, .sha224))
            case (.rsa, .rsaSignature(let padding, let input, let hash)):
                try isValid(signature, of: input.digest(of: data, hash), hash, padding)
            case (.rsa, .rsaSignaturePKCS1v15): try isValid(signature, ofDigestInfo: data)
            default: throw algorithm.mistaken
            }
        guard isValid else { throw KeychainError(.verifyFailed, "the signature is not of this key and this data") }
    }

    private func isValid(
        _ form: KeyAlgorithm.ECDSAForm,
        _ signature: [UInt8],
        of digest: [UInt8],
        on curve: EllipticCurve
    ) -> Bool {
        let numbers =
            switch form {
            case .x962: ECDSASignature(der: signature, on: curve)
            case .rfc4754: ECDSASignature(raw: signature, on: curve)
            }
        guard let raw = numbers?.raw else { return false }
        let digest = AnyDigest(bytes: curve.representative(of: digest))
        // The point was looked at when the key was made.
        switch curve {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: externalRepresentation),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: externalRepresentation),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521:
            guard let key = try? P521.Signing.PublicKey(x963Representation: externalRepresentation),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }

    private func isValid(_ signature: [UInt8], ofDigestInfo data: [UInt8]) throws(KeychainError) -> Bool {
        guard let (hash, digest) = DigestInfo.digest(in: data), hash != .sha224 else {
            return try isValid(signature, ofPadded: data)
        }
        return try isValid(signature, of: digest, hash, .pkcs1v15)
    }

    /// Whether a signature is of bytes in PKCS #1 padding: what it opens to is compared with what it has to be (RFC 8017,
    /// section 8.2.2), and not parsed.
    private func isValid(_ signature: [UInt8], ofPadded data: [UInt8]) throws(KeychainError) -> Bool {
        guard let block = signatureBlock(around: data) else { return false }
        return try isValid(signature, ofNumber: block)
    }

    /// - Parameter number: shorter than the modulus, or as long.
    private func isValid(_ signature: [UInt8], ofNumber number: [UInt8]) throws(KeychainError) -> Bool {
        try requireUsableExponent()
        guard signature.count == blockSize, number.count <= blockSize else { return false }
        let block = [UInt8](repeating: 0, count: blockSize - number.count) + number
        return try Libcrypto().encrypted(signature, by: self, .none) == block
    }

    private func isValid(
        _ signature: [UInt8],
        of digest: [UInt8],
        _ hash: KeyHash,
        _ padding: KeyAlgorithm.RSASignaturePadding
    ) throws(KeychainError) -> Bool {
        try requireUsableExponent()
        switch hash {
        case .sha1: return try isValid(signature, of: Insecure.SHA1.Digest.rebuilt(from: digest), padding)
        case .sha224: return try Libcrypto().isValid(signature, ofDigest: digest, hash, by: self)
        case .sha256: return try isValid(signature, of: SHA256.Digest.rebuilt(from: digest), padding)
        case .sha384: return try isValid(signature, of: SHA384.Digest.rebuilt(from: digest), padding)
        case .sha512: return try isValid(signature, of: SHA512.Digest.rebuilt(from: digest), padding)
        }
    }

    private func isValid(
        _ signature: [UInt8],
        of digest: (some Digest)?,
        _ padding: KeyAlgorithm.RSASignaturePadding
    ) throws(KeychainError) -> Bool {
        guard let digest, let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: externalRepresentation) else {
            throw KeychainError(.internalError, "the key cannot be used")
        }
        guard signature.count == blockSize else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: digest,
            padding: padding.padding
        )
    }
}
