/// The hash function under a code's HMAC.
package enum CodeAlgorithm: String, Sendable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Reads the names that programs use: `SHA1`, `sha-1`, `HmacSHA1`, `HMAC-SHA-1`.
    ///
    /// - Returns: nil for any other function.
    init?(name: some Collection<UInt8>) {
        let letters = name.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        guard let text = String(validating: letters, as: UTF8.self)?.uppercased() else { return nil }
        self.init(rawValue: text.hasPrefix("HMAC") ? String(text.dropFirst(4)) : text)
    }
}
