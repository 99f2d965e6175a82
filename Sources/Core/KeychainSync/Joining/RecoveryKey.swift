package import Crypto
import FoundationEssentials
package import KeychainModel

/// A key on paper: a member of a circle without a device. It can add a device when no other one is left.
///
/// It consents to its circle when that begins, so a transport cannot invent a circle for it afterwards.
package struct RecoveryKey: Sendable {
    /// 160 bits.
    package static let size = 20
    private static let signingInfo = "chatelaine sync recovery signing 1 "
    private static let sealingInfo = "chatelaine sync recovery sealing 1"
    private static let checkTag = "chatelaine sync recovery check 1"
    /// Without I, L, O and U, which are read as other letters and digits (Crockford's base 32).
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    private let secret: SecretBytes
    package let card: DeviceCard
    package let signing: P256.Signing.PrivateKey
    package let sealing: XWingMLKEM768X25519.PrivateKey

    /// - Parameter secret: 20 random bytes.
    /// - Throws: `outOfRange` for another number of them.
    package init(_ secret: SecretBytes) throws(SyncRefusal) {
        guard secret.count == Self.size else { throw .outOfRange }
        self.secret = secret
        let key = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        do {
            signing = try Self.signingKey(key)
            sealing = try XWingMLKEM768X25519.PrivateKey(
                seedRepresentation: Self.derived(key, Self.sealingInfo),
                publicKey: nil
            )
        } catch {
            throw .badKey
        }
        card = try DeviceCard(
            kind: .recovery,
            signingKey: Array(signing.publicKey.x963Representation),
            sealingKey: Array(sealing.publicKey.rawRepresentation)
        )
    }

    /// The key's consent to a circle.
    package func consent(to circle: CircleID) throws -> [UInt8] {
        let statement = Addition.consent(of: card, to: circle)
        return Array(try signing.signature(for: statement.digest.bytes).rawRepresentation)
    }

    package static func random() throws(SyncRefusal) -> RecoveryKey {
        var random = SystemRandomNumberGenerator()
        return try RecoveryKey(SecretBytes((0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    }

    private static func derived(_ key: SymmetricKey, _ info: String) -> Data {
        let derived = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array(info.utf8), outputByteCount: 32)
        return unsafe derived.withUnsafeBytes { unsafe Data($0) }
    }

    /// The first of the derived numbers that is a key: nearly always the very first.
    private static func signingKey(_ key: SymmetricKey) throws -> P256.Signing.PrivateKey {
        for number in 0..<16 {
            let bytes = derived(key, signingInfo + String(number))
            if let signing = try? P256.Signing.PrivateKey(rawRepresentation: bytes) { return signing }
        }
        throw SyncRefusal.badKey
    }

    // MARK: - On paper

    /// Nine groups of four letters and digits. The last group checks the others.
    package var text: String {
        let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
        let letters = Self.letters(of: bytes) + Self.check(bytes)
        let groups = stride(from: 0, to: letters.count, by: 4).map {
            String(decoding: letters[$0..<($0 + 4)], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// Reads what somebody has typed: in small letters too, with any spaces and hyphens, and with O for 0, I and L for 1.
    ///
    /// - Throws: `truncated` or `trailing` for another length, `outOfRange` for a letter that there is not, `notCanonical` where
    ///   the last group does not fit the others.
    package init(text: String) throws(SyncRefusal) {
        var digits: [UInt8] = []
        for letter in text.uppercased().utf8 where letter != 0x20 && letter != 0x2D {
            let read: UInt8 =
                switch letter {
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                default: letter
                }
            guard let digit = Self.alphabet.firstIndex(of: read) else { throw .outOfRange }
            digits.append(UInt8(digit))
        }
        guard digits.count >= 36 else { throw .truncated }
        guard digits.count == 36 else { throw .trailing }
        let bytes = stride(from: 0, to: 32, by: 8).flatMap { place -> [UInt8] in
            let number = digits[place..<(place + 8)].reduce(UInt64(0)) { $0 << 5 | UInt64($1) }
            return [32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
        }
        guard digits[32...].map({ Self.alphabet[Int($0)] }) == Self.check(bytes) else { throw .notCanonical }
        try self.init(SecretBytes(bytes))
    }

    private static func letters(of bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 5).flatMap { place -> [UInt8] in
            let number = bytes[place..<(place + 5)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return [35, 30, 25, 20, 15, 10, 5, 0].map { alphabet[Int(number >> UInt64($0) & 31)] }
        }
    }

    /// 20 bits of a digest.
    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        Array(letters(of: Array(SyncHash(of: bytes, tag: checkTag).bytes.prefix(5))).prefix(4))
    }
}
