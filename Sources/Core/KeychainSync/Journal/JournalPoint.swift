/// A journal's name: the beginning of a digest of its device and of a random salt, so that no other device can claim it.
package typealias JournalID = SyncName

extension SyncName {
    private static let journalTag = "chatelaine sync journal 1"

    package init(ofJournalOf device: DeviceID, salt: SyncName) {
        self.init(prefixOf: SyncHash(of: device.bytes + salt.bytes, tag: Self.journalTag))
    }
}

/// A place in a journal, and what stands there: a journal with another segment at the place is another history.
package struct JournalPoint: Hashable, Comparable, Sendable {
    package let journal: JournalID
    /// From 1. 0 is before the first segment, with the hash zero.
    package let number: UInt64
    package let hash: SegmentHash

    package init(journal: JournalID, number: UInt64, hash: SegmentHash) {
        self.journal = journal
        self.number = number
        self.hash = hash
    }

    package static func zero(of journal: JournalID) -> JournalPoint {
        JournalPoint(journal: journal, number: 0, hash: .zero)
    }

    /// The shorter journal is less.
    package static func < (one: JournalPoint, other: JournalPoint) -> Bool {
        (one.number, one.hash, one.journal) < (other.number, other.hash, other.journal)
    }

    func write(to writer: inout SyncWriter) {
        writer.append(journal.bytes)
        writer.append(number: number)
        writer.append(hash)
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        journal = try SyncName(from: &reader)
        number = try reader.number(UInt64.self)
        hash = try reader.hash()
        guard number < Record.numberBound, (number == 0) == (hash == .zero) else { throw .outOfRange }
    }
}
