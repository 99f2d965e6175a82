import KeychainModel

extension OneTimeCode {
    /// The names of all fields that entries of KeePass and its relatives keep a code in.
    package static let keePassFields = Set(
        ["otp", seed, settings, "TimeOtp-Algorithm", "TimeOtp-Length", "TimeOtp-Period"] + secrets.map(\.field)
    )

    private static let seed = "TOTP Seed"
    private static let settings = "TOTP Settings"

    /// KeePass's own fields, in the order in which the first that is there counts.
    private static let secrets: [(field: String, encoding: SecretEncoding)] = [
        ("TimeOtp-Secret", .plain), ("TimeOtp-Secret-Hex", .hexadecimal), ("TimeOtp-Secret-Base32", .base32),
        ("TimeOtp-Secret-Base64", .base64),
    ]

    /// Reads the code out of an entry's fields: KeePassXC's `otp`, then those of KeePass itself (2.47 and later), then
    /// those of the plugin KeeTrayTOTP and early KeePassXC.
    ///
    /// - Returns: nil if no field that holds a secret has a text.
    /// - Throws: any `CodeFailure`. `counterBased` is thrown if KeePass's fields for such a code are all that there is.
    package init?(keePassFields fields: [String: String]) throws(CodeFailure) {
        func value(_ field: String) -> [UInt8]? {
            fields[field].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        }
        if let otp = value("otp") {
            try self.init(text: otp)
        } else if let (field, encoding) = Self.secrets.first(where: { value($0.field) != nil }) {
            let settings = try CodeSettings(
                algorithm: value("TimeOtp-Algorithm"),
                digits: value("TimeOtp-Length"),
                period: value("TimeOtp-Period")
            )
            try self.init(try encoding.decode(value(field) ?? []), settings)
        } else if let seed = value(Self.seed) {
            try self.init(try Base32.decode(seed), try Self.traySettings(value(Self.settings) ?? []))
        } else if fields.contains(where: { $0.key.hasPrefix("HmacOtp-Secret") && !$0.value.isEmpty }) {
            throw .counterBased
        } else {
            return nil
        }
    }

    private init(_ secret: SecretBytes, _ settings: CodeSettings) throws(CodeFailure) {
        try self.init(
            secret: secret,
            algorithm: settings.algorithm,
            digits: settings.digits,
            period: settings.period
        )
    }

    /// `30;6`: the period and the number of digits. What may follow is a server that tells the time.
    private static func traySettings(_ text: [UInt8]) throws(CodeFailure) -> CodeSettings {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Array.init)
        if parts.count > 1, parts[1].elementsEqual("S".utf8) { throw .steam }
        return try CodeSettings(algorithm: nil, digits: parts.count > 1 ? parts[1] : nil, period: parts.first)
    }
}
