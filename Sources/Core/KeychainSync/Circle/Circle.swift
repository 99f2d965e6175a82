/// Who belongs to a circle, from the signed entries alone: the same for everybody who has the same entries, in whatever order
/// they came.
///
/// `docs/formats/sync.md` gives the rules.
package struct Circle: Sendable {
    /// All entries together, since each costs memory, and their bytes. Removals, and what they are built on, may take twice as
    /// much: a device that has filled its share can be removed.
    package static let mostEntries = 4_096
    package static let mostBytes = 64 << 20
    /// Of one author, again without what removals need.
    package static let mostByAuthor = 256

    package let id: CircleID
    /// How the circle began.
    package let founding: Founding
    /// In an order in which each comes after its parents.
    private var nodes: [Node] = []
    private var numbers: [EntryHash: Int] = [:]
    /// All who have ever been added by an entry, whether that counts or not.
    private var cards: [DeviceID: DeviceCard] = [:]
    private var byAuthor: [DeviceID: Int] = [:]
    private var size = 0
    /// Entries that say how far a journal counts, and those that remove a device.
    private var ends: [JournalID: [Int]] = [:]
    private var removals: [DeviceID: [Int]] = [:]
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

    /// What became of entries that were taken in together.
    package struct Insertion: Sendable {
        /// In an order in which each comes after its parents.
        package fileprivate(set) var added: [Entry] = []
        /// Parents that are not there. Who can get them takes all in once more.
        package fileprivate(set) var missing: Set<EntryHash> = []
        package fileprivate(set) var refused: [EntryHash: SyncRefusal] = [:]
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
        cards = [founding.card.id: founding.card]
        state = CircleState(of: nodes, in: nil)
    }

    package var entries: [Entry] { nodes.map(\.entry) }

    /// All that somebody with this frontier knows: these entries, their parents, and theirs.
    ///
    /// - Returns: nil where one of them is not known here.
    func past(of frontier: [EntryHash]) -> EntrySet? {
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
            case .epoch, .floor, .merge: true
            }
        }
    }

    /// Whether all that is known here of how far a journal counts is among these entries.
    func isKnown(_ ending: Ending, in past: EntrySet) -> Bool {
        ((ends[ending.journal] ?? []) + (removals[ending.device] ?? [])).allSatisfy(past.contains)
    }

    package func has(_ hash: EntryHash) -> Bool { numbers[hash] != nil }

    /// The entries that no other one has for a parent.
    package var frontier: [EntryHash] {
        var hashes = Set(numbers.keys)
        for node in nodes { hashes.subtract(node.entry.parents) }
        return hashes.sorted()
    }

    /// Takes entries in, in whatever order they came. It does not matter that some come again, or are invalid.
    package mutating func insert(_ entries: [Entry]) -> Insertion {
        var insertion = Insertion()
        let needed = needed(for: entries)
        var waiting: [EntryHash: [Entry]] = [:]
        var next = entries
        while let entry = next.popLast() {
            do {
                switch try place(entry, isNeeded: needed.contains(entry.hash)) {
                case .known: break
                case .waits(let missing):
                    waiting[missing[0], default: []].append(entry)
                    insertion.missing.formUnion(missing)
                case .added:
                    insertion.added.append(entry)
                    insertion.refused[entry.hash] = nil
                    next += waiting.removeValue(forKey: entry.hash) ?? []
                }
            } catch {
                insertion.refused[entry.hash] = error
            }
        }
        insertion.missing.subtract(waiting.values.flatMap { $0.map(\.hash) })
        insertion.missing.subtract(insertion.refused.keys)
        insertion.missing = insertion.missing.filter { !has($0) }
        if !insertion.added.isEmpty { state = CircleState(of: nodes, in: nil) }
        return insertion
    }

    /// Takes an entry in, if it is valid: its author was a member by all that it knew.
    ///
    /// - Throws: for one that is not, and never will be.
    package mutating func insert(_ entry: Entry) throws(SyncRefusal) -> Outcome {
        let outcome = try place(entry, isNeeded: isRemoval(entry))
        if outcome == .added { state = CircleState(of: nodes, in: nil) }
        return outcome
    }

    private func isRemoval(_ entry: Entry) -> Bool {
        if case .remove = entry.body { entry.circle == id } else { false }
    }

    /// Removals that somebody of this circle has signed, and what they are built on.
    private func needed(for entries: [Entry]) -> Set<EntryHash> {
        let parents = Dictionary(entries.map { ($0.hash, $0.parents) }) { one, _ in one }
        var needed: Set<EntryHash> = []
        // Who was added by one of these entries is not known yet: its removals come in the next time.
        var next = entries.filter { isRemoval($0) && cards[$0.author].map($0.isSigned) ?? false }.map(\.hash)
        while let hash = next.popLast() {
            if needed.insert(hash).inserted { next += parents[hash] ?? [] }
        }
        return needed
    }

    private mutating func place(_ entry: Entry, isNeeded: Bool) throws(SyncRefusal) -> Outcome {
        guard !has(entry.hash) else { return .known }
        // Cheap questions first, before a signature is looked at, and that before anything follows from the entry.
        guard entry.circle == id else { throw .otherCircle }
        let missing = entry.parents.filter { !has($0) }
        guard missing.isEmpty else { return .waits(for: missing) }
        guard let card = cards[entry.author] else { throw .notMember }
        let bytes = entry.encoded.count
        let limit = isNeeded ? 2 : 1
        guard nodes.count < limit * Self.mostEntries, size + bytes <= limit * Self.mostBytes,
            byAuthor[entry.author, default: 0] < limit * Self.mostByAuthor
        else { throw .tooLarge }
        guard entry.isSigned(by: card) else { throw .badSignature }
        let parents = entry.parents.compactMap { numbers[$0] }
        var past = EntrySet()
        for parent in parents { past.formUnion(nodes[parent].past) }
        // A parent of a parent says nothing.
        guard !parents.contains(where: past.contains) else { throw .notCanonical }
        for parent in parents { past.insert(parent) }
        let then = CircleState(of: nodes, in: past)
        guard then.members[entry.author] != nil else { throw .notMember }
        try Self.check(entry, by: then, circle: id)
        size += bytes
        byAuthor[entry.author, default: 0] += 1
        note(entry, nodes.count)
        let height = (parents.map { nodes[$0].height }.max() ?? 0) + 1
        nodes.append(Node(entry: entry, past: past, height: height))
        return .added
    }

    private mutating func note(_ entry: Entry, _ number: Int) {
        numbers[entry.hash] = number
        switch entry.body {
        case .add(let addition): cards[addition.card.id] = addition.card
        case .remove(let removal): removals[removal.device, default: []].append(number)
        case .end(let endings):
            for ending in endings { ends[ending.journal, default: []].append(number) }
        case .found, .epoch, .floor, .merge: break
        }
    }

    /// How many entries a device has written.
    package func count(by author: DeviceID) -> Int { byAuthor[author, default: 0] }

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
        case .end, .merge: break
        case .floor(let number):
            guard number > then.floor else { throw .outOfRange }
        }
    }
}
