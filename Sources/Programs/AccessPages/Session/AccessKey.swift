import Crypto

/// 32 random bytes that open something to whoever has them: the address, the cookie, a form.
package struct AccessKey: Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    package static let size = 32

    package init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// 64 hexadecimal digits.
    package var text: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Whether the text is this key's, in a time that says nothing of where they differ.
    package func matches(_ other: String) -> Bool {
        let own = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: bytes))
        return HMAC<SHA256>.isValidAuthenticationCode(
            own,
            authenticating: Array(other.utf8),
            using: SymmetricKey(data: bytes)
        )
    }

    package var description: String { "[REDACTED]" }
}
