/// Base64 for URLs (RFC 4648, section 5), as bytes: secrets do not become text in between.
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Without padding.
    static func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var window = 0
        var bits = 0
        for byte in bytes {
            window = (window & 0x3F) << 8 | Int(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[window >> bits & 0x3F])
            }
        }
        if bits > 0 { text.append(alphabet[window << (6 - bits) & 0x3F]) }
        return text
    }

    /// Takes padding, which some programs write. Bits that make no whole byte are dropped.
    ///
    /// - Returns: nil for anything else.
    static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let padded = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let digits = text.dropLast(padded)
        guard padded <= 2, digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var window = 0
        var bits = 0
        for character in digits {
            guard let digit = digit(character) else { return nil }
            window = (window & 0xFF) << 6 | digit
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: window >> bits))
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
