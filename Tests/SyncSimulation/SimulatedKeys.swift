import Crypto
import Foundation
import KeychainModel
import KeychainSync

/// Numbers that no two devices of a world get, nor two copies of a disk.
final class Numbers {
    private var last: UInt64

    init(seed: UInt64) { last = seed }

    func next() -> UInt64 {
        last += 1
        return last
    }

    /// - Parameter count: 32 at most.
    func bytes(_ use: String, _ count: Int = 32) -> [UInt8] {
        Array(SyncHash(of: Array("\(use) \(next())".utf8)).bytes.prefix(count))
    }

    func name() -> SyncName {
        var random = SeededRandom(next())
        return SyncName(using: &random)
    }
}

/// The keys of a simulated device. Signatures are real. What is sealed has a nonce that follows from its contents, so that a
/// schedule is the same each time it runs; and a wrap is opened by the device that it is for, for want of a deterministic HPKE.
final class SimulatedKeys: DeviceKeys {
    let card: DeviceCard
    private let signing: P256.Signing.PrivateKey
    private let numbers: Numbers
    private(set) var epochs: [EpochID: [UInt8]] = [:]
    /// Whether the keys of items that are there while the device is unlocked are locked away.
    var isLocked = false

    init(_ numbers: Numbers, kind: DeviceCard.Kind = .device) throws {
        self.numbers = numbers
        var secret = numbers.bytes("device")
        // Below the order of the curve.
        secret[0] = 1
        signing = try P256.Signing.PrivateKey(rawRepresentation: secret)
        let sealing = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: Data(secret), publicKey: nil)
        card = try DeviceCard(
            kind: kind,
            signingKey: Array(signing.publicKey.x963Representation),
            sealingKey: Array(sealing.publicKey.rawRepresentation)
        )
    }

    private init(copyOf other: SimulatedKeys) {
        card = other.card
        signing = other.signing
        numbers = other.numbers
        epochs = other.epochs
    }

    /// As a copy of a disk has them.
    func copy() -> SimulatedKeys { SimulatedKeys(copyOf: self) }

    func sign(_ statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        do {
            return Array(try signing.signature(for: statement.digest.bytes).rawRepresentation)
        } catch {
            throw KeychainError(.internalError, "\(error)")
        }
    }

    func note(_ entry: Entry) {}

    // MARK: - Epochs

    func beginEpoch(
        for cards: [DeviceCard],
        earlier: Set<EpochID>,
        in circle: CircleID
    ) throws(KeychainError) -> EpochSecrets {
        try check(.unlocked)
        let secret = numbers.bytes("epoch")
        let id = EpochDescription.commitment(to: SymmetricKey(data: secret))
        epochs[id] = secret
        var boxes: [EarlierEpoch] = []
        for known in earlier.sorted() {
            guard let key = epochs[known] else { continue }
            boxes.append(EarlierEpoch(epoch: known, box: try Self.seal(key, under: secret, known.bytes)))
        }
        var wraps: [EpochWrap] = []
        for card in cards { wraps.append(try wrap(id, for: card)) }
        return EpochSecrets(wraps: wraps, earlier: boxes)
    }

    func wrap(_ ids: [EpochID], for card: DeviceCard, in circle: CircleID) throws(KeychainError) -> [EpochWrap] {
        try check(.unlocked)
        var wraps: [EpochWrap] = []
        for id in ids where epochs[id] != nil { wraps.append(try wrap(id, for: card)) }
        return wraps
    }

    private func wrap(_ id: EpochID, for card: DeviceCard) throws(KeychainError) -> EpochWrap {
        let box = try Self.seal(epochs[id] ?? [], under: card.id.bytes, id.bytes).bytes
        let key = SealedKey(
            encapsulation: [UInt8](box.prefix(12)) + [UInt8](repeating: 0, count: SealedKey.encapsulationSize - 12),
            box: Array(box.dropFirst(12))
        )
        return EpochWrap(epoch: id, recipient: card.id, key: key)
    }

    func unwrap(_ secrets: EpochSecrets, in circle: CircleID) throws(KeychainError) -> Set<EpochID> {
        try check(.unlocked)
        for wrap in secrets.wraps where wrap.recipient == card.id {
            let bytes = wrap.key.encapsulation.prefix(12) + wrap.key.box
            keep(try? Self.open(Array(bytes), under: card.id.bytes, wrap.epoch.bytes), wrap.epoch)
        }
        let named = Set(secrets.wraps.map(\.epoch) + secrets.earlier.map(\.epoch))
        if let epoch = secrets.wraps.first?.epoch, let secret = epochs[epoch] {
            for earlier in secrets.earlier {
                keep(try? Self.open(earlier.box.bytes, under: secret, earlier.epoch.bytes), earlier.epoch)
            }
        }
        return named.filter { epochs[$0] != nil }
    }

    private func keep(_ secret: [UInt8]?, _ id: EpochID) {
        guard let secret, EpochDescription.commitment(to: SymmetricKey(data: secret)) == id else { return }
        epochs[id] = secret
    }

    func code(of digest: SyncHash, in epoch: EpochID) throws(KeychainError) -> SyncHash {
        EpochSecret(SymmetricKey(data: try secret(of: epoch))).code(of: digest)
    }

    // MARK: - Records

    func seal(
        _ contents: SecretBytes,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SealedBox {
        try check(tier)
        return try Self.seal(unsafe contents.withUnsafeBytes { unsafe Array($0) }, under: try secret(of: epoch), data)
    }

    func open(
        _ box: SealedBox,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        try check(tier)
        return SecretBytes(try Self.open(box.bytes, under: try secret(of: epoch), data))
    }

    private func check(_ tier: SyncTier) throws(KeychainError) {
        if isLocked, tier == .unlocked { throw KeychainError(.interactionNotAllowed, "locked") }
    }

    private func secret(of epoch: EpochID) throws(KeychainError) -> [UInt8] {
        guard let secret = epochs[epoch] else { throw KeychainError(.itemNotFound, "no such epoch") }
        return secret
    }

    private static func seal(_ bytes: [UInt8], under key: [UInt8], _ data: [UInt8]) throws(KeychainError) -> SealedBox {
        do {
            let nonce = try AES.GCM.Nonce(data: SyncHash(of: bytes + data).bytes.prefix(12))
            let box = try AES.GCM.seal(bytes, using: SymmetricKey(data: key), nonce: nonce, authenticating: data)
            guard let combined = box.combined, let sealed = SealedBox(Array(combined)) else {
                throw KeychainError(.internalError, "a box has another size")
            }
            return sealed
        } catch {
            throw KeychainError(.internalError, "\(error)")
        }
    }

    private static func open(_ bytes: [UInt8], under key: [UInt8], _ data: [UInt8]) throws(KeychainError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: bytes)
            return Array(try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: data))
        } catch {
            throw KeychainError(.authenticationFailed, "not sealed so")
        }
    }
}
