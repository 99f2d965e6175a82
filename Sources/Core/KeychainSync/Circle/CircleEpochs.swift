/// The epochs of a circle, as far as entries that count say.
struct CircleEpochs: Sendable {
    /// Epochs that devices may write under, the greatest first.
    private(set) var good: [CircleState.Epoch] = []
    /// Who has the secret of each, good or not.
    private(set) var holders: [EpochID: Set<DeviceID>] = [:]
    /// All, the greatest first.
    private(set) var newest: [EpochID] = []
    /// Epochs that the author of a later good one knew and did not seal under it.
    private(set) var avoided: Set<EpochID> = []

    /// An epoch, while it is looked at.
    private struct Described {
        let id: EpochID
        /// The entries that describe it: one, if nobody lies.
        var entries: [Int] = []
        var descriptions: [EpochDescription] = []
        var sealed = NumberSet()
        /// Numbers of devices.
        var holders = NumberSet()
        /// Of the entries that know all removals, the one that comes first; or the first of all.
        var place = 0
        var isDated = false
    }

    init(of graph: EntryGraph, _ membership: Membership) {
        var devices = Numbering<DeviceID>()
        var all = Self.described(graph, membership, &devices)
        Self.handOn(&all)
        for index in all.indices {
            let entries = all[index].entries.sorted { Self.rank($0, graph) < Self.rank($1, graph) }
            // Members who know the epoch know all removals then, and hand its secret to no removed device.
            let dated = entries.first { membership.isKnown(in: graph.nodes[$0].past, graph) }
            all[index].isDated = dated != nil
            all[index].place = dated ?? entries[0]
        }
        var goodOnes: [Int] = []
        let rising = all.indices.sorted { Self.rank(all[$0].place, graph) < Self.rank(all[$1].place, graph) }
        for index in rising.reversed() {
            let epoch = all[index]
            let has = Set(epoch.holders.numbers.map { devices.keys[$0] })
            holders[epoch.id] = has
            newest.append(epoch.id)
            guard epoch.isDated, has.allSatisfy({ membership.members[$0] != nil }) else { continue }
            good.append(CircleState.Epoch(id: epoch.id, descriptions: epoch.descriptions, holders: has))
            goodOnes.append(index)
        }
        let reached = Self.reached(all, rising)
        for later in goodOnes {
            let past = graph.nodes[all[later].place].past
            for earlier in all.indices where past.contains(all[earlier].place) && !reached[later].contains(earlier) {
                avoided.insert(all[earlier].id)
            }
        }
    }

    private static func rank(_ number: Int, _ graph: EntryGraph) -> (Int, EntryHash) {
        (graph.nodes[number].height, graph.nodes[number].entry.hash)
    }

    private static func described(
        _ graph: EntryGraph,
        _ membership: Membership,
        _ devices: inout Numbering<DeviceID>
    ) -> [Described] {
        var epochs = Numbering<EpochID>()
        var all: [Described] = []
        for number in graph.numbers(of: .epoch, in: nil) where membership.counts(number, graph) {
            let entry = graph.nodes[number].entry
            guard case .epoch(let description) = entry.body else { continue }
            let index = epochs.number(of: description.id)
            if index == all.count { all.append(Described(id: description.id)) }
            all[index].entries.append(number)
            all[index].descriptions.append(description)
            all[index].holders.insert(devices.number(of: entry.author))
            for wrap in description.secrets.wraps { all[index].holders.insert(devices.number(of: wrap.recipient)) }
        }
        // Only now, since of an epoch that was described twice the description that counts may have come last.
        for index in all.indices {
            for earlier in all[index].descriptions.flatMap(\.secrets.earlier) {
                if let known = epochs[earlier.epoch] { all[index].sealed.insert(known) }
            }
        }
        for number in graph.numbers(of: .add, in: nil) where membership.counts(number, graph) {
            guard case .add(let addition) = graph.nodes[number].entry.body else { continue }
            for wrap in addition.wraps {
                if let index = epochs[wrap.epoch] { all[index].holders.insert(devices.number(of: wrap.recipient)) }
            }
        }
        return all
    }

    /// Who has an epoch's secret has those that are sealed under it, and what is sealed under these.
    private static func handOn(_ all: inout [Described]) {
        var next = Array(all.indices)
        var isNext = [Bool](repeating: true, count: all.count)
        while let index = next.popLast() {
            isNext[index] = false
            for earlier in all[index].sealed.numbers
            where !all[index].holders.isSubset(of: all[earlier].holders) {
                all[earlier].holders.formUnion(all[index].holders)
                if !isNext[earlier] { next.append(earlier) }
                isNext[earlier] = true
            }
        }
    }

    /// For each, those whose secrets follow from it.
    private static func reached(_ all: [Described], _ rising: [Int]) -> [NumberSet] {
        var reached = [NumberSet](repeating: NumberSet(), count: all.count)
        for index in rising {
            for earlier in all[index].sealed.numbers { reached[index].formUnion(reached[earlier]) }
            reached[index].insert(index)
        }
        return reached
    }
}

/// Gives each key a number, from zero.
private struct Numbering<Key: Hashable> {
    private(set) var keys: [Key] = []
    private var numbers: [Key: Int] = [:]

    subscript(key: Key) -> Int? { numbers[key] }

    mutating func number(of key: Key) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = keys.count
        keys.append(key)
        return keys.count - 1
    }
}
