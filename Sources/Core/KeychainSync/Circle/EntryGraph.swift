/// Entries, each with all that its author knew.
struct EntryGraph: Sendable {
    struct Node: Sendable {
        let entry: Entry
        /// All entries that its author knew: its parents, and theirs.
        let past: NumberSet
        /// One more than the highest parent's.
        let height: Int
    }

    /// In an order in which each comes after its parents.
    private(set) var nodes: [Node] = []
    private(set) var numbers: [EntryHash: Int] = [:]
    private(set) var authored: [DeviceID: NumberSet] = [:]
    /// Entries that remove a device, and those that say how far a journal counts.
    private(set) var removals: [DeviceID: [Int]] = [:]
    private(set) var ends: [JournalID: [Int]] = [:]
    /// Entries that say who belongs to the circle, or how far a journal counts.
    private var significant = NumberSet()
    private var byKind: [EntryBody.Kind: [Int]] = [:]
    /// The entries that no other one has for a parent.
    private(set) var frontier: Set<EntryHash> = []

    /// Adds an entry whose parents are there.
    mutating func append(_ entry: Entry, past: NumberSet) {
        let number = nodes.count
        let height = (entry.parents.compactMap { numbers[$0] }.map { nodes[$0].height }.max() ?? -1) + 1
        nodes.append(Node(entry: entry, past: past, height: height))
        numbers[entry.hash] = number
        authored[entry.author, default: NumberSet()].insert(number)
        byKind[entry.body.kind, default: []].append(number)
        frontier.subtract(entry.parents)
        frontier.insert(entry.hash)
        switch entry.body {
        case .found, .add: significant.insert(number)
        case .remove(let removal):
            significant.insert(number)
            removals[removal.device, default: []].append(number)
        case .end(let endings):
            significant.insert(number)
            for ending in endings { ends[ending.journal, default: []].append(number) }
        case .epoch, .floor, .merge: break
        }
    }

    /// The entries of a kind, in an order in which each comes after its parents.
    ///
    /// - Parameter set: the entries that are looked at; nil for all.
    func numbers(of kind: EntryBody.Kind, in set: NumberSet?) -> [Int] {
        let all = byKind[kind] ?? []
        return set.map { set in all.filter(set.contains) } ?? all
    }

    /// All that somebody with this frontier knows: these entries, their parents, and theirs.
    ///
    /// - Returns: nil where one of them is not known here.
    func past(of frontier: [EntryHash]) -> NumberSet? {
        var past = NumberSet()
        for hash in frontier {
            guard let number = numbers[hash] else { return nil }
            past.insert(number)
            past.formUnion(nodes[number].past)
        }
        return past
    }

    /// Whether all that is known here of members and ends is among these entries.
    func isKnown(in past: NumberSet) -> Bool { significant.isSubset(of: past) }

    /// Whether all that is known here of how far a journal counts is among these entries.
    func isKnown(_ ending: Ending, in past: NumberSet) -> Bool {
        ((ends[ending.journal] ?? []) + (removals[ending.device] ?? [])).allSatisfy(past.contains)
    }
}
