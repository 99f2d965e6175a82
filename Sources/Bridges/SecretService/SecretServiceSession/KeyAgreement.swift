import CKeychainLibcrypto
package import Crypto
package import KeychainModel

/// The key agreement of `dh-ietf1024-sha256-aes128-cbc-pkcs7` (Secret Service API, "Negotiation of session encryption"):
/// Diffie-Hellman in the second Oakley group (RFC 2409, section 6.2), and HKDF with SHA-256 (RFC 5869).
///
/// It keeps secrets from whoever only listens on the bus. The group is too small for more, and clients know no other.
package struct KeyAgreement: Sendable {
    /// 128 bytes.
    package let publicValue: [UInt8]
    private let exponent: SecretBytes

    private static let library = "libcrypto.so.3"
    private static let size = 128

    /// A new key pair.
    ///
    /// - Throws: `notAvailable` where libcrypto is not installed.
    package init() throws(KeychainError) {
        // Twice the strength of the group is enough, and quicker than an exponent of its full length.
        let random = SymmetricKey(size: .bits256)
        exponent = unsafe random.withUnsafeBytes { unsafe SecretBytes($0) }
        let value = try Self.power(of: [2], exponent)
        publicValue = unsafe value.withUnsafeBytes { unsafe Array($0) }
    }

    /// The key of a session.
    ///
    /// - Parameter peer: the other's public value.
    /// - Throws: `invalidParameter` for one that gives away the key; `notAvailable` where libcrypto is not installed.
    package func key(with peer: [UInt8]) throws(KeychainError) -> SymmetricKey {
        let peer = Array(peer.drop { $0 == 0 })
        // The group's order is twice a prime, so that these are all that have a small order.
        var largest = Self.prime
        largest[Self.size - 1] -= 1
        let isBelow = peer.count < Self.size || (peer.count == Self.size && peer.lexicographicallyPrecedes(largest))
        guard isBelow, peer.count > 1 || (peer.first ?? 0) > 1 else {
            throw KeychainError(.invalidParameter, "the public value is none of the group's")
        }
        let shared = try Self.power(of: peer, exponent)
        let input = unsafe shared.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input,
            salt: [UInt8](),
            info: [UInt8](),
            outputByteCount: 16
        )
    }

    /// - Returns: 128 bytes, with zeroes before the number.
    private static func power(of base: [UInt8], _ exponent: SecretBytes) throws(KeychainError) -> SecretBytes {
        var status = CLIBCRYPTO_REFUSED
        let power = unsafe SecretBytes(count: size) { power in
            status = unsafe exponent.withUnsafeBytes { exponent in
                unsafe base.withUnsafeBytes { base in
                    unsafe prime.withUnsafeBytes { prime in
                        unsafe clibcrypto_power(
                            library,
                            bytes(base),
                            bytes(exponent),
                            bytes(prime),
                            power.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            size
                        )
                    }
                }
            }
        }
        switch status {
        case CLIBCRYPTO_OK: return power
        case CLIBCRYPTO_NO_LIBRARY: throw KeychainError(.notAvailable, "\(library) is not installed")
        default: throw KeychainError(.internalError, "a power could not be computed")
        }
    }

    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> clibcrypto_bytes {
        unsafe clibcrypto_bytes(start: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: buffer.count)
    }

    /// RFC 2409, section 6.2: 2^1024 - 2^960 - 1 + 2^64 * ([2^894 pi] + 129093).
    package static let prime: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34,
        0xC4, 0xC6, 0x62, 0x8B, 0x80, 0xDC, 0x1C, 0xD1, 0x29, 0x02, 0x4E, 0x08, 0x8A, 0x67, 0xCC, 0x74,
        0x02, 0x0B, 0xBE, 0xA6, 0x3B, 0x13, 0x9B, 0x22, 0x51, 0x4A, 0x08, 0x79, 0x8E, 0x34, 0x04, 0xDD,
        0xEF, 0x95, 0x19, 0xB3, 0xCD, 0x3A, 0x43, 0x1B, 0x30, 0x2B, 0x0A, 0x6D, 0xF2, 0x5F, 0x14, 0x37,
        0x4F, 0xE1, 0x35, 0x6D, 0x6D, 0x51, 0xC2, 0x45, 0xE4, 0x85, 0xB5, 0x76, 0x62, 0x5E, 0x7E, 0xC6,
        0xF4, 0x4C, 0x42, 0xE9, 0xA6, 0x37, 0xED, 0x6B, 0x0B, 0xFF, 0x5C, 0xB6, 0xF4, 0x06, 0xB7, 0xED,
        0xEE, 0x38, 0x6B, 0xFB, 0x5A, 0x89, 0x9F, 0xA5, 0xAE, 0x9F, 0x24, 0x11, 0x7C, 0x4B, 0x1F, 0xE6,
        0x49, 0x28, 0x66, 0x51, 0xEC, 0xE6, 0x53, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]
}
