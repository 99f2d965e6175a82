extension Replica {
    /// Takes over what a plan has found.
    ///
    /// - Parameter clock: this device's, in milliseconds since 1970.
    ///
    /// Changes that were made here after the plan stay: versions decide, not the order.
    package mutating func execute(_ plan: MergePlan, clock: UInt64) -> MergeOutcome {
        var outcome = MergeOutcome()
        pass(clock)
        // A device that has begun anew meanwhile needs a first reading, and this is none.
        guard plan.phase == phase, plan.formerSince == formerSince else { return outcome }
        findings.formUnion(plan.findings)
        if phase == .member {
            noteUnread(plan)
            for reading in plan.readings { take(reading, &outcome) }
            if rules.contains(.settledAreSkipped) { skipSettled() }
            suspect(plan)
            if let own { self.own?.confirmed = max(own.confirmed, plan.confirmed) }
        } else if plan.isWhole {
            outcome = takeFirst(plan)
        }
        return outcome
    }

    /// A journal that cannot be read is there all the same.
    private mutating func noteUnread(_ plan: MergePlan) {
        for (id, journal) in plan.unread where journals[id] == nil {
            journals[id] = journal
            journals[id]?.heard = age
        }
    }

    private mutating func take(_ reading: MergePlan.Reading, _ outcome: inout MergeOutcome) {
        let id = reading.target.journal
        var journal = journals[id] ?? Journal(of: reading.device, salt: reading.salt)
        // Another plan may have come further in between.
        if reading.head != nil, !reading.history.starts(with: journal.history) { return }
        let common = zip(journal.history, reading.history).prefix { $0 == $1 }.count
        if common < journal.history.count {
            // It has ended in another history than this device has read, or before.
            for name in items.keys where items[name]?.carriers[id].map({ $0 > common }) ?? false {
                items[name]?.carriers[id] = nil
            }
        }
        journal.history = reading.history
        if let head = reading.head {
            journal.head = head
            journal.heard = age
        }
        journals[id] = journal
        for (record, tier) in reading.records {
            take(record, tier, from: id, reading.head, &outcome)
        }
    }

    /// Others know this device's journal otherwise. Where they do cannot be read at once, perhaps: then it waits for a day.
    private mutating func suspect(_ plan: MergePlan) {
        let isFound = findings.contains { if case .setBack = $0 { true } else { false } }
        // It is a fact, even if the transport hides it afterwards.
        guard !isFound, !plan.unknownTips.isEmpty || suspectedSince != nil else { return }
        suspectedSince = suspectedSince ?? age
        if let suspectedSince, age >= suspectedSince + Self.longestWait { findings.insert(.setBack(nil)) }
    }

    private mutating func take(
        _ record: Record,
        _ tier: SyncTier,
        from journal: JournalID,
        _ head: Head?,
        _ outcome: inout MergeOutcome
    ) {
        let name = record.name
        if let current = items[name], current.version >= record.version {
            if current.version == record.version {
                items[name]?.carriers[journal] = min(current.carriers[journal] ?? record.number, record.number)
            } else if current.version > record.version, isOwn(current), current.replaced != record.version.hash {
                outcome.conflicts.append(MergeOutcome.Conflict(name: name, lost: record))
            }
            return
        }
        if let current = items[name], isOwn(current), record.replaced != current.version.hash,
            !isSeen(current, by: head)
        {
            outcome.conflicts.append(MergeOutcome.Conflict(name: name, lost: nil))
        }
        items[name] = CurrentItem(
            version: record.version,
            tier: tier,
            replaced: record.replaced,
            carriers: [journal: record.number]
        )
        outcome.changed[name] = (record, tier)
    }

    /// Whether this device has made an item what it is.
    private func isOwn(_ item: CurrentItem) -> Bool {
        guard let own else { return false }
        return item.carriers[own.id] != nil
    }

    private func isSeen(_ item: CurrentItem, by head: Head?) -> Bool {
        guard let own, let number = item.carriers[own.id] else { return false }
        return head?.contents.read.contains { $0.journal == own.id && $0.number >= number } ?? false
    }

    /// Forgets items that this device's store has lost, that are in no journal that goes on, and that were found nowhere for a day.
    /// Nobody else loses anything by that. A deletion is not forgotten, and nothing is while the device reads the circle.
    ///
    /// - Parameter names: of all damaged items that `repaired` has not found just now.
    package mutating func forget(_ names: Set<ItemName>) {
        let before = lostSince
        lostSince = [:]
        guard phase == .member else { return }
        for name in orphans where names.contains(name) && items[name]?.version.isTombstone == false {
            let since = before[name] ?? age
            if age >= since + Self.longestWait {
                items[name] = nil
            } else {
                lostSince[name] = since
            }
        }
    }

    // MARK: - The first reading

    /// Replaces all that was known by what was read, but for changes that nobody else has.
    private mutating func takeFirst(_ plan: MergePlan) -> MergeOutcome {
        var outcome = MergeOutcome()
        let before = items
        items = [:]
        journals = [:]
        noteUnread(plan)
        for reading in plan.readings { take(reading, &outcome) }
        if rules.contains(.endedBeforeAreSkipped) { skipSettled() }
        for (name, item) in before where isUnsent(item, plan) { keep(item, as: name, &outcome) }
        for (name, item) in before where !item.version.isTombstone && items[name] == nil { outcome.gone.append(name) }
        for (name, change) in outcome.changed where before[name]?.version == change.record.version {
            outcome.changed[name] = nil
        }
        former = nil
        formerJournals = [:]
        phase = .member
        acceptsOlder = false
        return outcome
    }

    /// Keeps what is only here, unless there is something newer.
    private mutating func keep(_ item: CurrentItem, as name: ItemName, _ outcome: inout MergeOutcome) {
        if let read = items[name], read.version >= item.version {
            if read.version > item.version {
                outcome.conflicts.append(MergeOutcome.Conflict(name: name, lost: nil))
            }
            return
        }
        var item = item
        item.carriers = [:]
        if items[name] == nil, item.version.stamp <= sharedFloor, rules.contains(.laterThanDropped) {
            // It was written before this device knew the floor. Others could have a tombstone that is newer.
            item.version = Version(stamp: sharedFloor + 1, digest: item.version.digest)
            outcome.restamped[name] = item.version.stamp
        }
        items[name] = item
        outcome.changed[name] = nil
    }

    /// Whether nobody else can have an item as this device has it: it is in no journal that goes on, nor in an ended one as far
    /// as others have that.
    private func isUnsent(_ item: CurrentItem, _ plan: MergePlan) -> Bool {
        let heads = plan.readings.compactMap(\.head?.contents)
        return !item.carriers.contains { journal, number in
            if let former, journal == former.id {
                if journals[journal] != nil { return number <= shared(former.history, journal) }
                // The transport withholds it. Others have what they say that they have read.
                let marks = heads.flatMap(\.read).filter { $0.journal == journal && former.history.has($0) }
                return number <= marks.map(\.number).max() ?? 0
            }
            guard let known = formerJournals[journal] else { return false }
            // It may have another history now.
            guard let end = end(of: journal, by: known.device) else { return number <= shared(known.history, journal) }
            guard number <= end.number, known.hasAll(upTo: end) else { return false }
            return isSettled(Ending(of: known.device, salt: known.salt, at: end), by: knowing(heads))
        }
    }

    /// How much of a journal, as this device knew it, is the same now that it was read anew.
    private func shared(_ before: [SegmentHash], _ journal: JournalID) -> UInt64 {
        UInt64(zip(before, journals[journal]?.history ?? []).prefix { $0 == $1 }.count)
    }

    /// What this device knows is not what it knew once: it reads the circle as a newcomer does.
    mutating func beginAnew() {
        guard let own else { return }
        let required = knownHeads.filter { $0.journal != own.id }
        former = own
        formerSince = age
        formerJournals = journals
        self.own = nil
        journals = [:]
        phase = .reading(required: required)
        acceptsOlder = false
    }
}
