import KeychainModel

/// A password in the two forms in which it goes into keys.
struct ExchangePassword {
    /// As it was given: for PBES2 (RFC 8018, section 3).
    let utf8: SecretBytes
    /// UTF-16, big-endian, with a zero at the end: for PKCS #12's own derivation (RFC 7292, appendix B.1). Where there
    /// is no password at all, without that zero too.
    let wide: SecretBytes

    /// - Parameter password: UTF-8; nil for none.
    /// - Throws: `invalidParameter` for bytes that are no UTF-8, and for very many.
    init(_ password: SecretBytes?) throws(KeychainError) {
        guard let password else {
            utf8 = SecretBytes([])
            wide = SecretBytes([])
            return
        }
        guard password.count <= ExchangeLimits.largestPassword else {
            throw KeychainError(
                .invalidParameter,
                "the password is longer than \(ExchangeLimits.largestPassword) bytes"
            )
        }
        utf8 = password
        // Not a String, whose bytes would not be zeroed. There are at most two bytes for each one, and two more.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * password.count + 2)
        let isText = unsafe password.withUnsafeBytes { buffer in
            var decoder = UTF8()
            var source = unsafe buffer.makeIterator()
            while true {
                switch unsafe decoder.decode(&source) {
                case .scalarValue(let scalar):
                    for unit in UTF16.encode(scalar) ?? .init() {
                        bytes.append(UInt8(truncatingIfNeeded: unit >> 8))
                        bytes.append(UInt8(truncatingIfNeeded: unit))
                    }
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
        bytes += [0, 0]
        wide = SecretBytes(moving: &bytes)
        guard isText else { throw KeychainError(.invalidParameter, "the password is not UTF-8") }
    }

    /// What a password may have been when a file was made: programs do not agree whether an empty password is one.
    static func candidates(_ password: SecretBytes?) throws(KeychainError) -> [ExchangePassword] {
        if let password, password.count > 0 { return [try ExchangePassword(password)] }
        return [try ExchangePassword(SecretBytes([])), try ExchangePassword(nil)]
    }
}
