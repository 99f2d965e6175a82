import KeychainModel

/// How a program has written a secret as text.
enum SecretEncoding {
    case base32
    case base64
    case hexadecimal
    /// The text itself.
    case plain

    /// - Throws: `notBase32`, `notBase64` or `notHexadecimal`. How long a secret is, `OneTimeCode` says.
    func decode(_ text: some Collection<UInt8>) throws(CodeFailure) -> SecretBytes {
        switch self {
        case .base32: try Base32.decode(text)
        case .base64: try Self.secret(text, alphabet: Self.base64Digit, bits: 6, else: .notBase64)
        case .hexadecimal: try Self.secret(text, alphabet: Self.hexadecimalDigit, bits: 4, else: .notHexadecimal)
        case .plain: SecretBytes(text)
        }
    }

    /// Spaces between the characters are skipped. Bits that make no whole byte must be zero, and fewer than a
    /// character's.
    private static func secret(
        _ text: some Collection<UInt8>,
        alphabet: (UInt8) -> UInt32?,
        bits: Int,
        else failure: CodeFailure
    ) throws(CodeFailure) -> SecretBytes {
        let characters = text.filter { !Array(" \t\r\n".utf8).contains($0) }
        let padded = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padded <= (bits == 6 ? 2 : 0) else { throw failure }
        var bytes: [UInt8] = []
        var window: UInt32 = 0
        var filled = 0
        for character in characters.dropLast(padded) {
            guard let digit = alphabet(character) else { throw failure }
            window = window << UInt32(bits) | digit
            filled += bits
            if filled >= 8 {
                filled -= 8
                bytes.append(UInt8(truncatingIfNeeded: window >> UInt32(filled)))
                window &= 1 << UInt32(filled) - 1
            }
        }
        guard filled < bits, window == 0 else { throw failure }
        return SecretBytes(bytes)
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        PercentCoding.hexadecimalDigit(byte).map(UInt32.init)
    }

    /// The usual alphabet, and the one for URLs.
    private static func base64Digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
