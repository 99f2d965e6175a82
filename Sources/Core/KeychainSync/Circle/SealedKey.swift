package import Crypto
import FoundationEssentials

/// A key of 32 bytes that one device opens: HPKE (RFC 9180) in base mode, with X-Wing, HKDF-SHA-256 and AES-256-GCM.
package struct SealedKey: Hashable, Sendable {
    package static let encapsulationSize = 1_120
    package static let boxSize = 32 + 16
    private static let suite = HPKE.Ciphersuite.XWingMLKEM768X25519_SHA256_AES_GCM_256

    package let encapsulation: [UInt8]
    package let box: [UInt8]

    package init(encapsulation: [UInt8], box: [UInt8]) {
        self.encapsulation = encapsulation
        self.box = box
    }

    /// - Parameter info: binds the key to its place.
    /// - Throws: `badKey` for a public key to which nothing can be sealed.
    package init(_ key: SymmetricKey, to recipient: [UInt8], info: [UInt8]) throws(SyncRefusal) {
        do {
            let recipient = try XWingMLKEM768X25519.PublicKey(rawRepresentation: recipient)
            var sender = try HPKE.Sender(recipientKey: recipient, ciphersuite: Self.suite, info: Data(info))
            box = try unsafe key.withUnsafeBytes { unsafe Array(try sender.seal($0)) }
            encapsulation = Array(sender.encapsulatedKey)
        } catch {
            throw .badKey
        }
        guard encapsulation.count == Self.encapsulationSize, box.count == Self.boxSize else { throw .badKey }
    }

    /// Invalid keys may parse: 0xFF throughout does. Sealing to it fails.
    package static func canSeal(to recipient: [UInt8]) -> Bool {
        (try? SealedKey(SymmetricKey(data: [UInt8](repeating: 0, count: 32)), to: recipient, info: [])) != nil
    }

    /// - Returns: nil where the key is not this one's, or the info another.
    package func opened(with key: XWingMLKEM768X25519.PrivateKey, info: [UInt8]) -> SymmetricKey? {
        guard
            var recipient = try? HPKE.Recipient(
                privateKey: key,
                ciphersuite: Self.suite,
                info: Data(info),
                encapsulatedKey: Data(encapsulation)
            ), var secret = try? recipient.open(Data(box)), secret.count == 32
        else { return nil }
        defer { secret.resetBytes(in: 0..<secret.count) }
        return SymmetricKey(data: secret)
    }
}
