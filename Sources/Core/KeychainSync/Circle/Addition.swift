/// A device becomes a member: with its own consent, and with the keys of all that is written now.
package struct Addition: Hashable, Sendable {
    package static let mostWraps = 64

    package let card: DeviceCard
    /// The secrets of all good epochs, for the newcomer.
    package let wraps: [EpochWrap]

    package init(card: DeviceCard, wraps: [EpochWrap]) {
        self.card = card
        self.wraps = wraps.sorted { $0.epoch < $1.epoch }
    }

    /// What a newcomer signs.
    package static func consent(of card: DeviceCard, to circle: CircleID) -> SyncStatement {
        SyncStatement(.consent, circle.bytes + card.encoded)
    }

    /// Nobody is added who does not want to be, and to no other circle.
    ///
    /// - Parameter consent: the newcomer's signature.
    package func isMeant(by consent: [UInt8], for circle: CircleID) -> Bool {
        card.verifies(consent, of: Self.consent(of: card, to: circle))
    }

    func write(to writer: inout SyncWriter) {
        writer.append(card.encoded)
        writer.append(rising: wraps, by: \.epoch) { $1.write(to: &$0) }
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        card = try DeviceCard(from: &reader)
        wraps = try reader.rising(atMost: Self.mostWraps, by: \.epoch) { (reader) throws(SyncRefusal) in
            try EpochWrap(from: &reader)
        }
    }

    func check() throws(SyncRefusal) {
        let id = card.id
        guard wraps.allSatisfy({ $0.recipient == id }) else { throw .otherPlace }
    }
}
