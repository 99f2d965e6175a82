extension Replica {
    /// Does what has become due: ends journals that two write, begins anew, begins an epoch where no good one is left.
    ///
    /// - Parameters:
    ///   - clock: this device's, in milliseconds since 1970.
    ///   - nameKey: nil before this device has one.
    /// - Returns: entries to publish.
    package mutating func keepUp(clock: UInt64, nameKey: NameKey?, keys: some DeviceKeys) throws -> [Entry] {
        guard isMember else { return [] }
        var entries: [Entry] = []
        let due = findings
        findings = []
        for journal in journals.keys.sorted() where due.contains(.fork(journal)) {
            guard let known = journals[journal], end(of: journal, by: known.device) == nil else { continue }
            let point = known.history.tip(of: journal)
            entries.append(try write(.end(Ending(of: known.device, at: point)), keys: keys))
        }
        var tips: [JournalPoint] = []
        var isSetBack = nameKey.map { differs($0, clock) } ?? false
        if let own, own.history.count > Self.longJournal { isSetBack = true }
        for case .setBack(let tip) in due {
            isSetBack = true
            if let tip { tips.append(tip) }
        }
        if isSetBack, let own {
            suspectedSince = nil
            if end(of: own.id, by: device) == nil {
                // What this device has signed and does not know any more is read by others.
                let tip = tips.filter { $0.journal == own.id && $0.number >= own.tip.number }.max() ?? own.tip
                entries.append(try write(.end(Ending(of: device, at: tip)), keys: keys))
            }
            beginAnew(clock: clock)
        }
        for (journal, known) in journals.sorted(by: { $0.key < $1.key }) where isAbandoned(journal, known, clock) {
            let point = known.history.tip(of: journal)
            entries.append(try write(.end(Ending(of: device, at: point)), keys: keys))
        }
        if phase == .member, let nameKey, circle.state.writingEpoch == nil, rules.contains(.freshEpochs),
            circle.state.hasAllEpochs(device)
        {
            entries.append(try beginEpoch(nameKey: nameKey.secret, keys: keys))
        }
        return entries
    }

    /// Whether somebody who has read just what this device has read has other items: one of both is damaged, or two are one
    /// device. It happens once a day at most.
    private mutating func differs(_ nameKey: NameKey, _ clock: UInt64) -> Bool {
        guard rules.contains(.digests), phase == .member, let own, end(of: own.id, by: device) == nil else {
            return false
        }
        guard clock >= formerSince + Self.longestWait, orphans.isEmpty else {
            return false
        }
        let live = journals.filter { end(of: $0.key, by: $0.value.device) == nil }
        let tips = live.map { $0.value.history.tip(of: $0.key) } + [own.tip]
        for (id, journal) in live {
            guard let head = journal.head, journal.compared != head.hash, journal.has(head.contents.tip),
                circle.isKnown(by: head.contents.frontier),
                tips.allSatisfy({ tip in
                    tip.number == 0 || (tip.journal == id ? tip == head.contents.tip : head.contents.read.contains(tip))
                })
            else { continue }
            journals[id]?.compared = head.hash
            if head.contents.digest != nameKey.digest(of: items) { return true }
        }
        return false
    }

    /// Whether a journal is one of this device that it does not write: it was set back, or copied. A copy that is used goes on,
    /// and is left alone; others would wait for the other one for ever.
    private func isAbandoned(_ journal: JournalID, _ known: Journal, _ clock: UInt64) -> Bool {
        known.device == device && phase == .member && end(of: journal, by: device) == nil
            && clock > known.heard + Self.longestSilence
    }

    // MARK: - Members

    /// Adds a device whose owner has compared the digits.
    ///
    /// - Throws: `notMember` while this device has not written what it has to take over; what the circle refuses.
    package mutating func add(_ card: DeviceCard, consent: [UInt8], keys: some DeviceKeys) throws -> Entry {
        try checkMembership()
        guard isSettled else { throw SyncRefusal.notMember }
        let epochs = circle.state.goodEpochs.map(\.id)
        let wraps = try keys.wrap(epochs, for: card, in: circle.id)
        return try write(.add(Addition(card: card, wraps: wraps)), consent: consent, keys: keys)
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
    ) throws -> Entry {
        var replica = Replica(of: recovery, in: circle, required: [])
        try replica.checkMembership()
        for entry in circle.entries { try replica.unwrap(entry, keys) }
        let wraps = try keys.wrap(circle.state.goodEpochs.map(\.id), for: card, in: circle.id)
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
        guard isMember, phase == .member, let own, own.head?.contents.tip == own.tip else { return false }
        return hasReadEnded && orphans.isEmpty
    }

    /// Removes a device, for good. What this device has read of its journals stays.
    ///
    /// - Throws: `notMember` while this device reads the circle: it could not say how far the other one's journals count.
    package mutating func remove(_ other: DeviceID, keys: some DeviceKeys) throws -> Entry {
        try checkMembership()
        guard phase == .member else { throw SyncRefusal.notMember }
        var ends = journals.filter { $0.value.device == other && !$0.value.history.isEmpty }.map { id, journal in
            let tip = journal.history.tip(of: id)
            return end(of: id, by: other).map { min($0, tip) } ?? tip
        }
        if other == device, let own, !own.history.isEmpty { ends.append(own.tip) }
        return try write(.remove(Removal(of: other, ends: ends)), keys: keys)
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
        let writers = Set(others.map(\.device)).union([device])
        guard circle.state.members.keys.allSatisfy({ writers.contains($0) || isRecoveryKey($0) }) else { return [] }
        if rules.contains(.knownByAll) {
            guard others.allSatisfy({ circle.isKnown(by: $0.frontier) }) else { return [] }
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

    /// Ended journals of which somebody else has taken over all: they need not be read here.
    mutating func skipSettled() {
        let informed = liveHeads.filter { circle.isKnown(by: $0.frontier) }
        for ending in endings where ending.point.journal != own?.id {
            let id = ending.point.journal
            guard journals[id].map({ !$0.isSkipped && !$0.has(ending.point) }) ?? true else { continue }
            // Its device, too: what it keeps of it is in what it writes now.
            guard informed.contains(where: { $0.read.contains(ending.point) || $0.device == ending.device }) else {
                continue
            }
            journals[id, default: Journal(of: ending.device)].isSkipped = true
        }
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

    private var hasReadEnded: Bool {
        endings.allSatisfy { ending in
            guard ending.point.number > 0 else { return true }
            guard let journal = journals[ending.point.journal] else { return false }
            return journal.isSkipped || journal.has(ending.point)
        }
    }

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
