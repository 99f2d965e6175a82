/// What a private key of the enclave is to do.
package enum KeyUse: Sendable {
    /// ECDSA (FIPS 186-5, section 6.4.1) of a digest of 32 bytes; the result is r and s, 32 bytes each.
    case signature(ofDigest: [UInt8])
    /// ECDH with another's public key (X9.63, 65 bytes); the result is the X coordinate, 32 bytes.
    case sharedSecret(with: [UInt8])
    /// ML-DSA (FIPS 204, section 5.2) of a whole message; the result is the signature, 3,309 or 4,627 bytes.
    case messageSignature(of: [UInt8], context: [UInt8])
    /// ML-KEM (FIPS 203, section 7.3); the result is the shared secret, 32 bytes. Of a ciphertext that nobody has made for
    /// this key it is another secret, and no error.
    case decapsulation(of: [UInt8])

    /// The size of a digest. The caller cuts a longer one, or puts zeros before a shorter one, as ECDSA does with P-256.
    package static let digestSize = 32
    package static let pointSize = 65
    /// In bytes: what fits into one message to the enclave beside all else (docs/decisions/0047).
    package static let largestMessage = 48 << 10
    /// In bytes (FIPS 204, section 5.2).
    package static let largestContext = 255
    /// In bytes.
    package static let largestCiphertext = 1_568

    /// Checks what any key would.
    ///
    /// - Throws: `dataTooLarge` for a message that is too long; `invalidParameter` for another size than the use has.
    package func requireSize() throws(KeychainError) {
        let isOfRightSize =
            switch self {
            case .signature(let digest): digest.count == Self.digestSize
            case .sharedSecret(let point): point.count == Self.pointSize
            case .messageSignature(let message, let context): try Self.isOfRightSize(message, context)
            case .decapsulation(let ciphertext):
                EnclaveKeyAlgorithm.allCases.contains { $0.ciphertextSize == ciphertext.count }
            }
        guard isOfRightSize else {
            throw KeychainError(
                .invalidParameter,
                "a digest has 32 bytes, a public key 65, a context at most 255, a ciphertext 1088 or 1568"
            )
        }
    }

    private static func isOfRightSize(_ message: [UInt8], _ context: [UInt8]) throws(KeychainError) -> Bool {
        guard message.count <= largestMessage else {
            throw KeychainError(.dataTooLarge, "a key in the Secure Enclave signs messages of at most 48 KiB")
        }
        return context.count <= largestContext
    }

    /// - Throws: as `requireSize` does; `invalidParameter` where keys of the algorithm do not do this, or not with a
    ///   ciphertext of this size.
    package func require(of algorithm: EnclaveKeyAlgorithm) throws(KeychainError) {
        try requireSize()
        let isPossible =
            switch self {
            case .signature, .sharedSecret: algorithm == .p256
            case .messageSignature: algorithm == .mldsa65 || algorithm == .mldsa87
            case .decapsulation(let ciphertext): algorithm.ciphertextSize == ciphertext.count
            }
        guard isPossible else { throw Self.impossible }
    }

    package static let impossible = KeychainError(.invalidParameter, "a private key of this kind cannot do this")
}
