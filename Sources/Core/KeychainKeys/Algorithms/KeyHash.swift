import Crypto
import Foundation
package import KeychainModel

/// A hash function that algorithms are named by.
package enum KeyHash: String, Sendable, CaseIterable {
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// The bytes of a digest.
    package var size: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Whether it can be computed: SHA-224 by libcrypto alone. Where the caller computed the digest, only its length
    /// matters.
    package var isComputed: Bool { self != .sha224 || Libcrypto.isPresent }

    /// The digest of a message.
    ///
    /// - Throws: `unimplemented` for SHA-224 without libcrypto.
    package func digest(of message: [UInt8]) throws(KeychainError) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: message))
        case .sha224: try Libcrypto().sha224(of: SecretBytes(message))
        case .sha256: Array(SHA256.hash(data: message))
        case .sha384: Array(SHA384.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        }
    }

    /// Digests one after the other: of the secret, of a counter in four bytes with the highest first, and of the
    /// suffix.
    ///
    /// It is X9.63's derivation when the counter begins with 1 (SEC 1, section 3.6.1), and MGF1 when it begins with 0
    /// and nothing follows (RFC 8017, appendix B.2.1).
    ///
    /// - Parameter count: the bytes that are needed, at most `expansionLimit`.
    /// - Throws: `unimplemented` for SHA-224 without libcrypto, `invalidParameter` for more bytes than the limit.
    func expansion(
        of secret: SecretBytes,
        from counter: UInt32,
        suffix: [UInt8] = [],
        count: Int
    ) throws(KeychainError) -> SecretBytes {
        guard (0...Self.expansionLimit).contains(count) else {
            throw KeychainError(.invalidParameter, "so many bytes are not derived")
        }
        return switch self {
        case .sha1: Self.expand(Insecure.SHA1.self, secret, counter, suffix, count)
        case .sha224: try Self.expandBySHA224(secret, counter, suffix, count)
        case .sha256: Self.expand(SHA256.self, secret, counter, suffix, count)
        case .sha384: Self.expand(SHA384.self, secret, counter, suffix, count)
        case .sha512: Self.expand(SHA512.self, secret, counter, suffix, count)
        }
    }

    /// The most bytes that are derived at once. The standards would allow 2³² digests; no use needs a key of 16 MiB.
    package static let expansionLimit = 1 << 24

    private static func expandBySHA224(
        _ secret: SecretBytes,
        _ first: UInt32,
        _ suffix: [UInt8],
        _ count: Int
    ) throws(KeychainError) -> SecretBytes {
        var expanded: [UInt8] = []
        // Never moved, so that no copy is left behind.
        expanded.reserveCapacity(count + sha224.size)
        var counter = first
        while expanded.count < count {
            let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
            var digest = try Libcrypto().sha224(of: SecretBytes([], secret, number + suffix))
            expanded += digest
            digest.zero()
            counter &+= 1
        }
        return SecretBytes(movingBytesOf: &expanded).part(0..<count)
    }

    private static func expand<Function: HashFunction>(
        _: Function.Type,
        _ secret: SecretBytes,
        _ first: UInt32,
        _ suffix: [UInt8],
        _ count: Int
    ) -> SecretBytes {
        unsafe SecretBytes(count: count) { target in
            var counter = first
            var filled = 0
            while filled < count {
                var function = Function()
                unsafe secret.withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
                function.update(data: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) })
                function.update(data: suffix)
                unsafe function.finalize().withUnsafeBytes { digest in
                    let part = min(digest.count, count - filled)
                    let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled..<filled + part])
                    unsafe place.copyBytes(from: digest.prefix(part))
                    filled += part
                }
                counter &+= 1
            }
        }
    }
}
