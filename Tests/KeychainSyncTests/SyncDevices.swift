import Crypto
import Foundation
import KeychainModel
import KeychainSync

/// A device with keys in memory, sealed as real ones do: X-Wing by HPKE.
final class SyncDevice: DeviceKeys {
    let card: DeviceCard
    private let signing: P256.Signing.PrivateKey
    private let sealing: XWingMLKEM768X25519.PrivateKey
    private(set) var epochs: [EpochID: EpochSecret] = [:]
    /// The tiers of which the keys are locked away.
    var locked: Set<SyncTier> = []
    /// Why its enclave begins no epoch.
    var refusal: KeychainError.Code?

    init(kind: DeviceCard.Kind = .device) throws {
        signing = P256.Signing.PrivateKey()
        sealing = try XWingMLKEM768X25519.PrivateKey.generate()
        card = try DeviceCard(
            kind: kind,
            signingKey: Array(signing.publicKey.x963Representation),
            sealingKey: Array(sealing.publicKey.rawRepresentation)
        )
    }

    /// A recovery key, as a device has it while it recovers.
    init(recovery key: RecoveryKey) {
        signing = key.signing
        sealing = key.sealing
        card = key.card
    }

    var id: DeviceID { card.id }

    func sign(_ statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        do {
            return Array(try signing.signature(for: statement.digest.bytes).rawRepresentation)
        } catch {
            throw KeychainError(.internalError, "\(error)")
        }
    }

    /// It signs whatever it is given: an attacker's device, too.
    func note(_ entry: Entry) {}

    func beginEpoch(
        for cards: [DeviceCard],
        earlier: Set<EpochID>,
        in circle: CircleID
    ) throws(KeychainError) -> EpochSecrets {
        try checkUnlocked()
        if let refusal { throw KeychainError(refusal, "no epoch") }
        let secret = EpochSecret()
        let known = earlier.compactMap { epochs[$0] }
        epochs[secret.id] = secret
        return try translating { () throws(SyncRefusal) in try secret.secrets(for: cards, earlier: known, in: circle) }
    }

    func wrap(_ ids: [EpochID], for card: DeviceCard, in circle: CircleID) throws(KeychainError) -> [EpochWrap] {
        try checkUnlocked()
        var wraps: [EpochWrap] = []
        for id in ids {
            let secret = try secret(of: id)
            wraps.append(try translating { () throws(SyncRefusal) in try secret.wrap(for: card, in: circle) })
        }
        return wraps
    }

    @discardableResult
    func unwrap(_ secrets: EpochSecrets, in circle: CircleID) throws(KeychainError) -> Set<EpochID> {
        try checkUnlocked()
        for wrap in secrets.wraps where wrap.recipient == id {
            if let secret = try? EpochSecret(wrap, with: sealing, in: circle) { epochs[secret.id] = secret }
        }
        if let epoch = secrets.wraps.first?.epoch, let secret = epochs[epoch] {
            for earlier in secrets.earlier {
                if let opened = try? secret.open(earlier) { epochs[opened.id] = opened }
            }
        }
        return Set(secrets.wraps.map(\.epoch) + secrets.earlier.map(\.epoch)).filter { epochs[$0] != nil }
    }

    func code(of digest: SyncHash, in epoch: EpochID) throws(KeychainError) -> SyncHash {
        try secret(of: epoch).code(of: digest)
    }

    func seal(
        _ contents: SecretBytes,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SealedBox {
        let secret = try secret(of: epoch, tier)
        return try translating { () throws(SyncRefusal) in try secret.seal(contents, for: tier, authenticating: data) }
    }

    func open(
        _ box: SealedBox,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        let secret = try secret(of: epoch, tier)
        return try translating { () throws(SyncRefusal) in try secret.open(box, for: tier, authenticating: data) }
    }

    private func checkUnlocked() throws(KeychainError) {
        if locked.contains(.unlocked) { throw KeychainError(.interactionNotAllowed, "locked") }
    }

    private func secret(of epoch: EpochID, _ tier: SyncTier? = nil) throws(KeychainError) -> EpochSecret {
        if let tier, locked.contains(tier) { throw KeychainError(.interactionNotAllowed, "locked") }
        guard let secret = epochs[epoch] else { throw KeychainError(.itemNotFound, "no such epoch") }
        return secret
    }

    private func translating<Value>(_ body: () throws(SyncRefusal) -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch {
            throw KeychainError(.authenticationFailed, "\(error)")
        }
    }

    // MARK: - Entries

    func entry(
        _ body: EntryBody,
        in circle: CircleID,
        after parents: [EntryHash],
        consent: [UInt8]? = nil
    ) throws -> Entry {
        try Entry(circle: circle, parents: parents, author: id, body: body, consent: consent, sign: sign)
    }

    /// Adds a device with its consent.
    func adding(
        _ other: SyncDevice,
        to circle: CircleID,
        after parents: [EntryHash],
        epochs: [EpochID] = []
    ) throws -> Entry {
        let addition = Addition(card: other.card, wraps: try wrap(epochs, for: other.card, in: circle))
        let consent = try other.sign(Addition.consent(of: other.card, to: circle))
        return try entry(.add(addition), in: circle, after: parents, consent: consent)
    }

    func removing(_ other: SyncDevice, from circle: CircleID, after parents: [EntryHash], ends: [Ending] = []) throws
        -> Entry
    {
        try entry(.remove(Removal(of: other.id, ends: ends)), in: circle, after: parents)
    }
}
