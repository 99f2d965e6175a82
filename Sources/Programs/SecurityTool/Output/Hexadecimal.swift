/// Bytes as hexadecimal digits, and back.
enum Hexadecimal {
    static func lowercase(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }

    static func uppercase(_ bytes: some Sequence<UInt8>) -> String {
        lowercase(bytes).uppercased()
    }

    /// A number with eight digits.
    static func word(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// - Returns: nil for an odd number of digits or another character.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
