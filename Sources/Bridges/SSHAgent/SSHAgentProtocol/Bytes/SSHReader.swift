import KeychainModel

/// Reads the data types of RFC 4251, section 5, from the front of bytes that anybody may have written.
///
/// A length is compared with what is there before anything is made of it.
struct SSHReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// In bytes.
    var remaining: Int { rest.count }

    mutating func byte() throws(SSHFormatError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.tooShort }
        return byte
    }

    mutating func boolean() throws(SSHFormatError) -> Bool { try byte() != 0 }

    mutating func uint32() throws(SSHFormatError) -> UInt32 {
        try take(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func uint64() throws(SSHFormatError) -> UInt64 {
        try take(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func string() throws(SSHFormatError) -> [UInt8] {
        let count = try uint32()
        return Array(try take(Int(count)))
    }

    /// A string that is UTF-8.
    ///
    /// - Parameter limit: in bytes.
    mutating func text(limit: Int = 4_096) throws(SSHFormatError) -> String {
        let bytes = try string()
        guard bytes.count <= limit else { throw SSHFormatError("a text is too long") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SSHFormatError("a text is not UTF-8")
        }
        return text
    }

    /// A string that is kept as a secret.
    mutating func secret() throws(SSHFormatError) -> SecretBytes {
        let count = try uint32()
        return SecretBytes(try take(Int(count)))
    }

    /// An mpint that is not negative, without its leading zeros.
    mutating func magnitude() throws(SSHFormatError) -> [UInt8] {
        let count = try uint32()
        return Array(try magnitude(of: take(Int(count))))
    }

    /// The same of a number that is secret.
    mutating func secretMagnitude() throws(SSHFormatError) -> SecretBytes {
        let count = try uint32()
        return SecretBytes(try magnitude(of: take(Int(count))))
    }

    func requireEnd() throws(SSHFormatError) {
        guard rest.isEmpty else { throw SSHFormatError("a message has bytes behind its end") }
    }

    private func magnitude(of bytes: ArraySlice<UInt8>) throws(SSHFormatError) -> ArraySlice<UInt8> {
        guard bytes.first.map({ $0 < 0x80 }) ?? true else { throw SSHFormatError("a number is negative") }
        return bytes.drop { $0 == 0 }
    }

    private mutating func take(_ count: Int) throws(SSHFormatError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.tooShort }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static let tooShort = SSHFormatError("a message is shorter than it says")
}
