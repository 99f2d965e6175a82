/// Who belongs to a circle, after a set of entries that has all parents of its own.
struct Membership: Sendable {
    /// Who counts and was not removed.
    private(set) var members: [DeviceID: DeviceCard] = [:]
    /// Final: a device that was removed once is never a member again.
    private(set) var removed: Set<DeviceID> = []
    /// Devices whose addition counts, and the one that has founded the circle.
    private(set) var counted: [DeviceID: DeviceCard] = [:]
    /// The oldest format that may be written and read.
    private(set) var floor: UInt16 = 0
    /// What all know who have removed a device.
    private var dated: [DeviceID: NumberSet] = [:]
    private var removedByOthers: Set<DeviceID> = []

    /// - Parameter set: the entries that are looked at; nil for all.
    init(of graph: EntryGraph, in set: NumberSet?) {
        for number in graph.numbers(of: .remove, in: set) {
            let node = graph.nodes[number]
            guard case .remove(let removal) = node.entry.body else { continue }
            removed.insert(removal.device)
            if node.entry.author != removal.device { removedByOthers.insert(removal.device) }
            dated[removal.device] = dated[removal.device]?.intersection(node.past) ?? node.past
        }
        count(graph, set)
        members = counted.filter { !removed.contains($0.key) }
        for number in graph.numbers(of: .floor, in: set) where counts(number, graph) {
            let entry = graph.nodes[number].entry
            // A liar's goes with it, but not that of a device that has left by itself.
            guard case .floor(let format) = entry.body, !removedByOthers.contains(entry.author) else { continue }
            floor = max(floor, format)
        }
    }

    /// Finds the devices whose addition counts. An addition counts if its author counts.
    private mutating func count(_ graph: EntryGraph, _ set: NumberSet?) {
        var additions: [DeviceID: [DeviceCard]] = [:]
        for number in graph.numbers(of: .add, in: set) where isDated(number, graph) {
            let entry = graph.nodes[number].entry
            if case .add(let addition) = entry.body { additions[entry.author, default: []].append(addition.card) }
        }
        guard case .found(let founding)? = graph.nodes.first?.entry.body else { return }
        var next = [founding.card]
        while let card = next.popLast() {
            if counted.updateValue(card, forKey: card.id) == nil { next += additions[card.id] ?? [] }
        }
    }

    /// Back-dating gains nothing: who removes an author knows what counts of it. Removals and ends count always, so that nothing
    /// that was ended begins again.
    private func isDated(_ number: Int, _ graph: EntryGraph) -> Bool {
        dated[graph.nodes[number].entry.author]?.contains(number) ?? true
    }

    /// Whether what an entry says counts.
    func counts(_ number: Int, _ graph: EntryGraph) -> Bool {
        counted[graph.nodes[number].entry.author] != nil && isDated(number, graph)
    }

    /// Whether somebody who knows these entries takes nobody for a member, and no entry for one that counts, that does not count
    /// here: whatever else is known to them.
    func isKnown(in past: NumberSet, _ graph: EntryGraph) -> Bool {
        removed.allSatisfy { device in
            let all = graph.removals[device] ?? []
            let known = all.filter(past.contains)
            guard known.count < all.count else { return true }
            guard let first = known.first, let dated = dated[device] else { return false }
            // A further removal says nothing where it leaves all that the known ones leave.
            var left = graph.nodes[first].past
            for number in known { left.formIntersection(graph.nodes[number].past) }
            return left.intersection(graph.authored[device] ?? NumberSet()).isSubset(of: dated)
        }
    }
}
