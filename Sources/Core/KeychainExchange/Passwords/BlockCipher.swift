import CKeychainLegacyCiphers
import Crypto
import CryptoExtras
import Foundation
import KeychainModel

/// A block cipher in CBC mode, with the padding of PKCS #7 (RFC 5652, section 6.3).
enum BlockCipher {
    /// With the bytes of its key: 16, 24 or 32.
    case aes(Int)
    case tripleDES
    case rc2With40Bits
    case rc2With128Bits

    /// What the ciphers that swift-crypto has not are looked for in.
    static let library = "libgcrypt.so.20"

    var keySize: Int {
        switch self {
        case .aes(let size): size
        case .tripleDES: 24
        case .rc2With40Bits: 5
        case .rc2With128Bits: 16
        }
    }

    var blockSize: Int {
        if case .aes = self { 16 } else { 8 }
    }

    /// - Throws: `authenticationFailed` where there is no padding at the end: a wrong key mostly leaves none.
    func decrypt(
        _ ciphertext: [UInt8],
        key: SymmetricKey,
        vector: [UInt8],
        library: String = Self.library
    ) throws(KeychainError) -> SecretBytes {
        guard key.bitCount == keySize * 8, vector.count == blockSize, !ciphertext.isEmpty,
            ciphertext.count.isMultiple(of: blockSize)
        else { throw .malformed }
        guard let legacy else {
            guard let vector = try? AES._CBC.IV(ivBytes: vector),
                var plaintext = try? AES._CBC.decrypt(ciphertext, using: key, iv: vector)
            else { throw .wrongPassword }
            return SecretBytes(moving: &plaintext)
        }
        let padded = try crypt(legacy, false, ciphertext, key, vector, library)
        let count = try unsafe padded.withUnsafeBytes { (bytes) throws(KeychainError) in
            guard let padding = unsafe bytes.last, (1...UInt8(blockSize)).contains(padding),
                unsafe bytes.suffix(Int(padding)).allSatisfy({ $0 == padding })
            else { throw .wrongPassword }
            return bytes.count - Int(padding)
        }
        return unsafe padded.withUnsafeBytes { unsafe SecretBytes($0.prefix(count)) }
    }

    func encrypt(
        _ plaintext: SecretBytes,
        key: SymmetricKey,
        vector: [UInt8],
        library: String = Self.library
    ) throws(KeychainError) -> [UInt8] {
        guard key.bitCount == keySize * 8, vector.count == blockSize else { throw Self.failure }
        guard let legacy else {
            guard let vector = try? AES._CBC.IV(ivBytes: vector),
                let ciphertext = unsafe try? plaintext.withUnsafeBytes({ bytes in
                    unsafe try AES._CBC.encrypt(bytes, using: key, iv: vector)
                })
            else { throw Self.failure }
            return Array(ciphertext)
        }
        let padding = blockSize - plaintext.count % blockSize
        var padded = unsafe plaintext.withUnsafeBytes { unsafe Array($0) }
        padded.reserveCapacity(padded.count + padding)
        padded += [UInt8](repeating: UInt8(truncatingIfNeeded: padding), count: padding)
        defer { padded.zero() }
        let ciphertext = try crypt(legacy, true, padded, key, vector, library)
        return unsafe ciphertext.withUnsafeBytes { unsafe Array($0) }
    }

    private var legacy: clegacy_cipher? {
        switch self {
        case .aes: nil
        case .tripleDES: CLEGACY_TRIPLE_DES
        case .rc2With40Bits: CLEGACY_RC2_40
        case .rc2With128Bits: CLEGACY_RC2_128
        }
    }

    private func crypt(
        _ cipher: clegacy_cipher,
        _ encrypts: Bool,
        _ input: [UInt8],
        _ key: SymmetricKey,
        _ vector: [UInt8],
        _ library: String
    ) throws(KeychainError) -> SecretBytes {
        var status = CLEGACY_FAILED
        let output = unsafe SecretBytes(count: input.count) { output in
            status = unsafe key.withUnsafeBytes { key in
                unsafe clegacy_crypt(
                    library,
                    cipher,
                    encrypts,
                    key.bindMemory(to: UInt8.self).baseAddress,
                    key.count,
                    vector,
                    input,
                    output.bindMemory(to: UInt8.self).baseAddress,
                    input.count
                )
            }
        }
        switch status {
        case CLEGACY_OK: return output
        case CLEGACY_NO_LIBRARY:
            throw KeychainError(
                .unimplemented,
                "the bytes need an old cipher, and so \(library), which is not installed"
            )
        case CLEGACY_NO_CIPHER:
            throw KeychainError(.unimplemented, "the bytes need an old cipher, which \(library) does not have here")
        default: throw Self.failure
        }
    }

    private static let failure = KeychainError(.internalError, "the cipher failed")
}
