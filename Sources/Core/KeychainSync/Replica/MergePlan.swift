/// What a reading of journals found, before anything is changed by it.
package struct MergePlan: Sendable {
    /// A journal, read further.
    struct Reading: Sendable {
        let device: DeviceID
        let salt: SyncName
        let target: JournalPoint
        /// The hashes of all segments, up to there or further.
        let history: [SegmentHash]
        /// In the order of the journal, each with the box that it was in.
        let records: [(record: Record, tier: SyncTier)]
        /// Nil for a journal that has ended.
        let head: Head?

        /// How far a journal was read, and nothing of what it has.
        var withoutRecords: Reading {
            Reading(device: device, salt: salt, target: target, history: history, records: [], head: head)
        }
    }

    var readings: [Reading] = []
    var findings: Set<Replica.Finding> = []
    /// Where others, or this device once, have read or written this device's journal, and it does not know it so.
    var unknownTips: [JournalPoint] = []
    /// Segments that were asked for and are not there, or are not what their names say.
    package internal(set) var missing: Set<JournalPoint> = []
    /// Entries that heads name and that are not there.
    package internal(set) var missingEntries: Set<EntryHash> = []
    /// Journals with something that a locked device cannot open: they are read once it is unlocked.
    package internal(set) var locked: Set<JournalID> = []
    /// Heads and journals that are refused, and why.
    package internal(set) var refused: [JournalID: SyncRefusal] = [:]
    /// Journals of which heads came, and that have ended.
    var ended: [JournalID: Ending] = [:]
    /// Journals of which heads came, of devices that are no members as far as is known here.
    var strangers: Set<JournalID> = []
    /// Journals of which heads came, and that cannot be read to there.
    var unread: [JournalID: Journal] = [:]
    /// The newest segment of this device's journal, if the transport has the newest head.
    var confirmed: UInt64 = 0
    /// What its device was when it was made, and since when. A plan of another time is not executed.
    var phase = Replica.Phase.member
    var formerSince: UInt64 = 0
    /// Whether a first reading is complete.
    var isWhole = true

    /// Whether executing it changes anything.
    package var isEmpty: Bool { readings.isEmpty && findings.isEmpty }
}

/// What executing a plan changed: the caller's store follows in the same transaction.
package struct MergeOutcome: Sendable {
    /// Items to write, or to remove where the record is a tombstone.
    package internal(set) var changed: [ItemName: (record: Record, tier: SyncTier)] = [:]
    /// Items of which the modification date moves: they were written here before the circle was read.
    package internal(set) var restamped: [ItemName: UInt64] = [:]
    /// Items that are no more, and of which no tombstone is left.
    package internal(set) var gone: [ItemName] = []
    /// Two devices changed an item and did not know of each other: the version that lost.
    package internal(set) var conflicts: [Conflict] = []

    package struct Conflict: Sendable {
        package let name: ItemName
        /// Nil where it is this device's own, which its store has.
        package let lost: Record?
    }
}
