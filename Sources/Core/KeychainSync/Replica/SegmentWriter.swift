/// Divides records into segments, and seals them.
struct SegmentWriter {
    typealias Entry = (record: Record, tier: SyncTier)

    private var history: [SegmentHash]
    private let journal: JournalID
    private let circle: CircleID
    /// A box has this much room, with the number of its records before them.
    private static let room = Padding.largest - 4 - 2

    init(after history: [SegmentHash], of journal: JournalID, in circle: CircleID) {
        self.history = history
        self.journal = journal
        self.circle = circle
    }

    /// - Parameter base: whether the records are all that the journal has; the last segment then says so.
    /// - Throws: `tooLarge` for a journal that has become too long, and for a record that is longer than a box; what the keys throw.
    mutating func segments(
        of entries: [Entry],
        in epoch: EpochID,
        base: Bool,
        keys: some DeviceKeys
    ) throws -> [(segment: Segment, records: [Entry])] {
        let first = UInt64(history.count) + 1
        let groups = try groups(of: entries, orNone: base)
        var segments: [(segment: Segment, records: [Entry])] = []
        for (index, group) in groups.enumerated() {
            let isLast = index == groups.count - 1
            guard history.count < Segment.mostSpine else { throw SyncRefusal.tooLarge }
            let header = Segment.Header(
                circle: circle,
                journal: journal,
                number: UInt64(history.count) + 1,
                previous: history.last ?? .zero,
                base: base && isLast ? Segment.Base(first: first, spine: history) : nil
            )
            // A new record has the number of the segment that it comes into.
            let records = base ? group : group.map { ($0.record.numbered(header.number), $0.tier) }
            let segment = Segment(header, boxes: try boxes(records, header, epoch, keys))
            history.append(segment.hash)
            segments.append((segment, records))
        }
        return segments
    }

    private func boxes(
        _ entries: [Entry],
        _ header: Segment.Header,
        _ epoch: EpochID,
        _ keys: some DeviceKeys
    ) throws -> [Segment.Box] {
        var boxes: [Segment.Box] = []
        for tier in SyncTier.allCases {
            let records = entries.filter { $0.tier == tier }.map(\.record)
            guard !records.isEmpty else { continue }
            let data = header.associatedData(of: tier, in: epoch)
            let sealed = try keys.seal(
                Padding.padded(Record.encode(records)),
                for: tier,
                in: epoch,
                authenticating: data
            )
            boxes.append(Segment.Box(tier: tier, epoch: epoch, sealed: sealed))
        }
        return boxes
    }

    /// As many in each as go into the boxes of one segment.
    private func groups(of entries: [Entry], orNone: Bool) throws(SyncRefusal) -> [[Entry]] {
        var groups: [[Entry]] = []
        var sizes: [SyncTier: Int] = [:]
        for entry in entries {
            let size = entry.record.size
            guard size <= Self.room else { throw .tooLarge }
            if groups.isEmpty || sizes[entry.tier, default: 0] + size > Self.room
                || groups[groups.count - 1].count >= Record.mostInBox
            {
                groups.append([])
                sizes = [:]
            }
            sizes[entry.tier, default: 0] += size
            groups[groups.count - 1].append(entry)
        }
        return groups.isEmpty && orNone ? [[]] : groups
    }
}
