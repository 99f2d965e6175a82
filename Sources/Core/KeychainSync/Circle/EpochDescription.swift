package import Crypto

/// An epoch is named by the commitment to its secret: who unwraps the secret compares, so that a member cannot give
/// different secrets to different members.
package typealias EpochID = SyncHash

/// A secret that members share from here on: what they write is sealed under keys that are derived from it.
package struct EpochDescription: Hashable, Sendable {
    package static let mostMembers = 64
    package static let mostEarlier = 256
    private static let tag = "chatelaine sync epoch 1"

    private static let nameKeyTag = "chatelaine sync name key box 1"

    package let id: EpochID
    /// The secret for each member, and the secrets of earlier epochs.
    package let secrets: EpochSecrets
    /// The circle's name key, sealed as contents of a segment are, for `afterFirstUnlock`.
    package let nameKey: SealedBox

    package init(id: EpochID, secrets: EpochSecrets, nameKey: SealedBox) {
        self.id = id
        self.secrets = secrets
        self.nameKey = nameKey
    }

    /// What the box of the name key is authenticated with.
    package static func nameKeyData(in circle: CircleID, _ epoch: EpochID) -> [UInt8] {
        Array(nameKeyTag.utf8) + circle.bytes + epoch.bytes
    }

    package static func commitment(to secret: SymmetricKey) -> EpochID { SyncHash(ofSecret: secret, tag: tag) }

    func write(to writer: inout SyncWriter) {
        writer.append(id)
        writer.append(nameKey.bytes)
        writer.append(rising: secrets.wraps, by: \.recipient) { $1.write(to: &$0) }
        writer.append(rising: secrets.earlier, by: \.epoch) { $1.write(to: &$0) }
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        id = try reader.hash()
        nameKey = try SealedBox(ofKeyFrom: &reader)
        let wraps = try reader.rising(atMost: Self.mostMembers, by: \.recipient) { (reader) throws(SyncRefusal) in
            try EpochWrap(from: &reader)
        }
        let earlier = try reader.rising(atMost: Self.mostEarlier, by: \.epoch) { (reader) throws(SyncRefusal) in
            try EarlierEpoch(from: &reader)
        }
        secrets = EpochSecrets(wraps: wraps, earlier: earlier)
    }

    func check() throws(SyncRefusal) {
        guard secrets.wraps.allSatisfy({ $0.epoch == id }), secrets.earlier.allSatisfy({ $0.epoch != id }) else {
            throw .otherPlace
        }
    }
}

/// Secrets of epochs, each for somebody.
package struct EpochSecrets: Hashable, Sendable {
    package let wraps: [EpochWrap]
    /// Under the secret of the epoch that is wrapped.
    package let earlier: [EarlierEpoch]

    package init(wraps: [EpochWrap], earlier: [EarlierEpoch] = []) {
        self.wraps = wraps.sorted { ($0.recipient, $0.epoch) < ($1.recipient, $1.epoch) }
        self.earlier = earlier.sorted { $0.epoch < $1.epoch }
    }
}

/// An epoch's secret, sealed to one member.
package struct EpochWrap: Hashable, Sendable {
    package let epoch: EpochID
    package let recipient: DeviceID
    package let key: SealedKey

    package init(epoch: EpochID, recipient: DeviceID, key: SealedKey) {
        self.epoch = epoch
        self.recipient = recipient
        self.key = key
    }

    func write(to writer: inout SyncWriter) {
        writer.append(epoch)
        writer.append(recipient)
        writer.append(key.encapsulation)
        writer.append(key.box)
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        epoch = try reader.hash()
        recipient = try reader.hash()
        key = try SealedKey(
            encapsulation: reader.take(SealedKey.encapsulationSize),
            box: reader.take(SealedKey.boxSize)
        )
    }
}

/// The secret of an earlier epoch, under a later one's.
package struct EarlierEpoch: Hashable, Sendable {
    package let epoch: EpochID
    package let box: SealedBox

    package init(epoch: EpochID, box: SealedBox) {
        self.epoch = epoch
        self.box = box
    }

    func write(to writer: inout SyncWriter) {
        writer.append(epoch)
        writer.append(box.bytes)
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        epoch = try reader.hash()
        box = try SealedBox(ofKeyFrom: &reader)
    }
}
