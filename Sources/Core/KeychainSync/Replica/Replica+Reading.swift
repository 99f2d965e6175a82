import KeychainModel

extension Replica {
    /// Finds out what is new in journals.
    ///
    /// - Parameters:
    ///   - clock: this device's, in milliseconds since 1970.
    ///   - heads: the newest that the transport has, in any order; it may have invented, repeated or withheld some.
    ///   - segment: the bytes that the transport has for a place.
    /// - Throws: what the keys throw: `interactionNotAllowed` while the device is locked and reads the circle for the first time, or
    ///   anew. A member that is locked reads the journals that have nothing locked.
    package func plan(
        clock: UInt64,
        heads: [Head],
        keys: some DeviceKeys,
        segment: (JournalPoint) -> [UInt8]?
    ) throws -> MergePlan {
        var plan = MergePlan()
        plan.phase = phase
        plan.formerSince = formerSince
        var news: [JournalID: Head] = [:]
        for head in heads {
            do {
                try checkFormat()
                guard try isNews(head, &plan) else { continue }
                if let other = news[head.contents.journal], other.contents.counter > head.contents.counter { continue }
                news[head.contents.journal] = head
            } catch {
                plan.refused[head.contents.journal] = error
            }
        }
        // What is written in a format that the circle has left is not believed. A newcomer that does not know its own addition
        // does not know either whom its approver knew to be removed.
        guard circle.state.floor <= Self.newestFormat, isMember || phase == .member else {
            plan.isWhole = false
            return plan
        }
        limit(&news, &plan)
        for (journal, head) in news.sorted(by: { $0.key < $1.key }) {
            let owner = head.contents.device
            do {
                switch try read(to: head.contents.tip, of: owner, head.contents.salt, head, &plan, keys, segment) {
                case .forks: plan.findings.insert(.fork(journal))
                case .waits: plan.unread[journal] = Journal(of: owner, salt: head.contents.salt)
                case .done: break
                }
            } catch let refusal as SyncRefusal {
                plan.refused[journal] = refusal
                // A newcomer may be given the secret later.
                if phase != .member, refusal == .notOpened {
                    plan.unread[journal] = Journal(of: owner, salt: head.contents.salt)
                }
            } catch let error as KeychainError where phase == .member && error.code == .interactionNotAllowed {
                plan.locked.insert(journal)
                plan.unread[journal] = Journal(of: owner, salt: head.contents.salt)
            }
        }
        for point in Set(plan.unknownTips) {
            // It ends where this device once was, if others can still read that.
            var trial = MergePlan()
            guard let salt = own?.salt else { continue }
            let result = try? read(to: point, of: device, salt, nil, &trial, keys, segment)
            if result == .done { plan.findings.insert(.setBack(point)) }
        }
        let cut = knowing(plan.readings.compactMap(\.head?.contents))
        readFormer(&plan, cut, clock, keys, segment)
        for ending in endings where isToRead(ending, cut) {
            do {
                _ = try read(to: ending.point, of: ending.device, ending.salt, nil, &plan, keys, segment)
            } catch let refusal as SyncRefusal {
                plan.refused[ending.point.journal] = refusal
            } catch let error as KeychainError where phase == .member && error.code == .interactionNotAllowed {
                plan.locked.insert(ending.point.journal)
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
        if let end = end(of: journal, by: contents.device) {
            plan.ended[journal] = Ending(of: contents.device, salt: contents.salt, at: end)
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

    /// A device has few journals that go on. More are not read: who lies could make any number of them.
    private func limit(_ news: inout [JournalID: Head], _ plan: inout MergePlan) {
        let live = journals.filter { $0.key != own?.id && end(of: $0.key, by: $0.value.device) == nil }
        var counts: [DeviceID: Int] = [:]
        for journal in live.values { counts[journal.device, default: 0] += 1 }
        for (journal, head) in news.sorted(by: { $0.key < $1.key }) where live[journal] == nil {
            counts[head.contents.device, default: 0] += 1
            guard counts[head.contents.device, default: 0] > Self.mostLive else { continue }
            news[journal] = nil
            plan.refused[journal] = .tooLarge
        }
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
    private func isToRead(_ ending: Ending, _ cut: [KnowingHead]) -> Bool {
        let journal = ending.journal
        guard ending.point.number > 0, ending.point.number <= UInt64(Segment.mostSpine) + 1, journal != own?.id,
            journal != former?.id || phase == .member
        else {
            return false
        }
        if phase != .member, rules.contains(.endedBeforeAreSkipped), isSettled(ending, by: cut) { return false }
        return !hasRead(ending)
    }

    /// Reads what others have of the journal of a device that begins anew: the records, too, if nobody else has taken over all.
    /// Otherwise members may have dropped tombstones of them.
    private func readFormer(
        _ plan: inout MergePlan,
        _ cut: [KnowingHead],
        _ clock: UInt64,
        _ keys: some DeviceKeys,
        _ segment: (JournalPoint) -> [UInt8]?
    ) {
        guard phase != .member, let former, let end = end(of: former.id, by: device), end.number > 0 else { return }
        let isTaken =
            rules.contains(.endedBeforeAreSkipped)
            && isSettled(Ending(of: device, salt: former.salt, at: end), by: cut)
        if isTaken, former.history.has(end) {
            let history = Array(former.history.prefix(Int(end.number)))
            plan.readings.append(
                MergePlan.Reading(
                    device: device,
                    salt: former.salt,
                    target: end,
                    history: history,
                    records: [],
                    head: nil
                )
            )
            return
        }
        var trial = MergePlan()
        if (try? read(to: end, of: device, former.salt, nil, &trial, keys, segment)) == .done {
            plan.readings += isTaken ? trial.readings.map(\.withoutRecords) : trial.readings
        } else if age(at: clock) < formerSince + Self.longestWait {
            plan.missing.formUnion(trial.missing)
            plan.isWhole = false
        }
    }

    /// Reads a journal backwards from a point that somebody has signed, to what is known or to a base.
    private func read(
        to target: JournalPoint,
        of device: DeviceID,
        _ salt: SyncName,
        _ head: Head?,
        _ plan: inout MergePlan,
        _ keys: some DeviceKeys,
        _ segment: (JournalPoint) -> [UInt8]?
    ) throws -> Result {
        let known = journals[target.journal]?.history ?? (own?.id == target.journal ? own?.history : nil) ?? []
        var chain: [Segment] = []
        var size = 0
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
                size += bytes.count
                guard size <= longestReading else { throw SyncRefusal.tooLarge }
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
            MergePlan.Reading(
                device: device,
                salt: salt,
                target: target,
                history: whole,
                records: records,
                head: head
            )
        )
        return .done
    }

    private var forks: Result { rules.contains(.forks) ? .forks : .waits }

    /// Reads items again that this device's store has lost, from any journal that still has them.
    ///
    /// - Parameter names: items of which the circle has one version, and the store another or none.
    /// - Returns: those that were found, as the circle knows them.
    /// - Throws: what the keys throw.
    package func repaired(
        _ names: Set<ItemName>,
        keys: some DeviceKeys,
        segment: (JournalPoint) -> [UInt8]?
    ) throws -> [ItemName: (record: Record, tier: SyncTier)] {
        var found: [ItemName: (record: Record, tier: SyncTier)] = [:]
        let carriers = Set(names.flatMap { name in items[name].map { Array($0.carriers.keys) } ?? [] })
        for journal in carriers.sorted() {
            let history = own?.id == journal ? own?.history : journals[journal]?.history
            // From the newest segment back to the base, which repeats what is current.
            var first: UInt64 = 1
            for (place, hash) in (history ?? []).enumerated().reversed() {
                let point = JournalPoint(journal: journal, number: UInt64(place) + 1, hash: hash)
                guard point.number >= first, found.count < names.count, let bytes = segment(point),
                    let next = try? Segment(bytes), next.point == point, next.header.circle == circle.id
                else { break }
                if let base = next.header.base { first = max(first, base.first) }
                for (record, tier) in try openIfPossible(next, keys)
                where names.contains(record.name) && items[record.name]?.version == record.version {
                    found[record.name] = (record, tier)
                }
            }
        }
        return found
    }

    /// The records of a segment; none of one that this device cannot open, also when it is unlocked.
    private func openIfPossible(_ segment: Segment, _ keys: some DeviceKeys) throws -> [(Record, SyncTier)] {
        do {
            return try open(segment, keys)
        } catch is SyncRefusal {
            return []
        }
    }

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
            let contents = head.contents
            guard (try? read(to: mark, of: contents.device, contents.salt, nil, &trial, keys, segment)) == .done else {
                continue
            }
            plan.readings += trial.readings
        }
    }

    /// A first reading is taken as a whole or not at all: with all heads that are required, and with all that those had read.
    private func close(_ plan: inout MergePlan, _ required: [JoinAnswer.KnownHead], _ clock: UInt64) {
        let hasWaited = former != nil && age(at: clock) >= formerSince + Self.longestWait
        if former != nil, !hasWaited {
            // Nobody has said how new the journals are: each member says it for the others.
            let heard = Set(plan.readings.compactMap { $0.head?.contents.device } + [device])
            let members = circle.state.members.filter { $0.value.kind == .device }.keys
            if !members.allSatisfy(heard.contains) { plan.isWhole = false }
        }
        let cut = knowing(plan.readings.compactMap(\.head?.contents))
        let named = Dictionary(circle.state.endings.map { ($0.journal, $0) }) { one, _ in one }
        let ended = named.merging(plan.ended) { one, _ in one }
        // Members end journals of which somebody has taken over all, or will. Where a former member has ended one, it is read, or
        // somebody has taken it over who knows that.
        let targets = Set(plan.readings.map(\.target))
        let isTaken = { (journal: JournalID) in
            ended[journal].map { ending in
                circle.state.endedByMembers.contains(journal) || circle.state.isFormer(ending.device)
                    || isSettled(ending, by: cut) || targets.contains(ending.point)
            }
        }
        if rules.contains(.knownHeads) {
            for head in required where !(isTaken(head.journal) ?? isMet(head, plan)) { plan.isWhole = false }
        }
        if rules.contains(.closedCut), !acceptsOlder {
            // A journal that cannot be read yet may be newer than all that is read: its device may have deleted what is in a journal
            // that has ended, and dropped the tombstone.
            let journals = Set(targets.map(\.journal))
            if !hasWaited, !plan.unread.keys.allSatisfy(journals.contains) { plan.isWhole = false }
            let read = Dictionary(plan.readings.map { ($0.target.journal, $0) }) { one, _ in one }
            for reading in plan.readings {
                guard let head = reading.head?.contents else { continue }
                // Who knows all entries that the head's device knew, knows who is no member, and which journals have ended.
                guard head.frontier.allSatisfy(circle.has) else {
                    plan.isWhole = false
                    continue
                }
                let isCovered = head.read.allSatisfy { mark in
                    plan.strangers.contains(mark.journal)
                        || isTaken(mark.journal) ?? (read[mark.journal]?.history.has(mark) ?? false)
                }
                if !isCovered { plan.isWhole = false }
            }
        }
        if !plan.isWhole { plan.readings = [] }
    }

    private func isMet(_ head: JoinAnswer.KnownHead, _ plan: MergePlan) -> Bool {
        plan.readings.contains { reading in
            guard let read = reading.head, read.contents.journal == head.journal else { return false }
            return read.contents.counter > head.counter
                || read.contents.counter == head.counter && read.hash == head.hash
        }
    }
}
