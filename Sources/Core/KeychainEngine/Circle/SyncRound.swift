import EnclaveInterface
import KeychainBackup
package import KeychainCircles
import KeychainDeviceKeys
package import KeychainModel
import KeychainPolicy
import KeychainStore
package import KeychainSync
import KeychainVault
import Logging
import Synchronization

extension KeychainCircle {
    /// A read-only look at what the other devices have written.
    private struct Findings {
        var entries: [Entry] = []
        var heads: [Head] = []
        /// Entries that are there by name, and this device's head: they are not asked for again when this round writes.
        var names: Set<BlobName> = []
        var own: (name: BlobName, bytes: [UInt8])?
    }

    /// Says what is new here, and takes what is new elsewhere.
    ///
    /// Stopped at any instant, the next round goes on with it.
    ///
    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `interactionNotAllowed` before the first unlock;
    ///   `notAvailable` and `diskFull` for a transport that is, and what the database fails with.
    package func synchronize(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError)
        -> SyncReport
    {
        // Nobody waits for what ends here any more.
        defer { engine.store.removeTraces() }
        do throws(KeychainError) {
            let report = try round(over: transport, ifAt: place)
            memory.lastRound.withLock { $0 = .init(ended: Self.clock, failure: nil) }
            return report
        } catch {
            if [.notAvailable, .diskFull].contains(error.code) {
                // Who carries may say anything.
                let text = error.message.unicodeScalars.prefix(Self.longestFailure)
                memory.lastRound.withLock { $0.failure = String(String.UnicodeScalarView(text)) }
            }
            throw error
        }
    }

    private static let longestFailure = 400

    private static func require(_ place: String?, in settings: CircleSettings) throws(KeychainError) {
        guard let place, place != settings.transport else { return }
        throw KeychainError(.invalidParameter, "the circle's transport is another one by now")
    }

    private func round(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError) -> SyncReport {
        let keys = try keys()
        guard let known = try replica() else { throw CircleFailure.noCircle }
        if place != nil { try Self.require(place, in: settings()) }
        let circle = known.circle.id
        let found = try CircleFailure.translating { try look(over: transport, known) }
        let atOnce = try mergeAtOnce(found, keys, transport, ifAt: place)
        let merged = if let atOnce { atOnce } else { try mergeInSteps(found, keys, transport, ifAt: place) }
        memory.lost.withLock { $0 = merged.lost }
        var report = merged.report
        let (before, after) = (Set(known.circle.state.members.keys), Set(merged.replica.circle.state.members.keys))
        report.devicesAdded = after.subtracting(before).count
        report.devicesRemoved = before.subtracting(after).count
        if let tell { for (change, row) in merged.changes { tell(change, row) } }
        report.isMember = merged.replica.isMember
        report.isReading = merged.replica.phase != .member
        report.isWaitingForUnlock = report.isWaitingForUnlock || merged.replica.hasLockedSecrets
        tellMerged?(report)
        try CircleFailure.translating { try self.publish(merged.replica, after: found, over: transport, in: circle) }
        return report
    }

    // MARK: - Merging

    /// What a round has made of a replica.
    private struct Merged {
        let replica: Replica
        var report: SyncReport
        /// Items that are to be looked for in the next round.
        let lost: Set<ItemName>
        let changes: [ArrivedChange]
    }

    /// Takes what is new here and elsewhere in one transaction, as most rounds can: nobody has written an entry, nothing is
    /// damaged, and the journal has room.
    ///
    /// - Returns: nil where more has to be done, and nothing was.
    private func mergeAtOnce(
        _ found: Findings,
        _ keys: EnclaveDeviceKeys,
        _ transport: some SyncTransport,
        ifAt place: String?
    ) throws(KeychainError) -> Merged? {
        guard found.entries.isEmpty, memory.lost.withLock({ $0.isEmpty }) else { return nil }
        // Another round may have ended since the look began, and this device's own head is no news then.
        guard let start = try replica() else { throw CircleFailure.noCircle }
        let plan = try CircleFailure.translating { try self.plan(start, found.heads, keys, transport) }
        let begun = memory.inspected.withLock { $0 }
        // Another device waits for what is published after this, and nobody for what this one noted before.
        let done = try change(leaving: .goSoon) {
            (replica, transaction) throws(KeychainError) -> (Merged, InspectionCursor)? in
            var next = replica
            var report = SyncReport()
            var cursor = begun
            var needsMore = false
            var outcome: (lost: Set<ItemName>, changes: [ArrivedChange])?
            do throws(KeychainError) {
                try transaction.attempt { () throws(KeychainError) in
                    var isFull = false
                    var local = try self.takeLocal(into: &next, transaction, keys, &report, isFull: &isFull)
                    if local != nil, self.engine.vault.state.lock == .unlocked {
                        try local?.inspect(from: &cursor)
                    }
                    guard !isFull, local?.damaged.isEmpty ?? true else {
                        needsMore = true
                        throw KeychainError(.internalError, "more has to be done")
                    }
                    outcome = try self.finish(
                        plan,
                        repaired: [:],
                        damaged: [],
                        of: &next,
                        transaction,
                        keys,
                        &report
                    )
                    try self.note(plan, &report, in: transaction, leaving: .goSoon, ifAt: place)
                }
            } catch {
                guard needsMore else { throw error }
                return nil
            }
            guard let outcome else { return nil }
            replica = next
            return (Merged(replica: next, report: report, lost: outcome.lost, changes: outcome.changes), cursor)
        }
        guard let done else { throw CircleFailure.noCircle }
        guard let (merged, cursor) = done else { return nil }
        memory.inspected.withLock { $0 = cursor }
        return merged
    }

    /// Takes what is new here, looks for what is damaged, and takes what is new elsewhere.
    private func mergeInSteps(
        _ found: Findings,
        _ keys: EnclaveDeviceKeys,
        _ transport: some SyncTransport,
        ifAt place: String?
    ) throws(KeychainError) -> Merged {
        let begun = try change { (replica, transaction) throws(KeychainError) in
            var report = SyncReport()
            try Self.insert(found.entries, into: &replica, keys)
            var isFull = false
            var local = try self.takeLocal(into: &replica, transaction, keys, &report, isFull: &isFull)
            var cursor = self.memory.inspected.withLock { $0 }
            if local != nil, self.engine.vault.state.lock == .unlocked { try local?.inspect(from: &cursor) }
            return (replica: replica, local: local, report: report, cursor: cursor)
        }
        guard let begun else { throw CircleFailure.noCircle }
        memory.inspected.withLock { $0 = begun.cursor }
        // The transport is read while no transaction is open.
        let plan = try CircleFailure.translating { try self.plan(begun.replica, found.heads, keys, transport) }
        // Those too that were found lost when they were to be written once more.
        let damaged = (begun.local?.damaged ?? []).union(memory.lost.withLock { $0 })
        let repaired = try CircleFailure.translating { try self.read(damaged, begun.replica, keys, transport) }
        let done = try change { (replica, transaction) throws(KeychainError) in
            var report = SyncReport()
            var isFull = false
            _ = try self.takeLocal(into: &replica, transaction, keys, &report, isFull: &isFull)
            let outcome = try self.finish(
                plan,
                repaired: repaired,
                damaged: damaged,
                of: &replica,
                transaction,
                keys,
                &report
            )
            try self.note(plan, &report, in: transaction, ifAt: place)
            return Merged(replica: replica, report: report, lost: outcome.lost, changes: outcome.changes)
        }
        guard var done else { throw CircleFailure.noCircle }
        var report = begun.report
        report.add(done.report)
        done.report = report
        return done
    }

    /// Notes in the report, and in the settings, what there is to say of a round.
    ///
    /// - Throws: `invalidParameter` where the owner has put the circle's transport elsewhere since the round began.
    private func note(
        _ plan: MergePlan,
        _ report: inout SyncReport,
        in transaction: WriteTransaction,
        leaving traces: Traces = .goAtOnce,
        ifAt place: String?
    ) throws(KeychainError) {
        report.isWaitingForUnlock = report.isWaitingForUnlock || !plan.locked.isEmpty
        report.isWaitingForOthers = Self.isWaiting(plan)
        var settings = try self.settings(transaction.reading)
        try Self.require(place, in: settings)
        let clock = Self.clock
        // A round with nothing new writes nothing: the time of the last one is exact in memory alone.
        let age = clock >= settings.lastRound ? clock - settings.lastRound : .max
        if age >= Self.longestUnnoted { settings.lastRound = clock }
        if !report.isWaitingForOthers {
            settings.waitingSince = 0
        } else if settings.waitingSince == 0 {
            settings.waitingSince = clock
        }
        settings.isWaitingForUnlock = report.isWaitingForUnlock
        try put(settings, in: transaction, leaving: traces)
    }

    private static let longestUnnoted: UInt64 = 30_000

    /// Whether others have named something that is not there yet: a segment, an entry, an epoch's secret.
    private static func isWaiting(_ plan: MergePlan) -> Bool {
        !plan.missing.isEmpty || !plan.missingEntries.isEmpty || plan.refused.values.contains(.notOpened)
    }

    // MARK: - Looking

    private func look(over transport: some SyncTransport, _ replica: Replica) throws -> Findings {
        var findings = Findings()
        let circle = replica.circle.id
        let entries = try transport.list(.entry, in: circle)
        findings.names = Set(entries)
        for case .entry(let hash) in entries.prefix(Circle.mostEntries * 2)
        where !replica.circle.has(hash) {
            guard let bytes = try transport.read(.entry(hash), in: circle), let entry = try? Entry(bytes),
                entry.hash == hash
            else { continue }
            findings.entries.append(entry)
        }
        for case .head(let journal) in try transport.list(.head, in: circle).prefix(CircleReading.mostHeads) {
            guard let bytes = try transport.read(.head(journal), in: circle) else { continue }
            if journal == replica.own?.id { findings.own = (.head(journal), bytes) }
            guard let head = try? Head(bytes), head.contents.journal == journal else { continue }
            findings.heads.append(head)
        }
        return findings
    }

    private func plan(
        _ replica: Replica,
        _ heads: [Head],
        _ keys: EnclaveDeviceKeys,
        _ transport: some SyncTransport
    ) throws -> MergePlan {
        var failure: SyncTransportFailure?
        let plan = try replica.plan(clock: Self.clock, heads: heads, keys: keys) { point in
            self.segment(point, of: replica, transport, &failure)
        }
        if let failure { throw failure }
        return plan
    }

    private func read(
        _ damaged: Set<ItemName>,
        _ replica: Replica,
        _ keys: EnclaveDeviceKeys,
        _ transport: some SyncTransport
    ) throws -> [ItemName: (record: Record, tier: SyncTier)] {
        guard !damaged.isEmpty else { return [:] }
        var failure: SyncTransportFailure?
        do {
            let found = try replica.repaired(damaged, keys: keys) { point in
                self.segment(point, of: replica, transport, &failure)
            }
            if let failure { throw failure }
            return found
        } catch let error as KeychainError where error.code == .interactionNotAllowed {
            return [:]
        }
    }

    /// The bytes of a segment: of this device's own, those that it keeps.
    private func segment(
        _ point: JournalPoint,
        of replica: Replica,
        _ transport: some SyncTransport,
        _ failure: inout SyncTransportFailure?
    ) -> [UInt8]? {
        if replica.own?.id == point.journal, let kept = try? kept(StoredSegment(point)),
            (try? Segment(kept))?.point == point
        {
            return kept
        }
        guard failure == nil else { return nil }
        do throws(SyncTransportFailure) {
            return try transport.read(BlobName(point), in: replica.circle.id)
        } catch {
            failure = error
            return nil
        }
    }

    private func kept(_ segment: StoredSegment) throws(KeychainError) -> [UInt8]? {
        try engine.store.read(snapshot: false) { (transaction) throws(KeychainError) in
            try transaction.bytes(of: segment)
        }
    }

    // MARK: - Changing

    private static func insert(
        _ entries: [Entry],
        into replica: inout Replica,
        _ keys: EnclaveDeviceKeys
    ) throws(KeychainError) {
        guard !entries.isEmpty else { return }
        _ = try CircleFailure.translating { try replica.insert(entries, keys: keys) }
    }

    /// - Parameter isFull: becomes true where the journal has no room, and makes some.
    /// - Returns: nil where nothing can be written for the circle now.
    private func takeLocal(
        into replica: inout Replica,
        _ transaction: WriteTransaction,
        _ keys: EnclaveDeviceKeys,
        _ report: inout SyncReport,
        isFull: inout Bool
    ) throws(KeychainError) -> LocalChanges? {
        guard var changes = LocalChanges(of: self, in: transaction, keys: keys, replica: replica) else { return nil }
        var next = replica
        do throws(KeychainError) {
            try transaction.attempt { () throws(KeychainError) in try changes.take(into: &next) }
            replica = next
        } catch {
            switch error.code {
            // No epoch may be written under, which `keepUp` mends, or the device was locked meanwhile.
            case .noPermission, .interactionNotAllowed: return nil
            // The journal is full: a base makes room.
            case .dataTooLarge:
                isFull = true
                _ = try compact(&replica, transaction, keys)
                return nil
            default: throw error
            }
        }
        report.sent += changes.taken
        report.tooLarge = changes.tooLarge
        report.isWaitingForUnlock = changes.isLocked
        return changes
    }

    /// - Parameter damaged: what was looked for in journals; some of it was found.
    /// - Returns: items that are to be looked for in the next round, and what has changed.
    private func finish(
        _ plan: MergePlan,
        repaired: [ItemName: (record: Record, tier: SyncTier)],
        damaged: Set<ItemName>,
        of replica: inout Replica,
        _ transaction: WriteTransaction,
        _ keys: EnclaveDeviceKeys,
        _ report: inout SyncReport
    ) throws(KeychainError) -> (lost: Set<ItemName>, changes: [ArrivedChange]) {
        let clock = Self.clock
        var arrivals = Arrivals(of: self, in: transaction)
        let current = repaired.filter {
            damaged.contains($0.key) && replica.items[$0.key]?.version == $0.value.record.version
        }
        try arrivals.restore(current)
        report.repaired = arrivals.placed
        let outcome = replica.execute(plan, clock: clock)
        try arrivals.apply(outcome)
        report.received = arrivals.placed - report.repaired
        report.removed = arrivals.removed
        report.refused = arrivals.refused
        report.lost = arrivals.lost
        _ = try CircleFailure.translating { try replica.keepUp(clock: clock, keys: keys) }
        let notFound = damaged.subtracting(current.keys)
        var lost: Set<ItemName> = []
        if engine.vault.state.lock == .unlocked, replica.isMember {
            lost.formUnion(try adopt(&replica, transaction, keys))
            if isLong(replica) { lost.formUnion(try compact(&replica, transaction, keys)) }
        }
        report.damaged = lost.union(notFound).count
        replica.forget(notFound)
        for name in replica.collect() { try removeTombstone(name, in: transaction) }
        try sign(&replica, keys, clock)
        try dropSegments(of: replica, in: transaction)
        try transaction.expirePast(now: Int64(clamping: clock))
        return (lost, arrivals.changes)
    }

    /// Items as the circle has them, out of this keychain.
    private func items(_ transaction: WriteTransaction) -> (ItemName) -> SecretBytes? {
        let authorization = engine.policy.authorizeSynchronization()
        return { name in
            let marks = (try? transaction.sharedMarks(of: name.bytes)) ?? []
            for mark in marks where self.engine.vault.isAuthentic(mark) {
                guard let stored = try? transaction.row(mark.uuid, of: mark.itemClass),
                    case .item(let item)? = try? self.engine.vault.open([stored.row], for: authorization).first
                else { continue }
                return SyncItemCodec.encode(item)
            }
            return nil
        }
    }

    private func adopt(
        _ replica: inout Replica,
        _ transaction: WriteTransaction,
        _ keys: EnclaveDeviceKeys
    ) throws(KeychainError) -> Set<ItemName> {
        try rewrite(&replica, transaction) { (replica) in
            try replica.adopt(salt: Self.salt(), keys: keys, item: items(transaction))
        }
    }

    private func compact(
        _ replica: inout Replica,
        _ transaction: WriteTransaction,
        _ keys: EnclaveDeviceKeys
    ) throws(KeychainError) -> Set<ItemName> {
        try rewrite(&replica, transaction) { (replica) in
            try replica.compact(keys: keys, item: items(transaction))
        }
    }

    /// Writes items once more, or nothing where nothing can be written now.
    ///
    /// - Returns: items that this keychain has lost.
    private func rewrite(
        _ replica: inout Replica,
        _ transaction: WriteTransaction,
        _ body: (inout Replica) throws -> Rewriting
    ) throws(KeychainError) -> Set<ItemName> {
        var next = replica
        do throws(KeychainError) {
            let rewriting = try CircleFailure.translating { try body(&next) }
            replica = next
            try keep(rewriting.segments, in: transaction)
            return rewriting.damaged
        } catch {
            switch error.code {
            case .noPermission, .interactionNotAllowed, .dataTooLarge: return []
            default: throw error
            }
        }
    }

    /// Whether so much was written since the newest base that another one costs less than it spares: a base has all items of
    /// this device once more.
    private func isLong(_ replica: Replica) -> Bool {
        guard let own = replica.own else { return false }
        let since = UInt64(own.history.count) - own.base.upperBound
        guard since > Self.leastSinceBase else { return false }
        let items = replica.items.values.count { $0.carriers[own.id] != nil }
        return since > Self.leastSinceBase + UInt64(items) / 8
    }

    private static let leastSinceBase: UInt64 = 64

    /// A tombstone that nobody needs any more.
    private func removeTombstone(_ name: ItemName, in transaction: WriteTransaction) throws(KeychainError) {
        for mark in try transaction.sharedMarks(of: name.bytes) where engine.vault.isAuthentic(mark) {
            if let stored = try transaction.row(mark.uuid, of: mark.itemClass), stored.row.isTombstone {
                try transaction.remove(stored, marking: nil, keeping: nil)
            }
            try transaction.removeMarks(of: mark.itemClass, mark.uuid)
        }
    }

    // MARK: - Heads

    /// How long this device waits with a head that says only what it has read: an hour.
    private static let acknowledgement: UInt64 = 3_600_000
    /// And with one that says nothing new: a week. Others end a journal after a month of silence.
    private static let longestSilence: UInt64 = 7 * 86_400_000

    private func sign(
        _ replica: inout Replica,
        _ keys: EnclaveDeviceKeys,
        _ clock: UInt64
    ) throws(KeychainError) {
        let before = replica.own?.head?.contents
        // A clock that was set back counts as a long time.
        let age = before.map { clock >= $0.clock ? clock - $0.clock : .max } ?? .max
        let isNews =
            before?.tip != replica.own?.tip || before?.frontier != replica.circle.frontier
            || before?.isSettled != replica.isSettled
            || before.map { $0.epoch != (try? replica.writingEpoch()) } ?? true
        guard isNews || age >= Self.acknowledgement else { return }
        var next = replica
        let head: Head?
        do throws(KeychainError) {
            head = try CircleFailure.translating { try next.sign(clock: clock, keys: keys) }
        } catch {
            switch error.code {
            case .noPermission, .interactionNotAllowed: return
            default: throw error
            }
        }
        guard let head else { return }
        if !isNews, let before = replica.own?.head?.contents {
            let isRead = before.read != head.contents.read || before.stampFloor != head.contents.stampFloor
            guard isRead || age >= Self.longestSilence else { return }
        }
        replica = next
    }

    // MARK: - Publishing

    /// Segments of journals that this device does not write any more, and does not begin anew from.
    private func dropSegments(of replica: Replica, in transaction: WriteTransaction) throws(KeychainError) {
        let kept = Set(replica.ownJournals.map(\.bytes))
        for segment in try transaction.reading.segments() where !kept.contains(segment.journal) {
            try transaction.remove(segment)
        }
    }

    /// Writes what the transport lacks: segments, then the entries that may name them, then the head that does.
    private func publish(
        _ replica: Replica,
        after found: Findings,
        over transport: some SyncTransport,
        in circle: CircleID
    ) throws {
        let segments = try engine.store.read(snapshot: false) { (transaction) throws(KeychainError) in
            try transaction.segments()
        }
        func list() throws -> Set<BlobName> { segments.isEmpty ? [] : Set(try transport.list(.segment, in: circle)) }
        // Others wait for what is new: what was there when this device wrote its head is looked for after that.
        let remembered = memory.published.withLock { $0 }.flatMap { $0.head == found.own?.bytes ? $0.segments : nil }
        var outbox = Outbox(over: transport, in: circle)
        try send(segments, without: try remembered ?? list(), through: &outbox)
        for entry in replica.circle.entries where !found.names.contains(.entry(entry.hash)) {
            try outbox.put(SyncBlob(entry.encoded, as: .entry(entry.hash)))
        }
        let head = replica.isMember ? replica.own?.head : nil
        if let head {
            let name = BlobName.head(head.contents.journal)
            // Of very many heads it may be none that was read.
            let there =
                if let own = found.own, own.name == name { own.bytes } else { try transport.read(name, in: circle) }
            if there != head.encoded { try outbox.put(SyncBlob(head.encoded, as: name)) }
        }
        try outbox.flush()
        if remembered != nil {
            try send(segments, without: try list(), through: &outbox)
            try outbox.flush()
        }
        let published = head.map { head in
            CircleMemory.Published(head: head.encoded, segments: Set(segments.compactMap(\.point).map(BlobName.init)))
        }
        memory.published.withLock { $0 = published }
        if head != nil { try release(over: transport, in: circle) }
        // Others do not wait for it.
        try compareOne(of: segments, over: transport, in: circle)
    }

    private func send(
        _ segments: [StoredSegment],
        without there: Set<BlobName>,
        through outbox: inout Outbox<some SyncTransport>
    ) throws {
        for segment in segments {
            guard let point = segment.point, !there.contains(BlobName(point)) else { continue }
            // What the database has is sent only if it is what the journal says.
            guard let bytes = try kept(segment), (try? Segment(bytes))?.point == point else { continue }
            try outbox.put(SyncBlob(bytes, as: BlobName(point)))
        }
    }

    /// Looks whether one segment is in the transport as this device has written it, another one each time: who can write there can
    /// put something else under its name, and others would wait for it for ever.
    private func compareOne(
        of segments: [StoredSegment],
        over transport: some SyncTransport,
        in circle: CircleID
    ) throws {
        guard let segment = segments.randomElement(), let point = segment.point, let bytes = try kept(segment),
            (try? Segment(bytes))?.point == point, try transport.read(BlobName(point), in: circle) != bytes
        else { return }
        try transport.write(bytes, as: BlobName(point), in: circle)
    }

    /// Removes segments of this device that nobody needs any more.
    private func release(over transport: some SyncTransport, in circle: CircleID) throws {
        // Mostly there is nothing to release, and nothing is written.
        guard var trial = try replica(), !trial.release().isEmpty else { return }
        let released = try change { (replica, transaction) throws(KeychainError) in
            let released = replica.release()
            for point in released { try transaction.remove(StoredSegment(point)) }
            return released
        }
        for point in released ?? [] { try transport.remove(BlobName(point), in: circle) }
    }
}

extension SyncReport {
    fileprivate mutating func add(_ other: SyncReport) {
        sent += other.sent
        received += other.received
        removed += other.removed
        lost += other.lost
        refused += other.refused
        repaired += other.repaired
        damaged = other.damaged
        tooLarge = max(tooLarge, other.tooLarge)
        isWaitingForUnlock = isWaitingForUnlock || other.isWaitingForUnlock
        isWaitingForOthers = other.isWaitingForOthers
    }
}
