package import KeychainModel

/// All that one device knows of its circle, but for the items themselves: who belongs to it, how far each journal was read,
/// and what is current.
///
/// It reads no file and waits for nobody. Each change of it, the items that this concerns and the blobs that come of it belong
/// into one transaction; blobs are published after that.
package struct Replica: Sendable {
    /// A circle has at most so many journals, with those that have ended.
    package static let mostJournals = Head.mostMarks
    /// A journal of this device that it does not write itself is ended after so long without a new head: 30 days. So a device signs
    /// a head more often than that.
    package static let longestSilence: UInt64 = 30 * 86_400_000
    /// Tombstones with a stamp from here on are kept: the floor would leave no room for later ones. The year is 4199.
    static let droppedBound: UInt64 = 1 << 46
    /// A journal with so many segments is ended, and another begun.
    static let longJournal = Segment.mostSpine - 1_000
    /// A device that begins anew waits for so long for what it has once written itself: a day.
    static let longestWait: UInt64 = 86_400_000
    /// Entries that wait for their parents. More are dropped: they can be read again.
    package static let mostWaiting = 256

    package let device: DeviceID
    package internal(set) var circle: Circle
    package internal(set) var journals: [JournalID: Journal] = [:]
    /// Nil before the first reading, and for a device that begins anew.
    package internal(set) var own: OwnJournal?
    package internal(set) var items: [ItemName: CurrentItem] = [:]
    /// The greatest stamp of a tombstone that this device has dropped.
    package internal(set) var stampFloor: UInt64 = 0
    package internal(set) var phase: Phase
    /// By hash: entries with parents that have not arrived.
    var waiting: [EntryHash: Entry] = [:]
    /// What to do about what was found, at the next upkeep.
    var findings: Set<Finding> = []
    /// Since when others know this device's journal otherwise than it does, and cannot be read.
    var suspectedSince: UInt64?
    /// The journal of a device that begins anew.
    var former: OwnJournal?
    /// And what it had read.
    var formerJournals: [JournalID: Journal] = [:]
    /// When it began anew, by its clock.
    var formerSince: UInt64 = 0
    var rules = SyncRules.all

    package enum Phase: Equatable, Sendable {
        /// The circle is read for the first time, or anew. These heads, or later ones, have to be part of it.
        case reading(required: [JoinAnswer.KnownHead])
        case member
    }

    enum Finding: Hashable, Sendable {
        case fork(JournalID)
        /// Somebody else writes this device's journal, or this device did and does not know it any more.
        case setBack(JournalPoint?)
    }

    /// - Parameter required: heads that the approver has read.
    package init(of device: DeviceID, in circle: Circle, required: [JoinAnswer.KnownHead]) {
        self.device = device
        self.circle = circle
        phase = .reading(required: required)
    }

    /// Founds a circle.
    ///
    /// - Returns: the replica and the entries to publish: the founding one, and one with the first epoch.
    package static func founding(
        _ card: DeviceCard,
        salt: SyncName,
        nameKey: SecretBytes,
        keys: some DeviceKeys
    ) throws -> (replica: Replica, entries: [Entry]) {
        let founding = try Entry(
            circle: .zero,
            parents: [],
            author: card.id,
            body: .found(Founding(card: card, nameKey: Founding.commitment(to: nameKey)))
        ) { (digest) throws(KeychainError) in try keys.sign(digest) }
        var replica = Replica(of: card.id, in: try Circle(founding: founding), required: [])
        replica.phase = .member
        let epoch = try replica.beginEpoch(nameKey: nameKey, keys: keys)
        replica.own = OwnJournal(of: card.id, salt: salt)
        return (replica, [founding, epoch])
    }

    /// A replica that leaves rules out, to show that they are needed. Simulations alone make one.
    package func unchecked(rules: SyncRules) -> Replica {
        var replica = self
        replica.rules = rules
        return replica
    }

    /// The greatest stamp of a tombstone that was dropped, here or by devices that are members now.
    var sharedFloor: UInt64 {
        guard rules.contains(.sharedFloor) else { return stampFloor }
        return max(stampFloor, liveHeads.map(\.stampFloor).max() ?? 0)
    }

    package var isMember: Bool { circle.state.members[device] != nil }

    /// The owner accepts journals that are older than its approver, or this device once, has read them, because newer ones are lost.
    package mutating func acceptOlder() {
        if phase != .member { phase = .reading(required: []) }
    }

    /// Why this device must not write, if so.
    func checkMembership() throws(SyncRefusal) {
        guard isMember else { throw .notMember }
    }

    // MARK: - Entries

    /// Takes in an entry of somebody, or keeps it until its parents arrive.
    ///
    /// - Returns: the entries that came in with it: also those that had waited for it.
    /// - Throws: for one that never will be valid.
    package mutating func insert(_ entry: Entry, keys: some DeviceKeys) throws -> [Entry] {
        switch try circle.insert(entry) {
        case .known: return []
        case .waits:
            if waiting.count < Self.mostWaiting { waiting[entry.hash] = entry }
            return []
        case .added: break
        }
        var added = [entry]
        try unwrap(entry, keys)
        var progress = true
        while progress {
            progress = false
            for waits in waiting.values.sorted(by: { $0.hash < $1.hash }) {
                do {
                    let outcome = try circle.insert(waits)
                    if case .waits = outcome { continue }
                    if outcome == .added {
                        added.append(waits)
                        try unwrap(waits, keys)
                    }
                } catch is SyncRefusal {
                    // It came from elsewhere, and is refused now that it can be judged.
                }
                waiting[waits.hash] = nil
                progress = true
            }
        }
        noticeEnd()
        return added
    }

    func unwrap(_ entry: Entry, _ keys: some DeviceKeys) throws {
        try keys.unwrap(entry.secrets, in: circle.id)
        // What is sealed under an epoch came before the newcomer that its secret was wrapped for.
        guard case .add(let addition) = entry.body, addition.card.id == device else { return }
        for entry in circle.entries.reversed() { try keys.unwrap(entry.secrets, in: circle.id) }
    }

    /// The entries that others wait for.
    package var missingEntries: Set<EntryHash> {
        Set(waiting.values.flatMap(\.parents)).filter { !circle.has($0) && waiting[$0] == nil }
    }

    func end(of journal: JournalID, by device: DeviceID) -> JournalPoint? {
        circle.state.end(of: journal, by: device)
    }

    /// The ends that concern this device. Former members can name journals that are not there, or not those of the device that they
    /// say.
    var endings: [Ending] {
        circle.state.endings.compactMap { ending in
            let journal = ending.point.journal
            let isOwn = own?.id == journal || former?.id == journal
            if let owner = isOwn ? device : journals[journal]?.device {
                return end(of: journal, by: owner).map { Ending(of: owner, at: $0) }
            }
            return circle.state.endedByMembers.contains(journal) ? ending : nil
        }
    }

    private mutating func noticeEnd() {
        if let own, end(of: own.id, by: device) != nil, rules.contains(.setBack) { findings.insert(.setBack(nil)) }
    }

    /// Items that no journal has that goes on: they have to be written again.
    var orphans: [ItemName] {
        guard rules.contains(.adoption) else { return [] }
        var live = Set(journals.filter { end(of: $0.key, by: $0.value.device) == nil }.keys)
        if let own, end(of: own.id, by: device) == nil { live.insert(own.id) }
        return items.filter { !$0.value.carriers.keys.contains(where: live.contains) }.keys.sorted()
    }

    /// Signs an entry and takes it in.
    mutating func write(_ body: EntryBody, consent: [UInt8]? = nil, keys: some DeviceKeys) throws -> Entry {
        let entry = try Entry(circle: circle.id, parents: circle.frontier, author: device, body: body, consent: consent)
        {
            (digest) throws(KeychainError) in try keys.sign(digest)
        }
        _ = try insert(entry, keys: keys)
        return entry
    }

    /// Signs an entry without taking it in: a former member's. Simulations and tests of attacks alone do that.
    package func unchecked(
        _ body: EntryBody,
        consent: [UInt8]? = nil,
        parents: [EntryHash],
        keys: some DeviceKeys
    ) throws -> Entry {
        try Entry(circle: circle.id, parents: parents, author: device, body: body, consent: consent) {
            (digest) throws(KeychainError) in try keys.sign(digest)
        }
    }

    /// Begins an epoch for all members.
    mutating func beginEpoch(nameKey: SecretBytes, keys: some DeviceKeys) throws -> Entry {
        let cards = circle.state.members.values.sorted { $0.id < $1.id }
        let secrets = try keys.beginEpoch(for: cards, earlier: Set(circle.state.epochs.keys), in: circle.id)
        guard let id = secrets.wraps.first?.epoch else { throw SyncRefusal.notMember }
        let data = EpochDescription.nameKeyData(in: circle.id, id)
        let box = try keys.seal(nameKey, for: .afterFirstUnlock, in: id, authenticating: data)
        return try write(.epoch(EpochDescription(id: id, secrets: secrets, nameKey: box)), keys: keys)
    }
}
