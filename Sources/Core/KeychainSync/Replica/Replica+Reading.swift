import KeychainModel

extension Replica {
    /// Finds out what is new in journals.
    ///
    /// - Parameters:
    ///   - clock: this device's, in milliseconds since 1970.
    ///   - heads: the newest that the transport has, in any order; it may have invented, repeated or withheld some.
    ///   - segment: the bytes that the transport has for a place.
    /// - Throws: what the keys throw: `interactionNotAllowed` while the device is locked.
    package func plan(
        clock: UInt64,
        heads: [Head],
        keys: some DeviceKeys,
        segment: (JournalPoint) -> [UInt8]?
    ) throws -> MergePlan {
        var plan = MergePlan()
        var news: [JournalID: Head] = [:]
        for head in heads {
            do {
                guard try isNews(head, &plan) else { continue }
                if let other = news[head.contents.journal], other.contents.counter > head.contents.counter { continue }
                news[head.contents.journal] = head
            } catch {
                plan.refused[head.contents.journal] = error
            }
        }
        for (journal, head) in news.sorted(by: { $0.key < $1.key }) {
            do {
                let owner = head.contents.device
                switch try read(to: head.contents.tip, of: owner, head, &plan, keys, segment) {
                case .forks: plan.findings.insert(.fork(journal))
                case .waits: if owner == device { plan.unread.insert(journal) }
                case .done: break
                }
            } catch let refusal as SyncRefusal {
                plan.refused[journal] = refusal
            }
        }
        for point in Set(plan.unknownTips) {
            // It ends where this device once was, if others can still read that.
            var trial = MergePlan()
            let result = try? read(to: point, of: device, nil, &trial, keys, segment)
            if result == .done { plan.findings.insert(.setBack(point)) }
        }
        readFormer(&plan, clock, keys, segment)
        for ending in endings where isToRead(ending) {
            do {
                _ = try read(to: ending.point, of: ending.device, nil, &plan, keys, segment)
            } catch let refusal as SyncRefusal {
                plan.refused[ending.point.journal] = refusal
            }
        }
        if case .reading(let required) = phase {
            readMarked(news, &plan, keys, segment)
            close(&plan, required, clock)
        }
        return plan
    }

    // MARK: - Heads

    /// Whether a head says something that is not known yet, and may be believed.
    private func isNews(_ head: Head, _ plan: inout MergePlan) throws(SyncRefusal) -> Bool {
        let contents = head.contents
        let journal = contents.journal
        guard contents.circle == circle.id else { throw .otherCircle }
        // Cheap questions first, before a signature is looked at.
        guard end(of: journal, by: contents.device) == nil else {
            plan.ended.insert(journal)
            return false
        }
        guard let card = circle.state.members[contents.device] else {
            plan.strangers.insert(journal)
            throw .notMember
        }
        guard contents.tip.number <= UInt64(Segment.mostSpine) + 1 else { throw .tooLarge }
        let known = journals[journal]
        if let known {
            guard known.device == contents.device else { throw .otherPlace }
            if let before = known.head?.contents.counter {
                guard contents.counter >= before else { return false }
                guard head.hash != known.head?.hash else { return false }
            }
        } else if own?.id != journal, journals.count >= Self.mostJournals {
            throw .tooLarge
        }
        if let own, own.id == journal {
            if head.hash == own.head?.hash { plan.confirmed = contents.tip.number }
            // Older ones of mine may come again.
            guard contents.counter >= own.counter, head.hash != own.head?.hash else { return false }
        }
        guard head.isSigned(by: card) else { throw .badSignature }
        if let own, own.id == journal {
            if rules.contains(.setBack) { plan.unknownTips.append(contents.tip) }
            return false
        }
        if known?.head?.contents.counter == contents.counter {
            // Two heads with one number: two who write.
            if rules.contains(.forks) { plan.findings.insert(.fork(journal)) }
            return false
        }
        plan.missingEntries.formUnion(contents.frontier.filter { !circle.has($0) })
        compare(contents.read, &plan)
        return true
    }

    /// Compares what another one has read with what is known here.
    private func compare(_ marks: [JournalPoint], _ plan: inout MergePlan) {
        for mark in marks {
            if let own, own.id == mark.journal {
                if !own.history.has(mark), rules.contains(.setBack) { plan.unknownTips.append(mark) }
            } else if let known = journals[mark.journal], end(of: mark.journal, by: known.device) == nil {
                let isOther = mark.number <= UInt64(known.history.count) && !known.has(mark)
                if isOther, rules.contains(.forks) { plan.findings.insert(.fork(mark.journal)) }
            }
        }
    }

    // MARK: - Segments

    private enum Result { case done, waits, forks }

    /// Whether an ended journal has something that this device has not read.
    private func isToRead(_ ending: Ending) -> Bool {
        let journal = ending.point.journal
        guard ending.point.number > 0, journal != own?.id, journal != former?.id || phase == .member else {
            return false
        }
        if phase != .member, rules.contains(.endedBeforeAreSkipped) { return false }
        guard let known = journals[journal] else { return true }
        return !known.isSkipped && !known.has(ending.point)
    }

    /// Reads what others have of the journal of a device that begins anew.
    private func readFormer(
        _ plan: inout MergePlan,
        _ clock: UInt64,
        _ keys: some DeviceKeys,
        _ segment: (JournalPoint) -> [UInt8]?
    ) {
        guard phase != .member, let former, let end = end(of: former.id, by: device), end.number > 0 else { return }
        var trial = MergePlan()
        if (try? read(to: end, of: device, nil, &trial, keys, segment)) == .done {
            // Somebody else who has read it so far knows what is current of it, and writes that again.
            let isTakenOver = plan.readings.contains { reading in
                reading.head?.contents.read.contains { $0.journal == former.id && $0.number >= end.number } ?? false
            }
            plan.readings += isTakenOver ? trial.readings.map(\.withoutRecords) : trial.readings
        } else if clock < formerSince + Self.longestWait {
            plan.missing.formUnion(trial.missing)
            plan.isWhole = false
        }
    }

    /// Reads a journal backwards from a point that somebody has signed, to what is known or to a base.
    private func read(
        to target: JournalPoint,
        of device: DeviceID,
        _ head: Head?,
        _ plan: inout MergePlan,
        _ keys: some DeviceKeys,
        _ segment: (JournalPoint) -> [UInt8]?
    ) throws -> Result {
        let known = journals[target.journal]?.history ?? (own?.id == target.journal ? own?.history : nil) ?? []
        var chain: [Segment] = []
        var history: [SegmentHash]?
        var base: Segment.Base?
        var point = target
        while history == nil {
            if known.has(point) {
                history = Array(known.prefix(Int(point.number)))
            } else if let base, point.number < base.first {
                history = Array(base.spine.prefix(Int(point.number)))
            } else if head != nil, point.number <= UInt64(known.count) {
                // A journal that goes on and has another segment where this device has read one.
                return forks
            } else {
                guard let bytes = segment(point), let next = try? Segment(bytes), next.point == point,
                    next.header.circle == circle.id
                else {
                    plan.missing.insert(point)
                    return .waits
                }
                chain.append(next)
                base = base ?? next.header.base
                point = JournalPoint(
                    journal: target.journal,
                    number: point.number - 1,
                    hash: next.header.previous
                )
            }
        }
        chain.reverse()
        var whole = (history ?? []) + chain.map(\.hash)
        if head != nil {
            if chain.isEmpty { whole = known }
            // A base that has another past than the one that was read.
            guard whole.starts(with: known) else { return forks }
        }
        var records: [(Record, SyncTier)] = []
        for next in chain { records += try open(next, keys) }
        plan.readings.append(
            MergePlan.Reading(device: device, target: target, history: whole, records: records, head: head)
        )
        return .done
    }

    private var forks: Result { rules.contains(.forks) ? .forks : .waits }

    /// The records of a segment.
    private func open(_ segment: Segment, _ keys: some DeviceKeys) throws -> [(Record, SyncTier)] {
        var records: [(Record, SyncTier)] = []
        var names: Set<ItemName> = []
        for box in segment.boxes {
            let contents = try open(box, of: segment.header, keys)
            let padded = unsafe contents.withUnsafeBytes { unsafe Array($0) }
            for record in try Record.list(try Padding.contents(of: padded)) {
                guard record.number <= segment.header.number, names.insert(record.name).inserted else {
                    throw SyncRefusal.notCanonical
                }
                records.append((record, box.tier))
            }
        }
        return records
    }

    private func open(_ box: Segment.Box, of header: Segment.Header, _ keys: some DeviceKeys) throws -> SecretBytes {
        let data = header.associatedData(of: box.tier, in: box.epoch)
        do throws(KeychainError) {
            return try keys.open(box.sealed, for: box.tier, in: box.epoch, authenticating: data)
        } catch {
            switch error.code {
            // It was sealed by somebody else, or under a secret that this device was not given.
            case .authenticationFailed, .itemNotFound: throw SyncRefusal.notOpened
            default: throw error
            }
        }
    }

    // MARK: - The first reading

    /// A journal that cannot be read to where its head is may be read to where others have read it.
    private func readMarked(
        _ news: [JournalID: Head],
        _ plan: inout MergePlan,
        _ keys: some DeviceKeys,
        _ segment: (JournalPoint) -> [UInt8]?
    ) {
        let marks = plan.readings.flatMap { $0.head?.contents.read ?? [] }
        for (journal, head) in news.sorted(by: { $0.key < $1.key }) {
            guard !plan.readings.contains(where: { $0.target.journal == journal }),
                let mark = marks.filter({ $0.journal == journal }).max()
            else { continue }
            var trial = MergePlan()
            guard (try? read(to: mark, of: head.contents.device, nil, &trial, keys, segment)) == .done else { continue }
            plan.readings += trial.readings
        }
    }

    /// A first reading is taken as a whole or not at all: with all heads that are required, and with all that those had read.
    private func close(_ plan: inout MergePlan, _ required: [JoinAnswer.KnownHead], _ clock: UInt64) {
        if former != nil, clock < formerSince + Self.longestWait {
            // Nobody has said how new the journals are: each member says it for the others.
            let heard = Set(plan.readings.compactMap { $0.head?.contents.device } + [device])
            let members = circle.state.members.filter { $0.value.kind == .device }.keys
            if !members.allSatisfy(heard.contains) { plan.isWhole = false }
        }
        if rules.contains(.knownHeads) {
            for head in required where !isMet(head, plan) { plan.isWhole = false }
        }
        if rules.contains(.closedCut) {
            let read = Dictionary(plan.readings.map { ($0.target.journal, $0) }) { one, _ in one }
            for reading in plan.readings {
                guard let head = reading.head?.contents else { continue }
                // Who knows all entries that the head's device knew, knows who is no member.
                let strangers = head.frontier.allSatisfy(circle.has) ? plan.strangers : []
                let isCovered = head.read.allSatisfy { mark in
                    strangers.contains(mark.journal) || self.isCovered(mark, read, plan)
                }
                if !isCovered { plan.isWhole = false }
            }
        }
        if !plan.isWhole { plan.readings = [] }
    }

    private func isMet(_ head: JoinAnswer.KnownHead, _ plan: MergePlan) -> Bool {
        if plan.ended.contains(head.journal) || isEnded(head.journal) { return true }
        return plan.readings.contains { reading in
            guard let read = reading.head, read.contents.journal == head.journal else { return false }
            return read.contents.counter > head.counter
                || read.contents.counter == head.counter && read.hash == head.hash
        }
    }

    private func isEnded(_ journal: JournalID) -> Bool {
        circle.state.endedByMembers.contains(journal)
    }

    private func isCovered(_ mark: JournalPoint, _ read: [JournalID: MergePlan.Reading], _ plan: MergePlan) -> Bool {
        if plan.ended.contains(mark.journal) || isEnded(mark.journal) { return true }
        guard let reading = read[mark.journal] else { return false }
        return reading.history.has(mark)
    }
}
