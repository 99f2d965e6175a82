/// Who belongs to a circle, from the signed entries alone: the same for everybody who has the same entries, in whatever order
/// they came.
///
/// `docs/formats/sync.md` gives the rules.
package struct Circle: Sendable {
    /// Of one author. An entry that another member's entry is built on comes in over that, so that devices that took different
    /// parts of a flood agree in the end.
    package static let mostByAuthor = 256
    package static let mostBytesByAuthor = 8 << 20
    /// Ends of journals of other devices, by one author.
    package static let mostEndsOfOthers = 64
    /// All together, since each costs memory. A circle that has so many takes no more.
    package static let mostEntries = 16_384
    package static let mostBytes = 256 << 20

    package let id: CircleID
    /// How the circle began.
    package let founding: Founding
    private var graph = EntryGraph()
    /// All who have ever been added by an entry, whether that counts or not.
    private var cards: [DeviceID: DeviceCard] = [:]
    private var shares: [DeviceID: Share] = [:]
    private var size = 0
    /// What follows from all entries.
    package private(set) var state: CircleState

    /// What one author has written.
    package struct Share: Sendable {
        package fileprivate(set) var entries = 0
        package fileprivate(set) var bytes = 0
        /// Ends of journals of other devices.
        package fileprivate(set) var endsOfOthers = 0

        /// With one entry more.
        fileprivate func adding(_ entry: Entry, bytes more: Int) -> Share {
            var share = self
            share.entries += 1
            share.bytes += more
            if case .end(let endings) = entry.body {
                share.endsOfOthers += endings.count { $0.device != entry.author }
            }
            return share
        }

        fileprivate var isWithinLimits: Bool {
            entries <= Circle.mostByAuthor && bytes <= Circle.mostBytesByAuthor
                && endsOfOthers <= Circle.mostEndsOfOthers
        }
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
        graph.append(entry, past: NumberSet())
        cards = [founding.card.id: founding.card]
        state = CircleState(of: graph)
    }

    /// Puts a circle together from entries that it had taken in, in their order. They are believed.
    ///
    /// - Throws: `unknownKind` where the first one founds no circle, `outOfRange` for an order in which one comes before its parents.
    init(restoring entries: [Entry]) throws(SyncRefusal) {
        guard let first = entries.first else { throw .truncated }
        guard case .found(let founding) = first.body else { throw .unknownKind(first.body.kind.rawValue) }
        id = first.hash
        self.founding = founding
        cards = [founding.card.id: founding.card]
        graph.append(first, past: NumberSet())
        state = CircleState(of: graph)
        for entry in entries.dropFirst() {
            var past = NumberSet()
            for parent in entry.parents {
                guard let number = graph.numbers[parent] else { throw .outOfRange }
                past.formUnion(graph.nodes[number].past)
                past.insert(number)
            }
            note(entry, bytes: entry.encoded.count)
            graph.append(entry, past: past)
        }
        state = CircleState(of: graph)
    }

    /// Counts an entry to its author's share.
    private mutating func note(_ entry: Entry, bytes: Int) {
        size += bytes
        shares[entry.author] = share(of: entry.author).adding(entry, bytes: bytes)
        if case .add(let addition) = entry.body { cards[addition.card.id] = addition.card }
    }

    package var entries: [Entry] { graph.nodes.map(\.entry) }

    /// How many they are.
    var count: Int { graph.nodes.count }

    /// All that somebody with this frontier knows: these entries, their parents, and theirs.
    ///
    /// - Returns: nil where one of them is not known here.
    func past(of frontier: [EntryHash]) -> NumberSet? { graph.past(of: frontier) }

    /// Whether somebody with this frontier knows all that is known here of members and ends.
    package func isKnown(by frontier: [EntryHash]) -> Bool { graph.past(of: frontier).map(graph.isKnown) ?? false }

    /// Whether all that is known here of how far a journal counts is among these entries.
    func isKnown(_ ending: Ending, in past: NumberSet) -> Bool { graph.isKnown(ending, in: past) }

    package func has(_ hash: EntryHash) -> Bool { graph.numbers[hash] != nil }

    /// The entries that no other one has for a parent.
    package var frontier: [EntryHash] { graph.frontier.sorted() }

    /// What a device has written.
    package func share(of author: DeviceID) -> Share { shares[author] ?? Share() }

    /// Whether the newest entries have one of an author who has written as much as it may: others may have taken other parts of it.
    package var isFlooded: Bool {
        graph.frontier.contains { hash in
            // Who may still write could make others merge again and again.
            graph.numbers[hash].map { share(of: graph.nodes[$0].entry.author).entries >= Self.mostByAuthor } ?? false
        }
    }

    /// Takes entries in, in whatever order they came. It does not matter that some come again, or are invalid.
    package mutating func insert(_ entries: [Entry]) -> Insertion {
        var insertion = Insertion()
        let members = state.members
        // Costs a signature for many entries, and is of no use unless an author has written too much.
        var needed: Set<EntryHash>?
        func isNeeded(_ hash: EntryHash) -> Bool {
            let all = needed ?? Self.needed(for: entries, by: members)
            needed = all
            return all.contains(hash)
        }
        var waiting: [EntryHash: [Entry]] = [:]
        var next = entries
        while let entry = next.popLast() {
            do {
                switch try place(entry, isNeeded: isNeeded) {
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
        if !insertion.added.isEmpty { state = CircleState(of: graph) }
        return insertion
    }

    /// Takes an entry in, if it is valid: its author was a member by all that it knew.
    ///
    /// - Throws: for one that is not, and never will be.
    package mutating func insert(_ entry: Entry) throws(SyncRefusal) -> Outcome {
        let outcome = try place(entry) { _ in false }
        if outcome == .added { state = CircleState(of: graph) }
        return outcome
    }

    /// Entries that an entry of another one, who is a member, is built on.
    private static func needed(for entries: [Entry], by members: [DeviceID: DeviceCard]) -> Set<EntryHash> {
        let known = Dictionary(entries.map { ($0.hash, $0) }) { one, _ in one }
        var needed: Set<EntryHash> = []
        // What an author is built on, that is its own, is not needed for that. Who was added by one of these entries is not known
        // yet: its entries come in the next time.
        let builders = entries.filter { entry in
            entry.parents.contains { known[$0].map { $0.author != entry.author } ?? false }
                && members[entry.author].map { entry.isSigned(by: $0) } ?? false
        }
        for builder in builders {
            var next = builder.parents.filter { known[$0].map { $0.author != builder.author } ?? false }
            while let hash = next.popLast() {
                guard let entry = known[hash], needed.insert(hash).inserted else { continue }
                next += entry.parents
            }
        }
        return needed
    }

    private mutating func place(_ entry: Entry, isNeeded: (EntryHash) -> Bool) throws(SyncRefusal) -> Outcome {
        guard !has(entry.hash) else { return .known }
        // Cheap questions first, before a signature is looked at, and that before anything follows from the entry.
        guard entry.circle == id else { throw .otherCircle }
        let missing = entry.parents.filter { !has($0) }
        guard missing.isEmpty else { return .waits(for: missing) }
        guard let card = cards[entry.author] else { throw .notMember }
        let bytes = entry.encoded.count
        let share = share(of: entry.author).adding(entry, bytes: bytes)
        guard
            graph.nodes.count < Self.mostEntries, size + bytes <= Self.mostBytes,
            share.isWithinLimits || isNeeded(entry.hash)
        else { throw .tooLarge }
        guard entry.isSigned(by: card) else { throw .badSignature }
        let parents = entry.parents.compactMap { graph.numbers[$0] }
        var past = NumberSet()
        for parent in parents { past.formUnion(graph.nodes[parent].past) }
        // A parent of a parent says nothing.
        guard !parents.contains(where: past.contains) else { throw .notCanonical }
        for parent in parents { past.insert(parent) }
        let then = Membership(of: graph, in: past)
        guard then.members[entry.author] != nil else { throw .notMember }
        try check(entry, by: then, past)
        note(entry, bytes: bytes)
        graph.append(entry, past: past)
        return .added
    }

    /// Whether an entry means something, after what its author knew.
    private func check(_ entry: Entry, by then: Membership, _ past: NumberSet) throws(SyncRefusal) {
        switch entry.body {
        case .found: throw .unknownKind(entry.body.kind.rawValue)
        case .add(let addition):
            let id = addition.card.id
            guard then.members[id] == nil, !then.removed.contains(id) else { throw .outOfRange }
            guard then.members.count < CircleState.mostMembers else { throw .tooLarge }
            guard addition.isMeant(by: entry.consent ?? [], for: self.id) else { throw .badSignature }
        case .remove(let removal):
            // Once more, perhaps: by somebody who knows more.
            guard then.counted[removal.device] != nil else { throw .notMember }
        case .epoch(let epoch):
            guard epoch.secrets.wraps.allSatisfy({ then.members[$0.recipient] != nil }) else { throw .notMember }
            let known = Set(
                graph.numbers(of: .epoch, in: past).filter { then.counts($0, graph) }.compactMap { number in
                    if case .epoch(let other) = graph.nodes[number].entry.body { other.id } else { nil }
                }
            )
            guard !known.contains(epoch.id), epoch.secrets.earlier.allSatisfy({ known.contains($0.epoch) }) else {
                throw .outOfRange
            }
        case .end, .merge: break
        case .floor(let number):
            guard number > then.floor else { throw .outOfRange }
        }
    }
}
