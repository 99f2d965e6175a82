/// What follows from a set of entries that has all parents of its own.
package struct CircleState: Sendable {
    package static let mostMembers = 32

    /// Who counts and was not removed.
    package let members: [DeviceID: DeviceCard]
    /// Final: a device that was removed once is never a member again.
    package let removed: Set<DeviceID>
    /// The oldest format that may be written and read.
    package let floor: UInt16
    /// Devices whose additions do not count.
    package private(set) var uncounted: Set<DeviceID> = []
    /// Epochs that began after all removals and whose holders are all members: devices may write under them. The greatest comes
    /// first.
    package let goodEpochs: [Epoch]
    /// All epochs that somebody described, good ones or not, and who has their secrets.
    package let epochs: [EpochID: Set<DeviceID>]
    /// The same, the greatest first.
    package let newestEpochs: [EpochID]
    /// Epochs that the author of a later good one knew and did not seal under it: it does not have their secrets, whatever was
    /// wrapped for it.
    package let avoided: Set<EpochID>
    /// Journals that a device that counts says have ended. Others may name journals that are not theirs.
    package private(set) var endedByMembers: Set<JournalID> = []
    /// Journals that an entry has ended.
    private var ends: [JournalID: Ending] = [:]
    /// What all removals of a device leave of its journals.
    private var remains: [DeviceID: [JournalID: Ending]] = [:]

    /// An epoch, and who has its secret.
    package struct Epoch: Sendable {
        package let id: EpochID
        /// One, if nobody lies: who knows the epoch may describe it once more.
        package let descriptions: [EpochDescription]
        package let holders: Set<DeviceID>
    }

    init(of graph: EntryGraph) {
        let membership = Membership(of: graph, in: nil)
        members = membership.members
        removed = membership.removed
        floor = membership.floor
        let epochs = CircleEpochs(of: graph, membership)
        goodEpochs = epochs.good
        self.epochs = epochs.holders
        newestEpochs = epochs.newest
        avoided = epochs.avoided
        for (number, node) in graph.nodes.enumerated() {
            switch node.entry.body {
            case .add(let addition):
                if membership.counted[addition.card.id] == nil { uncounted.insert(addition.card.id) }
            case .remove(let removal):
                keep(removal)
                if membership.counts(number, graph) || isOnlyRemoval(number, by: node.entry.author, graph, membership) {
                    endedByMembers.formUnion(removal.ends.map(\.journal))
                }
            case .end(let endings):
                endings.forEach { end($0) }
                if membership.counts(number, graph) { endedByMembers.formUnion(endings.map(\.journal)) }
            case .found, .epoch, .floor, .merge: break
            }
        }
    }

    /// Whether a device has removed itself, and nobody else has removed it.
    private func isOnlyRemoval(
        _ number: Int,
        by author: DeviceID,
        _ graph: EntryGraph,
        _ membership: Membership
    ) -> Bool {
        graph.removals[author] == [number] && membership.counted[author] != nil
    }

    /// Whether somebody was added who is no member: removed, or added by somebody whose addition does not count any more.
    func isFormer(_ device: DeviceID) -> Bool { removed.contains(device) || uncounted.contains(device) }

    /// How far a journal counts. Nil where it has not ended.
    ///
    /// - Returns: the zero point for one that does not count at all: a removed device's that a removal of it did not name, and one
    ///   of a device that does not count.
    package func end(of journal: JournalID, by device: DeviceID) -> JournalPoint? {
        guard removed.contains(device) else {
            return uncounted.contains(device) ? .zero(of: journal) : ends[journal]?.point
        }
        guard let point = remains[device]?[journal]?.point else { return .zero(of: journal) }
        return ends[journal].map { min($0.point, point) } ?? point
    }

    /// All journals that have ended, and how far each counts.
    package var endings: [Ending] {
        let named = remains.values.flatMap(\.values)
        let all = Dictionary((Array(ends.values) + named).map { ($0.journal, $0) }) { one, _ in one }
        return all.values.compactMap { ending in
            end(of: ending.journal, by: ending.device).map { Ending(of: ending.device, salt: ending.salt, at: $0) }
        }.sorted { $0.journal < $1.journal }
    }

    /// Of several ends, the shortest counts.
    private mutating func end(_ ending: Ending) {
        if let before = ends[ending.journal], before.point < ending.point { return }
        ends[ending.journal] = ending
    }

    /// Of several removals of a device, each journal counts as far as all of them let it.
    private mutating func keep(_ removal: Removal) {
        let named = Dictionary(removal.ends.map { ($0.journal, $0) }) { one, _ in one }
        remains[removal.device] =
            remains[removal.device].map { before in
                before.reduce(into: [:]) { rest, end in
                    guard let other = named[end.key] else { return }
                    rest[end.key] = other.point < end.value.point ? other : end.value
                }
            } ?? named
    }

    /// Epochs that may be written under, as far as entries say: good ones that all members have, the greatest first.
    package var writingEpochs: [Epoch] {
        goodEpochs.filter { epoch in members.keys.allSatisfy(epoch.holders.contains) }
    }

    /// Who of the members does not have the secret of an epoch, as far as entries say.
    package func lacks(_ epoch: EpochID) -> Bool {
        guard let holders = epochs[epoch] else { return true }
        return !members.keys.allSatisfy(holders.contains)
    }
}
