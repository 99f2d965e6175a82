package import Crypto

/// The public area of a key that a TPM keeps, which is the template of ours and a point, and nothing else.
package struct TPMKeyArea: Sendable {
    /// Its first two bytes say the size of the rest (TPM 2.0 Library, part 2, 12.2.5, TPM2B_PUBLIC).
    package let bytes: [UInt8]
    package let publicKey: P256.Signing.PublicKey

    /// Type ECC, names by SHA-256, the attributes, no policy, no symmetric cipher, no scheme, P-256, no derivation.
    private static let template: [UInt8] =
        [0x00, 0x23, 0x00, 0x0B] + attributes + [0x00, 0x00, 0x00, 0x10, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10]

    /// fixedTPM (bit 1), fixedParent (4), sensitiveDataOrigin (5), userWithAuth (6), noDA (10), decrypt (17), sign (18).
    private static let attributes: [UInt8] = [0x00, 0x06, 0x04, 0x72]

    /// - Returns: nil for any other area, also of a key that could be taken out of the TPM, or has another curve.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        let area = bytes.dropFirst(2)
        guard Self.number(bytes) == area.count, area.starts(with: Self.template) else { return nil }
        var rest = area.dropFirst(Self.template.count)
        var point: [UInt8] = [4]
        for _ in 0..<2 {
            // TPMs may leave out zeroes at the beginning.
            guard let size = Self.number(rest), size <= 32, rest.count >= 2 + size else { return nil }
            point += [UInt8](repeating: 0, count: 32 - size) + rest.dropFirst(2).prefix(size)
            rest = rest.dropFirst(2 + size)
        }
        guard rest.isEmpty, let key = try? P256.Signing.PublicKey(x963Representation: point) else { return nil }
        self.bytes = bytes
        publicKey = key
    }

    /// The size that something begins with.
    static func number(_ bytes: some Collection<UInt8>) -> Int? {
        guard bytes.count >= 2 else { return nil }
        return bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }

    /// What a TPM calls an object with this area (part 1, 16).
    package var name: [UInt8] { [0x00, 0x0B] + SHA256.hash(data: bytes.dropFirst(2)) }
}
