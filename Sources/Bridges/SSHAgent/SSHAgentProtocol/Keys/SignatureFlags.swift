import Crypto

/// What a request says of the signature that it wants (RFC 9987, section 3.6.1).
package struct SignatureFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let rsaSHA256 = SignatureFlags(rawValue: 2)
    package static let rsaSHA512 = SignatureFlags(rawValue: 4)
}

/// Signatures in the form that ssh sends (RFC 4253, section 6.6).
package enum SSHSignature {
    /// A signature of a P-256 key.
    ///
    /// - Parameter raw: r and s, 32 bytes each.
    /// - Returns: nil for another number of bytes.
    package static func p256(raw: [UInt8]) -> [UInt8]? {
        raw.count == 64 ? ecdsa(.p256, raw: raw) : nil
    }

    /// What a P-256 key signs: the digest of the data.
    package static func p256Digest(of data: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: data)) }

    static func ecdsa(_ curve: SSHCurve, raw: [UInt8]) -> [UInt8] {
        var content = SSHWriter()
        content.magnitude(raw.prefix(curve.size))
        content.magnitude(raw.dropFirst(curve.size))
        return named(curve.algorithm, content.bytes)
    }

    static func named(_ algorithm: String, _ content: [UInt8]) -> [UInt8] {
        var writer = SSHWriter()
        writer.string(algorithm)
        writer.string(content)
        return writer.bytes
    }
}
