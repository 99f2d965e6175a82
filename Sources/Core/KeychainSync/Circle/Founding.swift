package import KeychainModel

/// How a circle begins: with its first member.
package struct Founding: Hashable, Sendable {
    private static let tag = "chatelaine sync name key 1"

    package let card: DeviceCard
    /// To the name key, which stays the same: no member can give another one a different key.
    package let nameKey: SyncHash

    package init(card: DeviceCard, nameKey: SyncHash) {
        self.card = card
        self.nameKey = nameKey
    }

    package static func commitment(to nameKey: SecretBytes) -> SyncHash { SyncHash(of: nameKey, tag: tag) }

    func write(to writer: inout SyncWriter) {
        writer.append(card.encoded)
        writer.append(nameKey)
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        card = try DeviceCard(from: &reader)
        nameKey = try reader.hash()
    }
}
