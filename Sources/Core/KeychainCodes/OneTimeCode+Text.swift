extension OneTimeCode {
    /// Reads what people paste, and what programs write into one field: an address (`otpauth://…`), a bare secret as
    /// sites show it, or the older form of KeePass's plugins and KeePassXC (`key=…&step=30&size=6`).
    ///
    /// - Throws: any `CodeFailure`.
    package init(text: some Collection<UInt8>) throws(CodeFailure) {
        guard text.count <= Self.longestText else { throw .textTooLong }
        let bytes = Self.withoutSpacesAround(text)
        // A colon within a parameter's value is no scheme's.
        if bytes.first(where: { ":=".utf8.contains($0) }) == UInt8(ascii: ":") {
            try self.init(uri: bytes)
            return
        }
        let parameters = CodeParameters(bytes[...])
        if parameters.has("key") {
            try self.init(key: try parameters.value("key") ?? [], parameters)
        } else {
            try self.init(secret: try Base32.decode(bytes))
        }
    }

    private enum Field { case type }

    /// The form of the plugin KeeOtp, which KeePassXC writes too: `size` counts the digits, `step` the seconds.
    private init(key: [UInt8], _ parameters: CodeParameters) throws(CodeFailure) {
        switch try parameters.text("\(Field.type)").lowercased() {
        case "", "totp": break
        case "hotp": throw .counterBased
        case "steam": throw .steam
        default: throw .otherType
        }
        let encoding: SecretEncoding
        switch try parameters.text("encoding").lowercased() {
        case "", "base32": encoding = .base32
        case "base64": encoding = .base64
        case "hex": encoding = .hexadecimal
        case "utf8": encoding = .plain
        default: throw .otherEncoding
        }
        let settings = try CodeSettings(
            algorithm: parameters.value("otphashmode"),
            digits: parameters.value("size"),
            period: parameters.value("step")
        )
        try self.init(
            secret: try encoding.decode(key),
            algorithm: settings.algorithm,
            digits: settings.digits,
            period: settings.period
        )
    }

    private static func withoutSpacesAround(_ text: some Collection<UInt8>) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
        return Array(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
