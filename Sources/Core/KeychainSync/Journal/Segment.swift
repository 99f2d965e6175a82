/// A piece of a device's journal. It never changes; the head of the journal, which is signed, names the last one.
package struct Segment: Hashable, Sendable {
    package static let largest =
        100 + mostSpine * SegmentHash.size + 2 + 2 * (37 + Padding.largest + SealedBox.overhead)
    /// A journal that would become longer is ended, and another begins.
    package static let mostSpine = 10_000
    private static let version: UInt8 = 1

    /// What is sealed for one tier.
    package struct Box: Hashable, Sendable {
        package let tier: SyncTier
        package let epoch: EpochID
        package let sealed: SealedBox

        package init(tier: SyncTier, epoch: EpochID, sealed: SealedBox) {
            self.tier = tier
            self.epoch = epoch
            self.sealed = sealed
        }
    }

    /// The segments from `first` on list all of the journal's records that are current: a reader needs none before them.
    package struct Base: Hashable, Sendable {
        package let first: UInt64
        /// The hashes of all segments before the one that has this, from the first on: none of them can be exchanged.
        package let spine: [SegmentHash]

        package init(first: UInt64, spine: [SegmentHash]) {
            self.first = first
            self.spine = spine
        }
    }

    /// All that is not sealed. It is authenticated with each box.
    package struct Header: Hashable, Sendable {
        package let circle: CircleID
        package let journal: JournalID
        /// From 1.
        package let number: UInt64
        /// Zero for the first.
        package let previous: SegmentHash
        /// Nil for a segment that ends no base.
        package let base: Base?

        package init(
            circle: CircleID,
            journal: JournalID,
            number: UInt64,
            previous: SegmentHash,
            base: Base? = nil
        ) {
            self.circle = circle
            self.journal = journal
            self.number = number
            self.previous = previous
            self.base = base
        }

        package var encoded: [UInt8] {
            var writer = SyncWriter()
            writer.append(number: Segment.version)
            writer.append(circle)
            writer.append(journal.bytes)
            writer.append(number: number)
            writer.append(previous)
            writer.append(number: base == nil ? UInt8(0) : 1)
            if let base {
                writer.append(number: base.first)
                writer.append(number: UInt16(clamping: base.spine.count))
                for hash in base.spine { writer.append(hash) }
            }
            return writer.bytes
        }

        init(from reader: inout SyncReader) throws(SyncRefusal) {
            try reader.version(Segment.version)
            circle = try reader.hash()
            journal = try SyncName(from: &reader)
            number = try reader.number(UInt64.self)
            previous = try reader.hash()
            guard number > 0, number < Record.numberBound, (number == 1) == (previous == .zero),
                circle != .zero
            else { throw .outOfRange }
            guard try reader.flag() else {
                base = nil
                return
            }
            let first = try reader.number(UInt64.self)
            guard first > 0, first <= number else { throw .outOfRange }
            let count = try reader.number(UInt16.self)
            guard count <= UInt16(clamping: Segment.mostSpine) else { throw .tooLarge }
            guard UInt64(count) == number - 1 else { throw .outOfRange }
            var spine: [SegmentHash] = []
            for _ in 0..<count { spine.append(try reader.hash()) }
            guard spine.last ?? .zero == previous, !spine.contains(.zero) else { throw .notCanonical }
            base = Base(first: first, spine: spine)
        }

        /// What a box is authenticated with.
        package func associatedData(of tier: SyncTier, in epoch: EpochID) -> [UInt8] {
            encoded + [tier.rawValue] + epoch.bytes
        }
    }

    package let header: Header
    package let boxes: [Box]
    package let hash: SegmentHash
    package let encoded: [UInt8]

    package init(_ header: Header, boxes: [Box]) {
        self.header = header
        self.boxes = boxes.sorted { $0.tier.rawValue < $1.tier.rawValue }
        var writer = SyncWriter()
        writer.append(header.encoded)
        writer.append(rising: self.boxes, by: \.tier.rawValue) { writer, box in
            writer.append(number: box.tier.rawValue)
            writer.append(box.epoch)
            writer.append(field: box.sealed.bytes)
        }
        encoded = writer.bytes
        hash = SyncHash(of: encoded)
    }

    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        header = try Header(from: &reader)
        boxes = try reader.rising(atMost: SyncTier.allCases.count, by: \.tier.rawValue) {
            (reader) throws(SyncRefusal) in
            let code = try reader.byte()
            guard let tier = SyncTier(rawValue: code) else { throw .unknownKind(code) }
            let epoch = try reader.hash()
            guard let sealed = SealedBox(try reader.field(atMost: Padding.largest + SealedBox.overhead)) else {
                throw .truncated
            }
            let count = sealed.bytes.count - SealedBox.overhead
            // What is in it is padded to one of ten sizes.
            guard Padding.size(of: count - 4) == count else { throw .notCanonical }
            return Box(tier: tier, epoch: epoch, sealed: sealed)
        }
        try reader.end()
        encoded = bytes
        hash = SyncHash(of: bytes)
    }

    package var point: JournalPoint { JournalPoint(journal: header.journal, number: header.number, hash: hash) }
}
