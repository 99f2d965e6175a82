import Crypto
import EnclaveInterface
import KeychainModel
import KeychainSync

/// The keys of a device that belongs to a circle, sealed, and who else does.
///
/// `docs/formats/sync-keys.md` gives every byte of its file.
struct SyncKeyFile: Sendable, Equatable {
    /// In bytes: more than all members and epochs that there is room for.
    static let largest = 4 << 20
    static let mostKnown = 16_384
    static let mostEpochs = 4_096
    private static let magic: [UInt8] = Array("CHsk".utf8)
    private static let version: UInt8 = 1
    private static let macSize = 32

    /// A device or a recovery key that was a member once.
    struct Known: Sendable, Equatable {
        let id: DeviceID
        let signingKey: [UInt8]
        var isRemoved = false
    }

    struct Epoch: Sendable, Equatable {
        let id: EpochID
        /// Whether this device has begun it: it signs no entry about another one.
        let isOwn: Bool
        /// Whether such an entry was signed. Until then nobody has heard of the epoch.
        var isSigned: Bool
        /// The secret, which is there while the device is unlocked.
        let secret: [UInt8]
        /// What a locked device uses of it: the key of a tier, and the key of digests.
        let locked: [UInt8]
    }

    let signing: EnclaveKey
    let card: DeviceCard
    /// The seed of the key that secrets are wrapped for.
    let sealing: [UInt8]
    /// Nil before this device has founded one, or consented to one.
    var circle: CircleID?
    var limit = JoinLimit()
    /// In the order of their identifiers.
    private(set) var known: [Known] = []
    private(set) var epochs: [Epoch] = []

    init(_ signing: EnclaveKey, _ card: DeviceCard, sealing: [UInt8]) {
        self.signing = signing
        self.card = card
        self.sealing = sealing
    }

    // MARK: - Members

    func known(_ id: DeviceID) -> Known? { known.first { $0.id == id } }

    /// Whether somebody was added, and not removed.
    func isMember(_ id: DeviceID) -> Bool { known(id).map { !$0.isRemoved } ?? false }

    /// Whether this device was removed from its circle.
    var isOut: Bool { known(card.id)?.isRemoved ?? false }

    mutating func add(_ card: DeviceCard) throws(KeychainError) {
        guard known(card.id) == nil else { return }
        guard known.count < Self.mostKnown else { throw Self.full }
        known.append(Known(id: card.id, signingKey: card.signingKey))
        known.sort { $0.id < $1.id }
    }

    mutating func remove(_ id: DeviceID) {
        guard let place = known.firstIndex(where: { $0.id == id }) else { return }
        known[place].isRemoved = true
    }

    // MARK: - Epochs

    func epoch(_ id: EpochID) -> Epoch? { epochs.first { $0.id == id } }

    mutating func add(_ epoch: Epoch) throws(KeychainError) {
        guard self.epoch(epoch.id) == nil else { return }
        // Of those that nobody has heard of, the last one counts.
        if epoch.isOwn { epochs.removeAll { $0.isOwn && !$0.isSigned } }
        guard epochs.count < Self.mostEpochs else { throw Self.full }
        epochs.append(epoch)
        epochs.sort { $0.id < $1.id }
    }

    mutating func sign(_ id: EpochID) {
        guard let place = epochs.firstIndex(where: { $0.id == id }) else { return }
        epochs[place].isSigned = true
    }

    private static let full = KeychainError(.dataTooLarge, "the circle has more members or epochs than a device keeps")

    // MARK: - As bytes

    func file(of keychain: ItemUUID, under deviceKey: DeviceKey) -> [UInt8] {
        var writer = SyncWriter()
        writer.append(Self.magic + [Self.version, 0, 0, 0] + keychain.bytes)
        writer.append(field: signing.bytes)
        writer.append(card.sealingKey)
        writer.append(sealing)
        writer.append(circle ?? .zero)
        writer.append(number: limit.failures)
        writer.append(number: limit.last)
        writer.append(rising: known, by: \.id) { writer, known in
            writer.append(known.id)
            writer.append(known.signingKey)
            writer.append(number: known.isRemoved ? UInt8(1) : 0)
        }
        writer.append(rising: epochs, by: \.id) { writer, epoch in
            writer.append(epoch.id)
            writer.append(number: UInt8(epoch.isOwn ? 1 : 0) + (epoch.isSigned ? 2 : 0))
            writer.append(epoch.secret)
            writer.append(epoch.locked)
        }
        return writer.bytes + Self.code(of: writer.bytes, keychain, deviceKey)
    }

    private static func code(of bytes: [UInt8], _ keychain: ItemUUID, _ deviceKey: DeviceKey) -> [UInt8] {
        let key = Keybag.derive(deviceKey.key, "chatelaine sync keys mac 1", keychain)
        return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    /// - Throws: `notAvailable` for anything else than a whole file of a known version, this keychain and this device.
    init(_ file: [UInt8], of keychain: ItemUUID, under deviceKey: DeviceKey) throws(KeychainError) {
        guard file.count > Self.macSize, file.starts(with: Self.magic) else { throw Self.damaged }
        guard file[Self.magic.count] == Self.version else {
            throw KeychainError(.notAvailable, "the device's keys are of a newer version; use the newer program")
        }
        let bytes = Array(file.dropLast(Self.macSize))
        let key = Keybag.derive(deviceKey.key, "chatelaine sync keys mac 1", keychain)
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(file.suffix(Self.macSize)),
                authenticating: bytes,
                using: key
            )
        else { throw Self.damaged }
        do throws(SyncRefusal) {
            try self.init(bytes, of: keychain)
        } catch {
            throw Self.damaged
        }
    }

    private init(_ bytes: [UInt8], of keychain: ItemUUID) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        let start = try reader.take(Self.magic.count + 4)
        guard start.suffix(3) == [0, 0, 0], try reader.take(16) == keychain.bytes,
            let signing = EnclaveKey(try reader.field(atMost: EnclaveKey.largest)), signing.kind.algorithm == .p256
        else { throw .outOfRange }
        self.signing = signing
        card = try DeviceCard(
            kind: .device,
            signingKey: signing.publicKey.externalRepresentation,
            sealingKey: try reader.take(DeviceCard.sealingKeySize)
        )
        sealing = try reader.take(32 + Cipher.overhead)
        let circle = try reader.hash()
        self.circle = circle == .zero ? nil : circle
        limit = JoinLimit(failures: try reader.number(UInt32.self), last: try reader.number(UInt64.self))
        known = try reader.rising(atMost: Self.mostKnown, by: \.id) { (reader) throws(SyncRefusal) in
            Known(
                id: try reader.hash(),
                signingKey: try reader.take(DeviceCard.signingKeySize),
                isRemoved: try reader.flag()
            )
        }
        epochs = try reader.rising(atMost: Self.mostEpochs, by: \.id) { (reader) throws(SyncRefusal) in
            let id = try reader.hash()
            let flags = try reader.byte()
            guard flags <= 3 else { throw .notCanonical }
            return Epoch(
                id: id,
                isOwn: flags & 1 != 0,
                isSigned: flags & 2 != 0,
                secret: try reader.take(32 + Cipher.overhead),
                locked: try reader.take(64 + Cipher.overhead)
            )
        }
        try reader.end()
    }

    static let damaged = KeychainError(
        .notAvailable,
        "the keys of this device in its circle are damaged, or another keychain's; put the original file back"
    )
}
