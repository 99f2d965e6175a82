package import KeychainModel

/// All that one device knows of its circle, but for the items themselves: who belongs to it, how far each journal was read,
/// and what is current.
///
/// It reads no file and waits for nobody. Each change of it, the items that this concerns and the blobs that come of it belong
/// into one transaction; blobs are published after that.
package struct Replica: Sendable {
    /// So many journals of one device may go on at one time. More are not read.
    package static let mostLive = 8
    /// A journal of this device that it does not write itself is ended after so long without a new head: 30 days. So a device signs
    /// a head more often than that.
    package static let longestSilence: UInt64 = 30 * 86_400_000
    /// Of its own, a device ends the oldest over so many after a third of that silence: they are of disks that were set back.
    static let mostOwn = 4
    /// Tombstones with a stamp from here on are kept: the floor would leave no room for later ones. The year is 4199.
    static let droppedBound: UInt64 = 1 << 46
    /// A journal with so many segments is ended, and another begun.
    static let longJournal = Segment.mostSpine - 1_000
    /// A device that begins anew waits for so long for what it has once written itself: a day.
    package static let longestWait: UInt64 = 86_400_000
    /// The clock may jump. Between two looks at it no more time than this has passed: six hours.
    package static let longestStep: UInt64 = 6 * 3_600_000
    /// Nobody reads more of a journal at one time: 1 GiB, from the base on.
    static let longestReading = 1 << 30
    /// The newest version of the formats that this code has.
    package static let newestFormat: UInt16 = 1
    private static let itemsTag = "chatelaine sync items 1"

    package let device: DeviceID
    package internal(set) var circle: Circle
    package internal(set) var journals: [JournalID: Journal] = [:]
    /// Nil before the first reading, and for a device that begins anew.
    package internal(set) var own: OwnJournal?
    package internal(set) var items: [ItemName: CurrentItem] = [:]
    /// The greatest stamp of a tombstone that this device has dropped.
    package internal(set) var stampFloor: UInt64 = 0
    package internal(set) var phase: Phase
    /// Epochs whose secrets this device was given.
    package internal(set) var held: Set<EpochID> = []
    /// Epochs of which this device has opened a box with the circle's name key.
    var opened: Set<EpochID> = []
    /// Whether entries may have secrets that this device could not take because it was locked.
    package internal(set) var hasLockedSecrets = false
    /// How long this replica has lived, in milliseconds, by a clock that may be wrong.
    package internal(set) var age: UInt64 = 0
    var lastClock: UInt64?
    /// Since when an end of a journal of this device cannot be read.
    var unreadSince: [JournalID: UInt64] = [:]
    /// Since when items that the store has lost are found nowhere.
    var lostSince: [ItemName: UInt64] = [:]
    /// Whether the first reading need not be a consistent cut.
    var acceptsOlder = false
    /// What to do about what was found, at the next upkeep.
    var findings: Set<Finding> = []
    /// Since when others know this device's journal otherwise than it does, and cannot be read, as `age` counts.
    var suspectedSince: UInt64?
    /// The journal of a device that begins anew.
    var former: OwnJournal?
    /// And what it had read.
    var formerJournals: [JournalID: Journal] = [:]
    /// When it began anew, as `age` counts.
    var formerSince: UInt64 = 0
    /// How often it did because it had other items than somebody else.
    var differences = 0
    package internal(set) var rules = SyncRules.all
    /// How many bytes of a journal are read at one time, and written after a base.
    var longestReading = Self.longestReading

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
        ) { (statement) throws(KeychainError) in try keys.sign(statement) }
        try keys.note(founding)
        var replica = Replica(of: card.id, in: try Circle(founding: founding), required: [])
        replica.phase = .member
        let epoch = try replica.beginEpoch(nameKey: nameKey, keys: keys)
        replica.own = OwnJournal(of: card.id, salt: salt)
        return (replica, [founding] + epoch)
    }

    /// A replica that leaves rules out, to show that they are needed. Simulations alone make one.
    package func unchecked(rules: SyncRules) -> Replica {
        var replica = self
        replica.rules = rules
        return replica
    }

    /// A replica that reads and writes less of a journal than others do: tests alone make one, since they have no time for 1 GiB.
    package func unchecked(longestReading: Int) -> Replica {
        var replica = self
        replica.longestReading = longestReading
        return replica
    }

    /// The greatest stamp of a tombstone that was dropped, here or by devices that are members now.
    var sharedFloor: UInt64 {
        guard rules.contains(.sharedFloor) else { return stampFloor }
        return max(stampFloor, liveHeads.map(\.stampFloor).max() ?? 0)
    }

    /// The journals of which this device keeps the segments: its own, and the one before while it begins anew.
    package var ownJournals: [JournalID] { [own?.id, former?.id].compactMap(\.self) }

    package var isMember: Bool { circle.state.members[device] != nil }

    /// The owner accepts journals that are older than its approver, or this device once, or another one has read them, because newer
    /// ones are lost, or entries.
    package mutating func acceptOlder() {
        guard phase != .member else { return }
        phase = .reading(required: [])
        acceptsOlder = true
    }

    /// Why this device must not write, if so.
    func checkMembership() throws(SyncRefusal) {
        guard isMember else { throw .notMember }
        try checkFormat()
    }

    /// - Throws: `unknownVersion` where the circle has left the formats that this code has.
    func checkFormat() throws(SyncRefusal) {
        guard circle.state.floor <= Self.newestFormat else { throw .unknownVersion(circle.state.floor) }
    }

    // MARK: - Time

    /// What `age` is at a time of the clock.
    func age(at clock: UInt64) -> UInt64 {
        guard let lastClock, clock > lastClock else { return age }
        return age + min(clock - lastClock, Self.longestStep)
    }

    /// Notices how late it is: `execute` and `keepUp` do that.
    package mutating func pass(_ clock: UInt64) {
        age = age(at: clock)
        lastClock = clock
    }

    // MARK: - Entries

    /// Takes in entries of anybody, in any order.
    ///
    /// - Throws: what the keys throw.
    package mutating func insert(_ entries: [Entry], keys: some DeviceKeys) throws -> Circle.Insertion {
        let insertion = circle.insert(entries)
        if !insertion.added.isEmpty { try notice(insertion.added, keys) }
        return insertion
    }

    /// What follows from entries that came in.
    private mutating func notice(_ added: [Entry], _ keys: some DeviceKeys) throws {
        // The one that founds a circle is there before the others, and came in with none.
        if circle.count == added.count + 1, let founding = circle.entries.first { try keys.note(founding) }
        for entry in added { try keys.note(entry) }
        // What is sealed under an epoch came before the newcomer that its secret was wrapped for.
        let isTaken = try unlessLocked { (next) throws in try next.unwrap(added, keys) } != nil
        if !isTaken { hasLockedSecrets = true }
        noticeBoxes(keys)
        if let own, end(of: own.id, by: device) != nil, rules.contains(.setBack) { findings.insert(.setBack(nil)) }
    }

    /// Does something, or nothing of it while the device is locked.
    ///
    /// - Returns: nil while it is locked.
    mutating func unlessLocked<Value>(_ body: (inout Replica) throws -> Value) throws -> Value? {
        var next = self
        do {
            let value = try body(&next)
            self = next
            return value
        } catch let error as KeychainError where error.code == .interactionNotAllowed {
            return nil
        }
    }

    /// Takes the secrets that came while the device was locked.
    mutating func takeLockedSecrets(_ keys: some DeviceKeys) throws {
        guard hasLockedSecrets else { return }
        let isTaken = try unlessLocked { (next) throws in try next.unwrap(next.circle.entries, keys) } != nil
        hasLockedSecrets = !isTaken
    }

    /// Takes the secrets that entries hand on, and those that are sealed under these, wherever they are.
    mutating func unwrap(_ entries: [Entry], _ keys: some DeviceKeys) throws {
        var found: Set<EpochID> = []
        for entry in entries {
            let secrets = entry.secrets
            if !secrets.wraps.isEmpty { found.formUnion(try keys.unwrap(secrets, in: circle.id)) }
        }
        while !found.isSubset(of: held) {
            held.formUnion(found)
            for case .epoch(let epoch) in circle.entries.map(\.body)
            where held.contains(epoch.id) && !epoch.secrets.earlier.allSatisfy({ held.contains($0.epoch) }) {
                found.formUnion(try keys.unwrap(epoch.secrets, in: circle.id))
            }
        }
    }

    /// Opens the name key of epochs that may be written under. A member who lies can put anything there.
    mutating func noticeBoxes(_ keys: some DeviceKeys) {
        for epoch in circle.state.goodEpochs where held.contains(epoch.id) && !opened.contains(epoch.id) {
            let isOpened = epoch.descriptions.contains { (try? NameKey(of: $0, in: circle, keys: keys)) != nil }
            if isOpened { opened.insert(epoch.id) }
        }
    }

    /// The circle's name key.
    ///
    /// - Returns: nil before this device was given it, and before the first unlock.
    package func nameKey(_ keys: some DeviceKeys) -> NameKey? {
        for case .epoch(let epoch) in circle.entries.reversed().map(\.body) where held.contains(epoch.id) {
            if let key = try? NameKey(of: epoch, in: circle, keys: keys) { return key }
        }
        return nil
    }

    // MARK: - Ends

    func end(of journal: JournalID, by device: DeviceID) -> JournalPoint? {
        circle.state.end(of: journal, by: device)
    }

    /// The ends that concern this device. Former members can name journals that are not there.
    var endings: [Ending] {
        circle.state.endings.filter { ending in
            let journal = ending.journal
            return own?.id == journal || former?.id == journal || journals[journal] != nil
                || circle.state.endedByMembers.contains(journal)
        }
    }

    /// Items that no journal has that goes on: they have to be written again.
    var orphans: [ItemName] {
        guard rules.contains(.adoption) else { return [] }
        var live = Set(journals.filter { end(of: $0.key, by: $0.value.device) == nil }.keys)
        if let own, end(of: own.id, by: device) == nil { live.insert(own.id) }
        return items.filter { !$0.value.carriers.keys.contains(where: live.contains) }.keys.sorted()
    }

    /// Signs an entry and takes it in.
    ///
    /// - Returns: what to publish. Where the circle has too many newest entries to name them all, some are merged first.
    /// - Throws: what the circle would refuse; nothing has changed then.
    mutating func write(_ body: EntryBody, consent: [UInt8]? = nil, keys: some DeviceKeys) throws -> [Entry] {
        var next = self
        var entries = try next.merge(keys)
        entries.append(try next.write(body, consent: consent, after: next.circle.frontier, keys))
        self = next
        return entries
    }

    /// Merges the circle's newest entries until there are few enough to name them all. Of an author who has written too much others
    /// may have taken other entries: they take these, too, once something is built on them.
    mutating func merge(_ keys: some DeviceKeys) throws -> [Entry] {
        var entries: [Entry] = []
        while circle.frontier.count > Entry.mostParents || isHalfFree && circle.isFlooded && circle.frontier.count > 1 {
            // The same for all who have the same entries.
            let parents = Array(circle.frontier.prefix(Entry.mostParents))
            entries.append(try write(.merge, after: parents, keys))
        }
        return entries
    }

    private mutating func write(
        _ body: EntryBody,
        consent: [UInt8]? = nil,
        after parents: [EntryHash],
        _ keys: some DeviceKeys
    ) throws -> Entry {
        let entry = try unchecked(body, consent: consent, parents: parents, keys: keys)
        // What no reader would take must not be written.
        guard try Entry(entry.encoded) == entry else { throw SyncRefusal.notCanonical }
        if let refusal = try insert([entry], keys: keys).refused[entry.hash] { throw refusal }
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
            (statement) throws(KeychainError) in try keys.sign(statement)
        }
    }

    /// Begins an epoch for all members.
    mutating func beginEpoch(nameKey: SecretBytes, keys: some DeviceKeys) throws -> [Entry] {
        let cards = circle.state.members.values.sorted { $0.id < $1.id }
        let earlier = circle.state.newestEpochs.filter(held.contains).prefix(EpochDescription.mostEarlier)
        let secrets = try keys.beginEpoch(for: cards, earlier: Set(earlier), in: circle.id)
        guard let id = secrets.wraps.first?.epoch else { throw SyncRefusal.notMember }
        let data = EpochDescription.nameKeyData(in: circle.id, id)
        let box = try keys.seal(nameKey, for: .afterFirstUnlock, in: id, authenticating: data)
        return try write(.epoch(EpochDescription(id: id, secrets: secrets, nameKey: box)), keys: keys)
    }

    /// All current items, as heads have them: devices with the same have the same.
    package var itemsDigest: SyncHash {
        var writer = SyncWriter()
        for (name, item) in items.filter({ !$0.value.version.isTombstone }).sorted(by: { $0.key < $1.key }) {
            writer.append(name)
            writer.append(item.version.hash)
        }
        return SyncHash(of: writer.bytes, tag: Self.itemsTag)
    }
}
