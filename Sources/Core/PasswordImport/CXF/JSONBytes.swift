import KeychainModel

/// JSON as bytes, on one line. Secrets are written into it without becoming text in between.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []

    /// The beginning or the end of an object or an array.
    mutating func mark(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

    /// The name of a member, after a comma unless it is the first one.
    mutating func member(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { mark(",") }
        string(name.utf8)
        mark(":")
    }

    /// Must precede each element of an array.
    mutating func element() {
        if bytes.last != UInt8(ascii: "[") { mark(",") }
    }

    mutating func number(_ number: Int64) { bytes += String(number).utf8 }

    /// Text in UTF-8.
    mutating func string(_ text: some Sequence<UInt8>) {
        mark("\"")
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += Array("\\u00".utf8) + [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0xF)]]
            default: bytes.append(byte)
            }
        }
        mark("\"")
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// A secret that is text in UTF-8.
    mutating func string(_ secret: SecretBytes) {
        unsafe secret.withUnsafeBytes { bytes in unsafe string(bytes) }
    }

    mutating func base64URL(_ bytes: some Sequence<UInt8>) { string(Base64URL.encode(bytes)) }

    mutating func base64URL(_ secret: SecretBytes) {
        unsafe secret.withUnsafeBytes { bytes in unsafe base64URL(bytes) }
    }

    /// `"name":"text"`
    mutating func member(_ name: String, _ text: String) {
        member(name)
        string(text.utf8)
    }
}
