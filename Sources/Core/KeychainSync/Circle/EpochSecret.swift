package import Crypto
import FoundationEssentials
package import KeychainModel

/// The secret of an epoch, and the keys that are derived from it. Only enclaves and simulations have one.
package struct EpochSecret: Sendable {
    private static let tierInfo = "chatelaine sync tier 1 "
    private static let boxInfo = "chatelaine sync box 1"
    private static let earlierInfo = "chatelaine sync earlier 1"
    private static let digestInfo = "chatelaine sync digest 1"
    private static let wrapInfo = "chatelaine sync epoch wrap 1"

    private let secret: SymmetricKey
    package let id: EpochID

    package init(_ secret: SymmetricKey) {
        self.secret = secret
        id = EpochDescription.commitment(to: secret)
    }

    /// Random.
    package init() { self.init(SymmetricKey(size: .bits256)) }

    /// - Throws: `badKey` for a card to which nothing can be sealed.
    package func secrets(
        for cards: [DeviceCard],
        earlier: [EpochSecret],
        in circle: CircleID
    ) throws(SyncRefusal) -> EpochSecrets {
        var wraps: [EpochWrap] = []
        for card in cards { wraps.append(try wrap(for: card, in: circle)) }
        var boxes: [EarlierEpoch] = []
        for epoch in earlier { boxes.append(EarlierEpoch(epoch: epoch.id, box: try seal(epoch))) }
        return EpochSecrets(wraps: wraps, earlier: boxes)
    }

    // MARK: - For members

    /// Seals the secret to a member.
    package func wrap(for card: DeviceCard, in circle: CircleID) throws(SyncRefusal) -> EpochWrap {
        let key = try SealedKey(secret, to: card.sealingKey, info: Self.info(circle, id, card.id))
        return EpochWrap(epoch: id, recipient: card.id, key: key)
    }

    /// Opens the secret that was wrapped for a member.
    ///
    /// - Throws: `notOpened` for another's, and for a secret that is not the one that the epoch is named by.
    package init(
        _ wrap: EpochWrap,
        with key: XWingMLKEM768X25519.PrivateKey,
        in circle: CircleID
    ) throws(SyncRefusal) {
        let info = Self.info(circle, wrap.epoch, wrap.recipient)
        guard let secret = wrap.key.opened(with: key, info: info) else { throw .notOpened }
        self.init(secret)
        guard id == wrap.epoch else { throw .notOpened }
    }

    /// Binds a wrap to its circle, its epoch and its recipient.
    private static func info(_ circle: CircleID, _ epoch: EpochID, _ recipient: DeviceID) -> [UInt8] {
        Array(wrapInfo.utf8) + circle.bytes + epoch.bytes + recipient.bytes
    }

    // MARK: - Earlier epochs

    private func seal(_ earlier: EpochSecret) throws(SyncRefusal) -> SealedBox {
        let key = derived(Self.earlierInfo)
        let data = id.bytes + earlier.id.bytes
        do {
            return try unsafe earlier.secret.withUnsafeBytes { bytes in
                try unsafe SealedBox(sealing: bytes, under: key, authenticating: data)
            }
        } catch {
            throw .notOpened
        }
    }

    /// Opens an earlier epoch's secret.
    ///
    /// - Throws: `notOpened`, also for a secret that is not the one that the epoch is named by.
    package func open(_ earlier: EarlierEpoch) throws(SyncRefusal) -> EpochSecret {
        let secret = try earlier.box.opened(
            under: derived(Self.earlierInfo),
            authenticating: id.bytes + earlier.epoch.bytes
        )
        let epoch = EpochSecret(unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        guard epoch.id == earlier.epoch else { throw .notOpened }
        return epoch
    }

    // MARK: - Records

    /// Seals the contents of a segment's box.
    package func seal(
        _ contents: SecretBytes,
        for tier: SyncTier,
        authenticating data: [UInt8]
    ) throws(SyncRefusal) -> SealedBox {
        let key = boxKey(for: tier, authenticating: data)
        return try unsafe contents.withUnsafeBytes { (bytes) throws(SyncRefusal) in
            try unsafe SealedBox(sealing: bytes, under: key, authenticating: data)
        }
    }

    /// - Throws: `notOpened`.
    package func open(
        _ box: SealedBox,
        for tier: SyncTier,
        authenticating data: [UInt8]
    ) throws(SyncRefusal) -> SecretBytes {
        try box.opened(under: boxKey(for: tier, authenticating: data), authenticating: data)
    }

    /// The key of one box, which opens no other one.
    package func boxKey(for tier: SyncTier, authenticating data: [UInt8]) -> SymmetricKey {
        Self.boxKey(under: key(of: tier), for: SyncHash(of: data))
    }

    /// - Parameter data: the hash of what the box is authenticated with.
    package static func boxKey(under tierKey: SymmetricKey, for data: SyncHash) -> SymmetricKey {
        derived(tierKey, Array(boxInfo.utf8) + data.bytes)
    }

    /// HMAC-SHA-256 of a digest of the items. Who has not this secret cannot compare it with a guess.
    package func code(of digest: SyncHash) -> SyncHash { Self.code(of: digest, under: digestKey) }

    package static func code(of digest: SyncHash, under digestKey: SymmetricKey) -> SyncHash {
        SyncHash(HMAC<SHA256>.authenticationCode(for: digest.bytes, using: digestKey)) ?? .zero
    }

    // MARK: - For enclaves

    /// The secret itself, to be kept.
    package var key: SymmetricKey { secret }

    /// What the keys of boxes of a tier are derived from.
    package func key(of tier: SyncTier) -> SymmetricKey { derived(Self.tierInfo + String(tier.rawValue)) }

    package var digestKey: SymmetricKey { derived(Self.digestInfo) }

    private func derived(_ info: String) -> SymmetricKey { Self.derived(secret, Array(info.utf8)) }

    private static func derived(_ key: SymmetricKey, _ info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: info, outputByteCount: 32)
    }
}
