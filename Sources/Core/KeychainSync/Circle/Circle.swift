/// Who belongs to a circle, from the signed entries alone: the same for everybody who has the same entries, in whatever order
/// they came.
///
/// `docs/formats/sync.md` gives the rules.
package struct Circle: Sendable {
    /// More entries are refused, because each costs memory.
    package static let mostEntries = 4_096

    package let id: CircleID
    /// How the circle began.
    package let founding: Founding
    /// In an order in which each comes after its parents.
    private var nodes: [Node] = []
    private var numbers: [EntryHash: Int] = [:]
    /// What follows from all entries.
    package private(set) var state: CircleState

    struct Node: Sendable {
        let entry: Entry
        /// All entries that its author knew: its parents, and theirs.
        let past: EntrySet
        /// One more than the highest parent's.
        let height: Int
    }

    package enum Outcome: Equatable, Sendable {
        case added
        case known
        /// These have to come first.
        case waits(for: [EntryHash])
    }

    /// - Parameter founding: the entry whose hash is the circle's name.
    /// - Throws: `badSignature`; `unknownKind` for an entry that founds nothing.
    package init(founding entry: Entry) throws(SyncRefusal) {
        guard case .found(let founding) = entry.body else { throw .unknownKind(entry.body.kind.rawValue) }
        guard entry.isSigned(by: founding.card) else { throw .badSignature }
        id = entry.hash
        self.founding = founding
        nodes = [Node(entry: entry, past: EntrySet(), height: 0)]
        numbers = [entry.hash: 0]
        state = CircleState(of: nodes, in: nil)
    }

    package var entries: [Entry] { nodes.map(\.entry) }

    /// All entries that these and their parents are.
    ///
    /// - Returns: nil where one of them is not known.
    private func past(of frontier: [EntryHash]) -> EntrySet? {
        var past = EntrySet()
        for hash in frontier {
            guard let number = numbers[hash] else { return nil }
            past.insert(number)
            past.formUnion(nodes[number].past)
        }
        return past
    }

    /// Whether somebody with this frontier knows all that is known here of members and ends.
    package func isKnown(by frontier: [EntryHash]) -> Bool {
        guard let past = past(of: frontier) else { return false }
        return nodes.indices.allSatisfy { number in
            switch nodes[number].entry.body {
            case .found, .add, .remove, .end: past.contains(number)
            case .epoch, .floor: true
            }
        }
    }

    package func has(_ hash: EntryHash) -> Bool { numbers[hash] != nil }

    /// The entries that no other one has for a parent.
    package var frontier: [EntryHash] {
        var hashes = Set(numbers.keys)
        for node in nodes { hashes.subtract(node.entry.parents) }
        return hashes.sorted()
    }

    /// Takes an entry in, if it is valid: its author was a member by all that it knew.
    ///
    /// - Throws: for one that is not, and never will be.
    package mutating func insert(_ entry: Entry) throws(SyncRefusal) -> Outcome {
        guard !has(entry.hash) else { return .known }
        // Cheap questions first, before a signature is looked at.
        guard entry.circle == id else { throw .otherCircle }
        let missing = entry.parents.filter { !has($0) }
        guard missing.isEmpty else { return .waits(for: missing) }
        guard nodes.count < Self.mostEntries else { throw .tooLarge }
        var past = EntrySet()
        var height = 0
        for parent in entry.parents {
            guard let number = numbers[parent] else { return .waits(for: [parent]) }
            // A parent of a parent says nothing.
            guard !past.contains(number) else { throw .notCanonical }
            past.insert(number)
            past.formUnion(nodes[number].past)
            height = max(height, nodes[number].height + 1)
        }
        for parent in entry.parents {
            guard let number = numbers[parent],
                !entry.parents.contains(where: { other in
                    numbers[other].map { nodes[$0].past.contains(number) } ?? false
                })
            else { throw .notCanonical }
        }
        let then = CircleState(of: nodes, in: past)
        guard let card = then.members[entry.author] else { throw .notMember }
        try Self.check(entry, by: then, circle: id)
        guard entry.isSigned(by: card) else { throw .badSignature }
        numbers[entry.hash] = nodes.count
        nodes.append(Node(entry: entry, past: past, height: height))
        state = CircleState(of: nodes, in: nil)
        return .added
    }

    /// Whether an entry means something, after what its author knew.
    private static func check(_ entry: Entry, by then: CircleState, circle: CircleID) throws(SyncRefusal) {
        switch entry.body {
        case .found: throw .unknownKind(entry.body.kind.rawValue)
        case .add(let addition):
            let id = addition.card.id
            guard then.members[id] == nil, !then.removed.contains(id) else { throw .outOfRange }
            guard then.members.count < CircleState.mostMembers else { throw .tooLarge }
            guard addition.isMeant(by: entry.consent ?? [], for: circle) else { throw .badSignature }
        case .remove(let removal):
            guard then.members[removal.device] != nil else { throw .notMember }
        case .epoch(let epoch):
            guard epoch.secrets.wraps.allSatisfy({ then.members[$0.recipient] != nil }) else { throw .notMember }
            guard then.epochs[epoch.id] == nil, epoch.secrets.earlier.allSatisfy({ then.epochs[$0.epoch] != nil })
            else {
                throw .outOfRange
            }
        case .end: break
        case .floor(let number):
            guard number > then.floor else { throw .outOfRange }
        }
    }
}
