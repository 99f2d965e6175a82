/// What follows from a set of entries that has all parents of its own.
package struct CircleState: Sendable {
    package static let mostMembers = 32

    /// Who counts and was not removed.
    package private(set) var members: [DeviceID: DeviceCard] = [:]
    /// Final: a device that was removed once is never a member again.
    package private(set) var removed: Set<DeviceID> = []
    /// Journals that an entry has ended.
    private var ends: [JournalID: Ending] = [:]
    /// What all removals of a device leave of its journals.
    private var remains: [DeviceID: [JournalID: Ending]] = [:]
    /// Epochs that began after all removals and whose holders are all members: devices may write under them. The greatest comes
    /// first.
    package private(set) var goodEpochs: [Epoch] = []
    /// All epochs that somebody described, good ones or not, and who has their secrets.
    package private(set) var epochs: [EpochID: Set<DeviceID>] = [:]
    /// The same, the greatest first.
    package private(set) var newestEpochs: [EpochID] = []
    /// Good epochs that the author of a later one did not seal under it: it does not have their secrets, whatever was wrapped
    /// for it.
    package private(set) var avoided: Set<EpochID> = []
    /// Journals that a device that counts says have ended. Others may name journals that are not theirs.
    package private(set) var endedByMembers: Set<JournalID> = []
    /// Devices whose additions do not count.
    package private(set) var uncounted: Set<DeviceID> = []
    /// The oldest format that may be written and read.
    package private(set) var floor: UInt16 = 0

    /// An epoch, and who has its secret.
    package struct Epoch: Sendable {
        package let description: EpochDescription
        package let holders: Set<DeviceID>

        package var id: EpochID { description.id }
    }

    /// - Parameter set: the entries that are looked at; nil for all.
    init(of nodes: [Circle.Node], in set: EntrySet?) {
        let places = nodes.indices.filter { set?.contains($0) ?? true }
        var removals: [DeviceID: [Int]] = [:]
        for place in places {
            guard case .remove(let removal) = nodes[place].entry.body else { continue }
            removed.insert(removal.device)
            removals[removal.device, default: []].append(place)
            keep(removal)
        }
        // Back-dating gains nothing: who removes an author knows what counts of it. Removals and ends count always, so that
        // nothing that was ended begins again.
        let dated = places.filter { place in
            (removals[nodes[place].entry.author] ?? []).allSatisfy { $0 == place || nodes[$0].past.contains(place) }
        }
        for place in places {
            if case .end(let endings) = nodes[place].entry.body { endings.forEach { end($0) } }
        }
        let counted = Self.counted(nodes, dated)
        members = counted.filter { !removed.contains($0.key) }
        for place in places {
            guard case .add(let addition) = nodes[place].entry.body, counted[addition.card.id] == nil else { continue }
            uncounted.insert(addition.card.id)
        }
        var holders: [EpochID: Set<DeviceID>] = [:]
        var described: [(place: Int, epoch: EpochDescription)] = []
        for place in dated where counted[nodes[place].entry.author] != nil {
            let entry = nodes[place].entry
            switch entry.body {
            case .add(let addition):
                for wrap in addition.wraps { holders[wrap.epoch, default: []].insert(wrap.recipient) }
            case .epoch(let epoch):
                holders[epoch.id, default: []].formUnion(epoch.secrets.wraps.map(\.recipient) + [entry.author])
                described.append((place, epoch))
            case .floor(let number):
                // A liar's goes with it. Who removes somebody repeats what is right of it.
                if members[entry.author] != nil { floor = max(floor, number) }
            case .end(let endings): endedByMembers.formUnion(endings.map(\.journal))
            case .remove(let removal): endedByMembers.formUnion(removal.ends.map(\.journal))
            case .found, .merge: break
            }
        }
        // Who has an epoch's secret has those that are sealed under it, and what is sealed under these.
        var progress = true
        while progress {
            progress = false
            for (_, epoch) in described {
                for earlier in epoch.secrets.earlier
                where !(holders[epoch.id] ?? []).isSubset(of: holders[earlier.epoch] ?? []) {
                    holders[earlier.epoch, default: []].formUnion(holders[epoch.id] ?? [])
                    progress = true
                }
            }
        }
        let order = described.sorted { one, other in
            let (first, second) = (nodes[one.place], nodes[other.place])
            return (first.height, first.entry.hash) > (second.height, second.entry.hash)
        }
        let removing = Set(removals.values.flatMap(\.self))
        var good: [Int] = []
        for (place, epoch) in order where epochs[epoch.id] == nil {
            let has = holders[epoch.id] ?? []
            epochs[epoch.id] = has
            newestEpochs.append(epoch.id)
            // Members who know the epoch know all removals then, and hand its secret to no removed device.
            guard removing.allSatisfy(nodes[place].past.contains), has.allSatisfy({ members[$0] != nil }) else {
                continue
            }
            goodEpochs.append(Epoch(description: epoch, holders: has))
            good.append(place)
        }
        let sealed = Dictionary(described.map { ($0.epoch.id, $0.epoch.secrets.earlier.map(\.epoch)) }) { one, _ in one
        }
        for (later, place) in zip(goodEpochs, good) {
            let all = Self.reached(from: later.id, sealed)
            for (earlier, before) in zip(goodEpochs, good)
            where nodes[place].past.contains(before) && !all.contains(earlier.id) {
                avoided.insert(earlier.id)
            }
        }
    }

    /// Epochs whose secrets follow from one of them.
    private static func reached(from epoch: EpochID, _ sealed: [EpochID: [EpochID]]) -> Set<EpochID> {
        var reached: Set<EpochID> = []
        var next = [epoch]
        while let id = next.popLast() {
            if reached.insert(id).inserted { next += sealed[id] ?? [] }
        }
        return reached
    }

    /// Devices whose addition counts. An addition counts if its author counts, so this is repeated until nothing changes.
    private static func counted(_ nodes: [Circle.Node], _ dated: [Int]) -> [DeviceID: DeviceCard] {
        var counted: [DeviceID: DeviceCard] = [:]
        var additions: [(author: DeviceID, card: DeviceCard)] = []
        if case .found(let founding)? = nodes.first?.entry.body { counted[founding.card.id] = founding.card }
        for place in dated {
            guard case .add(let addition) = nodes[place].entry.body else { continue }
            additions.append((nodes[place].entry.author, addition.card))
        }
        var before = -1
        while counted.count != before {
            before = counted.count
            for addition in additions where counted[addition.author] != nil {
                counted[addition.card.id] = addition.card
            }
        }
        return counted
    }

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
