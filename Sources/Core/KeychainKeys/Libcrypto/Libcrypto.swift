import CKeychainLibcrypto
import KeychainCertificates
import KeychainModel

/// What swift-crypto has no call for: SHA-224, the RSA public-key operation, and RSA keys of any size. OpenSSL's library
/// does it, which is loaded by the first call that needs it (docs/decisions/0040).
struct Libcrypto: Sendable {
    /// What the dynamic linker is asked for.
    private let name: String

    init(name: String = "libcrypto.so.3") {
        self.name = name
    }

    /// Whether this system has the library.
    static let isPresent = Libcrypto().isPresent

    var isPresent: Bool { unsafe clibcrypto_is_present(name) }

    /// SHA-224 (FIPS 180-4, section 6.3).
    func sha224(of message: SecretBytes) throws(KeychainError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(CLIBCRYPTO_SHA224_SIZE))
        let status = unsafe message.withUnsafeBytes { message in
            unsafe clibcrypto_sha224(name, clibcrypto_bytes(message), &digest)
        }
        try require(status, "SHA-224 cannot be computed")
        return digest
    }

    enum Padding {
        case none
        case pkcs1
        case oaep(KeyHash)
    }

    /// The operation of an RSA public key, around which padding is put first.
    ///
    /// - Returns: as many bytes as the modulus has; nil for data that does not fit.
    /// - Throws: `unimplemented` without the library.
    func encrypted(
        _ plaintext: [UInt8],
        by key: PublicKey,
        _ padding: Padding
    ) throws(KeychainError) -> [UInt8]? {
        let (kind, hash): (clibcrypto_padding, KeyHash?) =
            switch padding {
            case .none: (CLIBCRYPTO_RAW, nil)
            case .pkcs1: (CLIBCRYPTO_PKCS1, nil)
            case .oaep(let hash): (CLIBCRYPTO_OAEP, hash)
            }
        var ciphertext = [UInt8](repeating: 0, count: key.blockSize)
        let status = unsafe key.externalRepresentation.withUnsafeBytes { der in
            unsafe plaintext.withUnsafeBytes { plaintext in
                unsafe clibcrypto_rsa_encrypt(
                    name,
                    clibcrypto_bytes(der),
                    kind,
                    hash?.rawValue,
                    clibcrypto_bytes(plaintext),
                    &ciphertext,
                    key.blockSize
                )
            }
        }
        return try isDone(status) ? ciphertext : nil
    }

    /// Signs a digest with PSS, with salt as long as the digest.
    ///
    /// - Parameter key: RSAPrivateKey in DER.
    /// - Throws: `unimplemented` without the library.
    func signature(
        ofDigest digest: [UInt8],
        _ hash: KeyHash,
        by key: SecretBytes,
        blockSize: Int
    ) throws(KeychainError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: blockSize)
        let status = unsafe key.withUnsafeBytes { der in
            unsafe digest.withUnsafeBytes { digest in
                unsafe clibcrypto_rsa_sign_pss(
                    name,
                    clibcrypto_bytes(der),
                    hash.rawValue,
                    clibcrypto_bytes(digest),
                    &signature,
                    blockSize
                )
            }
        }
        try require(status, "nothing could be signed")
        return signature
    }

    /// Whether a signature with PSS is of a digest.
    ///
    /// - Throws: `unimplemented` without the library.
    func isValid(
        _ signature: [UInt8],
        ofDigest digest: [UInt8],
        _ hash: KeyHash,
        by key: PublicKey
    ) throws(KeychainError) -> Bool {
        let status = unsafe key.externalRepresentation.withUnsafeBytes { der in
            unsafe digest.withUnsafeBytes { digest in
                unsafe signature.withUnsafeBytes { signature in
                    unsafe clibcrypto_rsa_verify_pss(
                        name,
                        clibcrypto_bytes(der),
                        hash.rawValue,
                        clibcrypto_bytes(digest),
                        clibcrypto_bytes(signature)
                    )
                }
            }
        }
        return try isDone(status)
    }

    /// A new RSAPrivateKey in DER, with the public exponent 65537.
    ///
    /// - Throws: `unimplemented` without the library.
    func generatedKey(sizeInBits bits: Int) throws(KeychainError) -> SecretBytes {
        guard let size = Int32(exactly: bits) else {
            throw KeychainError(.invalidParameter, "no RSA key is so large")
        }
        // Nine numbers, of which the two longest are as long as the modulus, and five half as long; and their headers.
        var room = bits / 8 * 5 + 128
        var status = CLIBCRYPTO_REFUSED
        let buffer = unsafe SecretBytes(count: room) { target in
            guard let start = unsafe target.bindMemory(to: UInt8.self).baseAddress else { return }
            unsafe status = clibcrypto_rsa_generate(name, size, start, &room)
        }
        try require(status, "no key could be made")
        return buffer.part(0..<room)
    }

    private func require(_ status: clibcrypto_status, _ failure: String) throws(KeychainError) {
        guard try isDone(status) else { throw KeychainError(.internalError, failure) }
    }

    private func isDone(_ status: clibcrypto_status) throws(KeychainError) -> Bool {
        guard status != CLIBCRYPTO_NO_LIBRARY else {
            throw KeychainError(.unimplemented, "this needs OpenSSL's library \(name), which is not here")
        }
        return status == CLIBCRYPTO_OK
    }
}

extension clibcrypto_bytes {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
}
