/// Percent-encoding (RFC 3986, section 2.1).
enum PercentCoding {
    private static let hexadecimalDigits = Array("0123456789ABCDEF".utf8)

    /// A percent sign without two digits after it stays as it is. So does a plus sign: it is not a space here.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = hexadecimalDigit(rest[rest.startIndex]),
                let low = hexadecimalDigit(rest[rest.startIndex + 1])
            else {
                decoded.append(byte)
                continue
            }
            decoded.append(high << 4 | low)
            rest = rest.dropFirst(2)
        }
        return decoded
    }

    /// Leaves what may stand anywhere in a URI, and the `@` of mail addresses.
    static func encode(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte in
            isPlain(byte)
                ? [byte] : [UInt8(ascii: "%"), hexadecimalDigits[Int(byte >> 4)], hexadecimalDigits[Int(byte & 0x0F)]]
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~@".utf8.contains(byte)
        }
    }

    static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
