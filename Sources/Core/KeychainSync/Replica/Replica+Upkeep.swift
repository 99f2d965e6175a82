import KeychainModel

extension Replica {
    /// Does what has become due: ends journals that two write, begins anew, begins an epoch where that helps somebody.
    ///
    /// Others can make a device write. So what is for others stops at half of what the device may write in all.
    ///
    /// - Parameter clock: this device's, in milliseconds since 1970.
    /// - Returns: entries to publish, after the segments of this device.
    package mutating func keepUp(clock: UInt64, keys: some DeviceKeys) throws -> [Entry] {
        pass(clock)
        try takeLockedSecrets(keys)
        guard isMember, (try? checkFormat()) != nil else { return [] }
        noticeBoxes(keys)
        let due = findings
        findings = []
        var forks: [Ending] = []
        for journal in journals.keys.sorted() where due.contains(.fork(journal)) {
            guard let known = journals[journal], end(of: journal, by: known.device) == nil else { continue }
            forks.append(Ending(of: known.device, salt: known.salt, at: known.history.tip(of: journal)))
        }
        // What is due for this device itself comes first, and what it may not write any more keeps it from nothing else.
        let own = endOwn(due, keys)
        var entries = try unlessFull { (next) throws in try next.merge(keys) }
        entries += try write(ends: own, keys)
        if isEpochDue, let nameKey = nameKey(keys) {
            entries += try beginEpochIfPossible(nameKey, keys)
        }
        if isHalfFree { entries += try write(ends: abandoned + unreadable(), keys) }
        if isHalfFree {
            let others = Circle.mostEndsOfOthers - circle.share(of: device).endsOfOthers
            entries += try write(ends: Array(forks.prefix(max(0, others))), keys)
        }
        return entries
    }

    /// Begins an epoch, unless the keys cannot: this device is locked, or its enclave knows of a removal that this replica does
    /// not know, or has no room. Others can begin one meanwhile, and this device can do all else.
    private mutating func beginEpochIfPossible(_ nameKey: NameKey, _ keys: some DeviceKeys) throws -> [Entry] {
        do {
            return try unlessFull { (next) throws in try next.beginEpoch(nameKey: nameKey.secret, keys: keys) }
        } catch let error as KeychainError {
            switch error.code {
            case .interactionNotAllowed, .noPermission, .dataTooLarge: return []
            default: throw error
            }
        }
    }

    /// Whether this device has written less than half of what it may.
    var isHalfFree: Bool {
        let share = circle.share(of: device)
        return share.entries < Circle.mostByAuthor / 2 && share.bytes < Circle.mostBytesByAuthor / 2
    }

    private mutating func write(ends: [Ending], _ keys: some DeviceKeys) throws -> [Entry] {
        let ends = Dictionary(ends.map { ($0.journal, $0) }) { one, _ in one }.values.sorted { $0.journal < $1.journal }
        var entries: [Entry] = []
        for start in stride(from: 0, to: ends.count, by: Removal.mostEnds) {
            let some = Array(ends[start..<min(start + Removal.mostEnds, ends.count)])
            entries += try unlessFull { (next) throws in try next.write(.end(some), keys: keys) }
        }
        return entries
    }

    /// Writes entries, or none where this device or the circle has written as much as it may.
    private mutating func unlessFull(_ body: (inout Replica) throws -> [Entry]) throws -> [Entry] {
        var next = self
        do {
            let entries = try body(&next)
            self = next
            return entries
        } catch SyncRefusal.tooLarge {
            return []
        }
    }

    /// Whether there is no epoch to write under, somebody lacks the secret of one that this device has, or this device lacks that
    /// of one that others write under, or have written. A member who lies can make that happen again and again.
    private var isEpochDue: Bool {
        guard rules.contains(.freshEpochs) else { return false }
        if phase == .member, currentEpoch == nil { return true }
        guard isHalfFree else { return false }
        // A newcomer, too, says that it was given another secret: it could read nothing.
        if lacksWhatItWasGiven { return true }
        let mine = circle.state.newestEpochs.prefix(EpochDescription.mostEarlier).filter(held.contains)
        return phase == .member && mine.contains(where: circle.state.lacks)
    }

    /// Ends this device's journal and begins anew, if it is not what this device once wrote.
    private mutating func endOwn(_ due: Set<Finding>, _ keys: some DeviceKeys) -> [Ending] {
        var tips: [JournalPoint] = []
        var isSetBack = differs(keys)
        if isSetBack { differences += 1 }
        if let own, own.history.count > Self.longJournal { isSetBack = true }
        for case .setBack(let tip) in due {
            isSetBack = true
            if let tip { tips.append(tip) }
        }
        guard isSetBack, let own else { return [] }
        suspectedSince = nil
        var ends: [Ending] = []
        if end(of: own.id, by: device) == nil {
            // What this device has signed and does not know any more is read by others, also where it is shorter.
            let tip = tips.filter { $0.journal == own.id }.max() ?? own.tip
            ends.append(Ending(of: device, salt: own.salt, at: tip))
        }
        beginAnew()
        return ends
    }

    /// Whether somebody who has read just what this device has read has other items: one of both is damaged, or two are one
    /// device.
    private mutating func differs(_ keys: some DeviceKeys) -> Bool {
        guard rules.contains(.digests), phase == .member, let own, end(of: own.id, by: device) == nil else {
            return false
        }
        // Where it did not help, it comes ever more rarely.
        guard age >= formerSince + Self.longestWait << min(UInt64(differences), 8), orphans.isEmpty else {
            return false
        }
        let live = journals.filter { end(of: $0.key, by: $0.value.device) == nil }
        guard live.values.allSatisfy({ $0.head != nil }) else { return false }
        let tips = live.map { $0.value.history.tip(of: $0.key) } + [own.tip]
        for (id, journal) in live {
            guard let head = journal.head, journal.compared != head.hash, journal.has(head.contents.tip),
                circle.isKnown(by: head.contents.frontier),
                tips.allSatisfy({ tip in
                    tip.number == 0 || (tip.journal == id ? tip == head.contents.tip : head.contents.read.contains(tip))
                }),
                // The secret of its epoch may have been withheld from this device.
                let digest = try? keys.code(of: itemsDigest, in: head.contents.epoch)
            else { continue }
            journals[id]?.compared = head.hash
            if head.contents.digest != digest { return true }
            differences = 0
        }
        return false
    }

    // MARK: - Journals that nobody goes on with

    /// Journals of this device that it does not write: it was set back, or copied. A copy that is used goes on, and is left alone;
    /// others would wait for the other one for ever.
    private var abandoned: [Ending] {
        guard phase == .member else { return [] }
        let others = journals.filter { $0.value.device == device && end(of: $0.key, by: device) == nil }
        let oldest = others.sorted { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }
        return oldest.enumerated().filter { place, journal in
            let silence = oldest.count - place > Self.mostOwn ? Self.longestSilence / 3 : Self.longestSilence
            return age > journal.value.heard + silence
        }.map { Ending(of: device, salt: $0.1.value.salt, at: $0.1.value.history.tip(of: $0.1.key)) }
    }

    /// Ends of this device's own journals that cannot be read for a day: where it has read less, nobody reads more.
    private mutating func unreadable() -> [Ending] {
        guard phase == .member else { return [] }
        let unread = unreadEnds.filter { $0.device == device && $0.journal != own?.id }
        let before = unreadSince
        unreadSince = [:]
        for ending in unread { unreadSince[ending.journal] = before[ending.journal] ?? age }
        return unread.filter { age >= (before[$0.journal] ?? age) + Self.longestWait }.map(shortened)
    }

    /// An end at what this device has read.
    private func shortened(_ ending: Ending) -> Ending {
        let tip = journals[ending.journal]?.history.tip(of: ending.journal) ?? .zero(of: ending.journal)
        return Ending(
            of: ending.device,
            salt: ending.salt,
            at: tip < ending.point ? tip : .zero(of: ending.journal)
        )
    }

    /// Ends up to which this device has not read, and of which it does not know that somebody else has taken over all.
    package var unreadEnds: [Ending] { endings.filter { $0.point.number > 0 && !hasRead($0) } }

    /// The owner gives up what ended journals still have: nobody comes back who has read it.
    ///
    /// - Returns: entries to publish; none for journals that were read, or have not ended.
    package mutating func giveUp(_ journals: Set<JournalID>, keys: some DeviceKeys) throws -> [Entry] {
        try checkMembership()
        guard phase == .member else { return [] }
        let ends = unreadEnds.filter { journals.contains($0.journal) }.prefix(Removal.mostEnds)
        return ends.isEmpty ? [] : try write(.end(ends.map(shortened)), keys: keys)
    }

    // MARK: - Members

    /// Adds a device whose owner has compared the digits.
    ///
    /// - Throws: `notMember` while this device has not written what it has to take over; what the circle refuses.
    package mutating func add(_ card: DeviceCard, consent: [UInt8], keys: some DeviceKeys) throws -> [Entry] {
        try checkMembership()
        guard isSettled else { throw SyncRefusal.notMember }
        let wraps = try keys.wrap(handedOn, for: card, in: circle.id)
        return try write(.add(Addition(card: card, wraps: wraps)), consent: consent, keys: keys)
    }

    /// Epochs whose secrets a newcomer is given.
    private var handedOn: [EpochID] {
        Array(circle.state.goodEpochs.map(\.id).filter(held.contains).prefix(Addition.mostWraps))
    }

    /// Adds a device by the recovery key, which is a member without a journal: nothing vouches for how new the journals are.
    ///
    /// - Parameter keys: the recovery key's.
    /// - Throws: `notMember` for a recovery key that is not a member of this circle: the transport may have invented the circle.
    package static func recover(
        _ card: DeviceCard,
        consent: [UInt8],
        in circle: Circle,
        by recovery: DeviceID,
        keys: some DeviceKeys
    ) throws -> [Entry] {
        var replica = Replica(of: recovery, in: circle, required: [])
        try replica.checkMembership()
        try replica.unwrap(circle.entries, keys)
        let wraps = try keys.wrap(replica.handedOn, for: card, in: circle.id)
        return try replica.write(.add(Addition(card: card, wraps: wraps)), consent: consent, keys: keys)
    }

    /// The heads that a newcomer has to read, or later ones.
    package var knownHeads: [JoinAnswer.KnownHead] {
        let heads = journals.filter { end(of: $0.key, by: $0.value.device) == nil }.compactMap(\.value.head)
        return (heads + [own?.head].compactMap(\.self)).map {
            JoinAnswer.KnownHead(journal: $0.contents.journal, counter: $0.contents.counter, hash: $0.hash)
        }
    }

    /// Whether all ended journals were read, all that is only there was written again, and a head was signed since: what a newcomer
    /// reads is no older then.
    package var isSettled: Bool {
        guard isMember, phase == .member, let own, own.head?.contents.tip == own.tip,
            circle.frontier.count <= Entry.mostParents
        else { return false }
        return hasReadEnded && orphans.isEmpty
    }

    /// Removes a device, for good. What this device has read of its journals stays.
    ///
    /// - Throws: `notMember` while this device reads the circle: it could not say how far the other one's journals count.
    package mutating func remove(_ other: DeviceID, keys: some DeviceKeys) throws -> [Entry] {
        // Also where the circle has left the formats that this code has: a member who lies can say that.
        guard isMember, phase == .member else { throw SyncRefusal.notMember }
        let floor = circle.state.floor
        // Of what has ended, others have taken over what is not named.
        var ends = journals.filter { $0.value.device == other && !$0.value.history.isEmpty }.map { id, journal in
            let tip = journal.history.tip(of: id)
            return Ending(of: other, salt: journal.salt, at: end(of: id, by: other).map { min($0, tip) } ?? tip)
        }
        if other == device, let own, !own.history.isEmpty {
            ends.append(Ending(of: device, salt: own.salt, at: own.tip))
        }
        // Those that go on first: what is not named does not count.
        let live = Set(ends.filter { end(of: $0.journal, by: other) == nil }.map(\.journal))
        ends.sort { (live.contains($0.journal) ? 0 : 1, $0.journal) < (live.contains($1.journal) ? 0 : 1, $1.journal) }
        var entries = try write(.remove(Removal(of: other, ends: Array(ends.prefix(Removal.mostEnds)))), keys: keys)
        // What this code knows of a floor stays, whoever has said it.
        if isMember, circle.state.floor < floor, floor <= Self.newestFormat {
            entries += try unlessFull { (next) throws in try next.write(.floor(floor), keys: keys) }
        }
        return entries
    }

    // MARK: - Tombstones

    /// Drops tombstones that nobody needs.
    ///
    /// A tombstone is needed while some journal's base could have been written by somebody who had not read it, while somebody
    /// may become a member who has not, and while a journal that ended has something that this device has not read.
    ///
    /// - Returns: their names.
    package mutating func collect() -> [ItemName] {
        guard phase == .member, let own, isMember, suspectedSince == nil else { return [] }
        // What this device has not seen published may be on a disk that was set back: it will be found out before that.
        guard own.confirmed >= own.base.upperBound else { return [] }
        if rules.contains(.endedWereRead) { guard hasReadEnded else { return [] } }
        let others = liveHeads
        // A journal that could not be read yet may be of somebody who has not read it.
        guard journals.allSatisfy({ $0.value.head != nil || end(of: $0.key, by: $0.value.device) != nil }) else {
            return []
        }
        let writers = Set(others.map(\.device)).union([device])
        guard circle.state.members.keys.allSatisfy({ writers.contains($0) || isRecoveryKey($0) }) else { return [] }
        if rules.contains(.knownByAll) {
            guard others.allSatisfy({ circle.isKnown(by: $0.frontier) }) else { return [] }
        }
        if rules.contains(.basesAreRead) {
            guard others.allSatisfy({ haveReadBases($0, own, others) }) else { return [] }
        }
        var dropped: [ItemName] = []
        for (name, item) in items where item.version.isTombstone && item.version.stamp < Self.droppedBound {
            guard item.carriers.contains(where: { isNeeded($0.key, $0.value, own, others) == false }) else { continue }
            dropped.append(name)
            stampFloor = max(stampFloor, item.version.stamp)
        }
        for name in dropped { items[name] = nil }
        return dropped
    }

    /// Whether somebody's base may have been written without having read a tombstone.
    private func isNeeded(_ journal: JournalID, _ number: UInt64, _ own: OwnJournal, _ others: [Head.Contents]) -> Bool
    {
        guard rules.contains(.coveredByBases) else { return false }
        if journal == own.id, number > own.confirmed { return true }
        return !isCovered(journal, number, own.readAtBase, own.id)
            || !others.allSatisfy { isCovered(journal, number, $0.readAtBase, $0.journal) }
    }

    private func isRecoveryKey(_ member: DeviceID) -> Bool { circle.state.members[member]?.kind == .recovery }

    /// Whether somebody has read every newest base.
    private func haveReadBases(_ reader: Head.Contents, _ own: OwnJournal, _ others: [Head.Contents]) -> Bool {
        let bases = others.map { ($0.journal, $0.base) } + [(own.id, own.base.upperBound)]
        return bases.allSatisfy { $1 == 0 || isCovered($0, $1, reader.read, reader.journal) }
    }

    // MARK: - Ended journals

    typealias KnowingHead = (head: Head.Contents, past: NumberSet)

    /// Heads with all that their devices knew.
    func knowing(_ heads: [Head.Contents]) -> [KnowingHead] {
        heads.compactMap { head in circle.past(of: head.frontier).map { (head, $0) } }
    }

    /// Whether somebody who knows how a journal has ended has taken over all of it.
    func isSettled(_ ending: Ending, by heads: [KnowingHead]) -> Bool {
        let isNamed = circle.state.endedByMembers.contains(ending.journal)
        return heads.contains { head, past in
            circle.isKnown(ending, in: past) && (isNamed && head.isSettled || head.read.contains(ending.point))
        }
    }

    /// Ended journals of which somebody else has taken over all need not be read here.
    mutating func skipSettled() {
        let heads = knowing(liveHeads)
        for ending in unreadEnds where ending.journal != own?.id && isSettled(ending, by: heads) {
            journals[ending.journal, default: Journal(of: ending.device, salt: ending.salt)].skipped = ending.point
        }
    }

    func hasRead(_ ending: Ending) -> Bool {
        journals[ending.journal]?.hasAll(upTo: ending.point) ?? false
    }

    /// The newest heads that were read of journals that go on.
    var liveHeads: [Head.Contents] {
        journals.compactMap { id, journal in
            end(of: id, by: journal.device) == nil ? journal.head?.contents : nil
        }
    }

    private func isCovered(_ journal: JournalID, _ number: UInt64, _ marks: [JournalPoint], _ reader: JournalID) -> Bool
    {
        if journal == reader { return true }
        guard let mark = marks.first(where: { $0.journal == journal }), mark.number >= number else { return false }
        guard rules.contains(.hashedMarks) else { return true }
        if let own, own.id == journal { return own.history.has(mark) }
        // It may have read further than this device has.
        guard let known = journals[journal] else { return false }
        return known.has(mark)
    }

    var hasReadEnded: Bool { unreadEnds.isEmpty }

    // MARK: - Segments

    /// Segments of this device's journal that nobody needs any more, to be removed from the transport.
    package mutating func release() -> [JournalPoint] {
        guard phase == .member, let own, own.base.lowerBound > own.firstKept else { return [] }
        let others = liveHeads
        let readers = Set(others.map(\.device)).union([device])
        guard circle.state.members.keys.allSatisfy({ readers.contains($0) || isRecoveryKey($0) }),
            others.allSatisfy({ circle.isKnown(by: $0.frontier) }),
            others.allSatisfy({ other in
                other.read.contains { $0.journal == own.id && $0.number >= own.base.upperBound && own.history.has($0) }
            })
        else { return [] }
        let released = (own.firstKept..<own.base.lowerBound).map {
            JournalPoint(journal: own.id, number: $0, hash: own.history[Int($0) - 1])
        }
        self.own?.firstKept = own.base.lowerBound
        return released
    }
}
