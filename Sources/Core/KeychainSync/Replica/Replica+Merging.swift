extension Replica {
    /// Takes over what a plan has found.
    ///
    /// - Parameter clock: this device's, in milliseconds since 1970.
    ///
    /// Changes that were made here after the plan stay: versions decide, not the order.
    package mutating func execute(_ plan: MergePlan, clock: UInt64) -> MergeOutcome {
        var outcome = MergeOutcome()
        findings.formUnion(plan.findings)
        guard phase != .member else {
            for journal in plan.unread where journals[journal] == nil {
                journals[journal] = Journal(of: device)
                journals[journal]?.heard = clock
            }
            for reading in plan.readings { take(reading, clock, &outcome) }
            if rules.contains(.settledAreSkipped) { skipSettled() }
            suspect(plan, clock)
            if let own { self.own?.confirmed = max(own.confirmed, plan.confirmed) }
            return outcome
        }
        guard plan.isWhole else { return outcome }
        return takeFirst(plan, clock)
    }

    private mutating func take(_ reading: MergePlan.Reading, _ clock: UInt64, _ outcome: inout MergeOutcome) {
        let id = reading.target.journal
        var journal = journals[id] ?? Journal(of: reading.device)
        // Another plan may have come further in between.
        if reading.head != nil, !reading.history.starts(with: journal.history) { return }
        journal.history = reading.history
        if let head = reading.head {
            journal.head = head
            journal.heard = clock
        }
        journals[id] = journal
        for (record, tier) in reading.records {
            take(record, tier, from: id, reading.head, &outcome)
        }
    }

    /// Others know this device's journal otherwise. Where they do cannot be read at once, perhaps: then it waits for a day.
    private mutating func suspect(_ plan: MergePlan, _ clock: UInt64) {
        let isFound = findings.contains { if case .setBack = $0 { true } else { false } }
        // It is a fact, even if the transport hides it afterwards.
        guard !isFound, !plan.unknownTips.isEmpty || suspectedSince != nil else { return }
        suspectedSince = suspectedSince ?? clock
        if let suspectedSince, clock >= suspectedSince + Self.longestWait { findings.insert(.setBack(nil)) }
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

    // MARK: - The first reading

    /// Replaces all that was known by what was read, but for changes that nobody else has.
    private mutating func takeFirst(_ plan: MergePlan, _ clock: UInt64) -> MergeOutcome {
        var outcome = MergeOutcome()
        let before = items
        items = [:]
        journals = [:]
        for reading in plan.readings { take(reading, clock, &outcome) }
        for ending in endings where journals[ending.point.journal] == nil {
            var journal = Journal(of: ending.device)
            journal.isSkipped = rules.contains(.endedBeforeAreSkipped)
            journals[ending.point.journal] = journal
        }
        for (name, item) in before where isUnsent(item, plan) { keep(item, as: name, &outcome) }
        for (name, item) in before where !item.version.isTombstone && items[name] == nil { outcome.gone.append(name) }
        for (name, change) in outcome.changed where before[name]?.version == change.record.version {
            outcome.changed[name] = nil
        }
        former = nil
        formerJournals = [:]
        phase = .member
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
        let informed = plan.readings.compactMap(\.head?.contents).filter { circle.isKnown(by: $0.frontier) }
        return !item.carriers.contains { journal, number in
            if let former, journal == former.id {
                let others = journals[former.id]?.history ?? []
                return number <= UInt64(zip(former.history, others).prefix { $0 == $1 }.count)
            }
            guard let known = formerJournals[journal] else { return false }
            guard let end = end(of: journal, by: known.device) else { return true }
            guard number <= end.number, known.has(end) else { return false }
            return informed.contains { $0.read.contains(end) || $0.device == known.device }
        }
    }

    /// What this device knows is not what it knew once: it reads the circle as a newcomer does.
    mutating func beginAnew(clock: UInt64) {
        guard let own else { return }
        let required = knownHeads.filter { $0.journal != own.id }
        former = own
        formerSince = clock
        formerJournals = journals
        self.own = nil
        journals = [:]
        phase = .reading(required: required)
    }
}
