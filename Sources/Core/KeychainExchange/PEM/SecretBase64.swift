import KeychainModel

/// SecretBase64 (RFC 4648, section 4) from and to secrets.
enum SecretBase64 {
    /// - Returns: nil for anything but whole groups of four letters, the last perhaps filled up. Bits that stand for nothing
    ///   have to be zero: otherwise two texts would be the same bytes.
    static func decode(_ lines: [ArraySlice<UInt8>]) -> SecretBytes? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.reduce(0) { $0 + $1.count } / 4 * 3 + 3)
        defer { bytes.zero() }
        var group: UInt32 = 0
        var letters = 0
        var filling = 0
        for byte in lines.joined() {
            if byte == UInt8(ascii: "=") {
                filling += 1
            } else {
                guard filling == 0, let value = value(of: byte) else { return nil }
                group = group << 6 | UInt32(value)
                letters += 1
            }
            guard letters + filling == 4, filling == 0 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
            (group, letters) = (0, 0)
        }
        switch (letters, filling) {
        case (0, 0): break
        case (2, 2):
            guard group & 0xF == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case (3, 1):
            guard group & 0x3 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        default: return nil
        }
        return SecretBytes(bytes)
    }

    /// Appends lines of 64 letters, each with its end. The text has the room that it needs.
    static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
        var column = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let isFilling = place > group.count
                text.append(isFilling ? UInt8(ascii: "=") : letter(UInt8(value >> UInt32(18 - 6 * place) & 0x3F)))
            }
            column += 4
            guard column == 64 else { continue }
            text.append(UInt8(ascii: "\n"))
            column = 0
        }
        if column > 0 { text.append(UInt8(ascii: "\n")) }
    }

    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func letter(_ value: UInt8) -> UInt8 {
        switch value {
        case ..<26: UInt8(ascii: "A") + value
        case ..<52: UInt8(ascii: "a") + value - 26
        case ..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
