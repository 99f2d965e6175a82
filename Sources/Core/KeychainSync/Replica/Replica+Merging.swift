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
            return outcome
        }
        guard plan.isWhole else { return outcome }
        return takeFirst(plan, clock)
    }

    private mutating func take(_ reading: MergePlan.Reading, _ clock: UInt64, _ outcome: inout MergeOutcome) {
        let id = reading.target.journal
        var journal = journals[id] ?? Journal(of: reading.device)
        // Another plan may have come further in between.
        let isLive = end(of: id, by: reading.device) == nil
        if reading.head != nil, !reading.history.starts(with: journal.history) { return }
        journal.history = reading.history
        if let head = reading.head {
            journal.head = head
            journal.heard = clock
            if rules.contains(.sharedFloor) { stampFloor = max(stampFloor, head.contents.stampFloor) }
        }
        journals[id] = journal
        for (record, tier) in reading.records {
            take(record, tier, from: isLive ? id : nil, reading.head, &outcome)
        }
    }

    private mutating func take(
        _ record: Record,
        _ tier: SyncTier,
        from journal: JournalID?,
        _ head: Head?,
        _ outcome: inout MergeOutcome
    ) {
        let name = record.name
        if let current = items[name], current.version >= record.version {
            if current.version == record.version, let journal {
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
            carriers: journal.map { [$0: record.number] } ?? [:]
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
        for ending in circle.state.endings where journals[ending.point.journal] == nil {
            var journal = Journal(of: ending.device)
            journal.isSkipped = rules.contains(.endedBeforeAreSkipped)
            journals[ending.point.journal] = journal
        }
        for (name, item) in before where isUnsent(item) {
            if let read = items[name], read.version >= item.version {
                if read.version > item.version {
                    outcome.conflicts.append(MergeOutcome.Conflict(name: name, lost: nil))
                }
                continue
            }
            var item = item
            item.carriers = [:]
            items[name] = item
            outcome.changed[name] = nil
        }
        for (name, item) in before where !item.version.isTombstone && items[name] == nil { outcome.gone.append(name) }
        for (name, change) in outcome.changed where before[name]?.version == change.record.version {
            outcome.changed[name] = nil
        }
        former = nil
        phase = .member
        return outcome
    }

    /// Whether an item is as this device has made it, and is not in its former journal as others have that.
    private func isUnsent(_ item: CurrentItem) -> Bool {
        guard let former, let number = item.carriers[former.id] else { return item.carriers.isEmpty }
        let others = journals[former.id]?.history ?? []
        let common = zip(former.history, others).prefix { $0 == $1 }.count
        return number > UInt64(common)
    }

    /// What this device knows is not what it knew once: it reads the circle as a newcomer does.
    mutating func beginAnew(clock: UInt64) {
        guard let own else { return }
        let required = knownHeads.filter { $0.journal != own.id }
        former = own
        formerSince = clock
        self.own = nil
        journals = [:]
        phase = .reading(required: required)
    }
}
