/// What a device knows of another journal: one of another device, or an earlier one of its own.
package struct Journal: Equatable, Sendable {
    package let device: DeviceID
    package let salt: SyncName
    /// The hashes of its segments from the first on, as far as they were read.
    package internal(set) var history: [SegmentHash] = []
    /// The newest head of which all segments were read.
    package internal(set) var head: Head?
    /// When this device last heard something new of it, as `Replica.age` counts.
    package internal(set) var heard: UInt64 = 0
    /// The head whose digest was compared with this device's.
    var compared: SyncHash?
    /// Where it has ended, if others have taken over all of it. It may be ended elsewhere later.
    package internal(set) var skipped: JournalPoint?

    init(of device: DeviceID, salt: SyncName) {
        self.device = device
        self.salt = salt
    }

    package func has(_ point: JournalPoint) -> Bool { history.has(point) }

    /// Whether what counts of it, up to its end, was read, or need not be.
    func hasAll(upTo end: JournalPoint) -> Bool { skipped == end || has(end) }
}

extension [SegmentHash] {
    /// Whether a point is in this history of its journal.
    func has(_ point: JournalPoint) -> Bool {
        point.number == 0 || point.number <= UInt64(count) && self[Int(point.number) - 1] == point.hash
    }

    /// Where this history of a journal has come to.
    func tip(of journal: JournalID) -> JournalPoint {
        last.map { JournalPoint(journal: journal, number: UInt64(count), hash: $0) } ?? .zero(of: journal)
    }
}

/// The journal that a device writes.
package struct OwnJournal: Equatable, Sendable {
    package let salt: SyncName
    package let id: JournalID
    package internal(set) var history: [SegmentHash] = []
    package internal(set) var counter: UInt64 = 0
    /// The first segment of the newest base, and its last; 0 before there is one.
    package internal(set) var base: ClosedRange<UInt64> = 0...0
    /// How far other journals were read when the newest base was written.
    package internal(set) var readAtBase: [JournalPoint] = []
    /// The newest segment of a head that this device has seen published.
    package internal(set) var confirmed: UInt64 = 0
    /// The bytes of its segments, from the base on.
    package internal(set) var size = 0
    /// Epochs under which its segments are sealed, from the base on.
    package internal(set) var epochs: Set<EpochID> = []
    /// The newest head that was signed.
    package internal(set) var head: Head?
    /// Segments before this one are not needed by anybody.
    package internal(set) var firstKept: UInt64 = 1

    init(of device: DeviceID, salt: SyncName) {
        self.salt = salt
        id = JournalID(ofJournalOf: device, salt: salt)
    }

    package var tip: JournalPoint { history.tip(of: id) }
}

/// What a device has written once more.
package struct Rewriting: Sendable {
    /// To be published.
    package internal(set) var segments: [Segment] = []
    /// Items that its store does not have as the circle knows them: `Replica.repaired` may find them.
    package internal(set) var damaged: Set<ItemName> = []
}

/// What is current of an item, or that it is gone.
package struct CurrentItem: Equatable, Sendable {
    package internal(set) var version: Version
    package internal(set) var tier: SyncTier
    /// What its author replaced.
    package internal(set) var replaced: SyncHash?
    /// The journals that have it, and the segment in which each first had it.
    package internal(set) var carriers: [JournalID: UInt64] = [:]
}
