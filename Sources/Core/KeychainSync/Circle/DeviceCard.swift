import Crypto

/// What a device is known by: its two public keys.
package struct DeviceCard: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case device = 1
        /// A key on paper: a member without a device.
        case recovery = 2
    }

    package static let size = 1 + signingKeySize + sealingKeySize
    /// P-256, X9.63.
    package static let signingKeySize = 65
    /// X-Wing (ML-KEM-768 and X25519).
    package static let sealingKeySize = 1_216

    package let kind: Kind
    package let signingKey: [UInt8]
    package let sealingKey: [UInt8]

    /// - Throws: `badKey` for a point that is not on the curve, and for a sealing key to which nothing can be sealed.
    package init(kind: Kind, signingKey: [UInt8], sealingKey: [UInt8]) throws(SyncRefusal) {
        guard signingKey.count == Self.signingKeySize, sealingKey.count == Self.sealingKeySize,
            (try? P256.Signing.PublicKey(x963Representation: signingKey)) != nil, SealedKey.canSeal(to: sealingKey)
        else { throw .badKey }
        self.kind = kind
        self.signingKey = signingKey
        self.sealingKey = sealingKey
    }

    package var id: DeviceID { SyncHash(of: encoded) }

    package var encoded: [UInt8] { [kind.rawValue] + signingKey + sealingKey }

    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.size)
        try self.init(from: &reader)
        try reader.end()
    }

    package init(from reader: inout SyncReader) throws(SyncRefusal) {
        let code = try reader.byte()
        guard let kind = Kind(rawValue: code) else { throw .unknownKind(code) }
        try self.init(
            kind: kind,
            signingKey: try reader.take(Self.signingKeySize),
            sealingKey: try reader.take(Self.sealingKeySize)
        )
    }

    package func verifies(_ signature: [UInt8], of statement: SyncStatement) -> Bool {
        Self.verifies(signature, of: statement, by: signingKey)
    }

    /// The same, for the signing key of a card alone.
    package static func verifies(_ signature: [UInt8], of statement: SyncStatement, by signingKey: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: signingKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: statement.digest.bytes)
    }
}
