import Crypto
package import KeychainModel

/// The values of HOTP (RFC 4226), of which a time-based code is one: its counter is the number of periods since 1970.
package enum CounterCode {
    /// The last digits of the number for a counter, leading zeros included.
    static func digits(_ secret: SecretBytes, _ algorithm: CodeAlgorithm, counter: UInt64, count: Int) -> String {
        let modulus = (0..<count).reduce(UInt32(1)) { power, _ in power * 10 }
        let digits = String(number(secret, algorithm, counter: counter) % modulus)
        return String(repeating: "0", count: count - digits.count) + digits
    }

    /// The number of 31 bits from which digits are taken (RFC 4226, section 5.3).
    package static func number(_ secret: SecretBytes, _ algorithm: CodeAlgorithm, counter: UInt64) -> UInt32 {
        let key = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        let message = (1...8).map { UInt8(truncatingIfNeeded: counter >> UInt64(64 - 8 * $0)) }
        return switch algorithm {
        case .sha1: truncated(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: truncated(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha512: truncated(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }

    /// The last four bits say where the four bytes begin. The highest bit is dropped, so that no one takes it for a
    /// sign.
    private static func truncated(_ code: some Sequence<UInt8>) -> UInt32 {
        let bytes = Array(code)
        let start = Int(bytes[bytes.count - 1] & 0x0F)
        return bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    }
}
