/// What PKCS #1 signs: a digest, and which function computed it (RFC 8017, section 9.2, note 1).
enum DigestInfo {
    /// What stands in front of a digest: SEQUENCE { SEQUENCE { OBJECT IDENTIFIER, NULL }, OCTET STRING }.
    static func prefix(of hash: KeyHash) -> [UInt8] {
        let identifier: [UInt8] =
            switch hash {
            case .sha1: [0x2B, 0x0E, 0x03, 0x02, 0x1A]
            case .sha224: nist + [4]
            case .sha256: nist + [1]
            case .sha384: nist + [2]
            case .sha512: nist + [3]
            }
        let algorithm = [6, UInt8(truncatingIfNeeded: identifier.count)] + identifier + [5, 0]
        let digest: [UInt8] = [4, UInt8(truncatingIfNeeded: hash.size)]
        let inner = [0x30, UInt8(truncatingIfNeeded: algorithm.count)] + algorithm + digest
        // All of them are shorter than 128 bytes.
        return [0x30, UInt8(truncatingIfNeeded: inner.count + hash.size)] + inner
    }

    /// The bytes of the whole.
    static func size(of hash: KeyHash) -> Int { prefix(of: hash).count + hash.size }

    /// The digest that a DigestInfo has, and its function; nil for what is no DigestInfo of a known function in just this
    /// form.
    static func digest(in bytes: [UInt8]) -> (KeyHash, [UInt8])? {
        for hash in KeyHash.allCases {
            let prefix = prefix(of: hash)
            if bytes.starts(with: prefix), bytes.count == prefix.count + hash.size {
                return (hash, Array(bytes.dropFirst(prefix.count)))
            }
        }
        return nil
    }

    private static let nist: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
}
