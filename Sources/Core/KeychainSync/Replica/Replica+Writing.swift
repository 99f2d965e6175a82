package import KeychainModel

/// A change that this device's owner has made.
package struct LocalChange: Sendable {
    package let name: ItemName
    package let tier: SyncTier
    /// Nil where the item was deleted.
    package let item: SecretBytes?
    /// Milliseconds since 1970.
    package let modified: UInt64

    package init(name: ItemName, tier: SyncTier, item: SecretBytes?, modified: UInt64) {
        self.name = name
        self.tier = tier
        self.item = item
        self.modified = modified
    }
}

extension Replica {
    /// Writes changes into this device's journal.
    ///
    /// - Returns: segments to publish, and the stamps of the changes: the items' modification dates follow them.
    /// - Throws: `notMember`; `outOfRange` where a stamp would be too great, `tooLarge` for an item that is, `notCanonical` for two
    ///   changes of one item; what the keys throw.
    package mutating func write(
        _ changes: [LocalChange],
        keys: some DeviceKeys
    ) throws -> (segments: [Segment], stamps: [ItemName: UInt64]) {
        try checkMembership()
        // What no reader would take must not be written.
        guard Set(changes.map(\.name)).count == changes.count else { throw SyncRefusal.notCanonical }
        guard changes.allSatisfy({ $0.item?.count ?? 0 <= Record.largest }) else { throw SyncRefusal.tooLarge }
        var stamps: [ItemName: UInt64] = [:]
        var records: [(record: Record, tier: SyncTier)] = []
        let number = (own?.tip.number ?? 0) + 1
        for change in changes {
            let before = items[change.name]
            if change.item == nil, before?.version.isTombstone ?? true { continue }
            let stamp = try stamp(for: change, over: before?.version)
            let record = Record(
                name: change.name,
                stamp: stamp,
                number: number,
                replaced: before?.version.hash,
                item: change.item
            )
            stamps[change.name] = stamp
            // A tombstone says nothing that a locked device may not say.
            records.append((record, change.item == nil ? .afterFirstUnlock : change.tier))
        }
        guard own != nil, phase == .member else {
            for (record, tier) in records { setCurrent(record, tier, carriers: [:]) }
            return ([], stamps)
        }
        return (try append(records, keys: keys), stamps)
    }

    private func stamp(for change: LocalChange, over before: Version?) throws(SyncRefusal) -> UInt64 {
        var stamp = change.modified
        if rules.contains(.laterThanReplaced) { stamp = max(stamp, (before?.stamp).map { $0 + 1 } ?? 0) }
        if rules.contains(.laterThanDropped) { stamp = max(stamp, sharedFloor + 1) }
        guard stamp < Record.stampBound else { throw .outOfRange }
        return stamp
    }

    private mutating func setCurrent(_ record: Record, _ tier: SyncTier, carriers: [JournalID: UInt64]) {
        items[record.name] = CurrentItem(
            version: record.version,
            tier: tier,
            replaced: record.replaced,
            carriers: carriers
        )
    }

    /// Appends records that are new, or that were in journals that have ended.
    private mutating func append(
        _ records: [(record: Record, tier: SyncTier)],
        keys: some DeviceKeys
    ) throws -> [Segment] {
        guard let own, !records.isEmpty else { return [] }
        let epoch = try writingEpoch()
        var writer = SegmentWriter(after: own.history, of: own.id, in: circle.id)
        let segments = try writer.segments(of: records, in: epoch, base: false, keys: keys)
        let size = segments.reduce(own.size) { $0 + $1.segment.encoded.count }
        // Nobody reads more at one time. A base makes room.
        guard size <= longestReading else { throw SyncRefusal.tooLarge }
        self.own?.size = size
        for (segment, number, names) in segments.map({ ($0.segment, $0.segment.header.number, $0.records) }) {
            self.own?.history.append(segment.hash)
            self.own?.epochs.insert(epoch)
            for (record, tier) in names {
                var carriers = items[record.name].flatMap { $0.version == record.version ? $0.carriers : nil } ?? [:]
                carriers[own.id] = number
                setCurrent(record, tier, carriers: carriers)
            }
        }
        return segments.map(\.segment)
    }

    /// What this device writes under.
    ///
    /// - Throws: `notMember` where no good epoch is left: `keepUp` begins one.
    package func writingEpoch() throws(SyncRefusal) -> EpochID {
        try checkFormat()
        if rules.contains(.freshEpochs) {
            guard let epoch = currentEpoch else { throw .notMember }
            return epoch
        }
        guard let epoch = firstEpoch else { throw .notMember }
        return epoch
    }

    /// The greatest good epoch that all members have, and this device, too: nobody can know what others were given. One that
    /// somebody does not have, by what they have written since, comes last.
    var currentEpoch: EpochID? { preferredEpochs.first(where: isUsable)?.id }

    /// Epochs that all members have, as far as entries say: each device writes under the first one that it has itself.
    private var preferredEpochs: [CircleState.Epoch] {
        let all = circle.state.writingEpochs
        let avoided = circle.state.avoided
        return all.filter { !avoided.contains($0.id) } + all.filter { avoided.contains($0.id) }
    }

    private func isUsable(_ epoch: CircleState.Epoch) -> Bool { held.contains(epoch.id) && opened.contains(epoch.id) }

    /// Whether others write under an epoch, or have written, whose secret this device lacks, though entries say that it has it: one
    /// that nobody has left. Where all were left, also one that comes before what this device writes under.
    var lacksWhatItWasGiven: Bool {
        let before = preferredEpochs.prefix { !isUsable($0) }
        let isLeft = circle.state.avoided.contains
        return !before.allSatisfy { held.contains($0.id) }
            || circle.state.epochs.contains { !held.contains($0) && !isLeft($0) && $1.contains(device) }
    }

    private var firstEpoch: EpochID? {
        for entry in circle.entries {
            if case .epoch(let epoch) = entry.body { return epoch.id }
        }
        return nil
    }

    // MARK: - Bases

    /// Writes all that this device's journal has and that is current once more: what is before that is not needed.
    ///
    /// - Parameter item: an item of this device's store. One that it does not have, or has otherwise, is damage and no deletion:
    ///   the journal stays as it is then.
    package mutating func compact(keys: some DeviceKeys, item: (ItemName) -> SecretBytes?) throws -> Rewriting {
        try checkMembership()
        var rewriting = Rewriting()
        guard let own, phase == .member else { return rewriting }
        var records: [(record: Record, tier: SyncTier)] = []
        for (name, current) in items.sorted(by: { $0.key < $1.key }) {
            guard let number = current.carriers[own.id] else { continue }
            if let record = record(of: name, current, number, item) {
                records.append((record, current.tier))
            } else {
                rewriting.damaged.insert(name)
            }
        }
        if rewriting.damaged.isEmpty { rewriting.segments = try write(base: records, keys: keys) }
        return rewriting
    }

    /// A record of what is current; nil where the store does not have it so.
    private func record(
        of name: ItemName,
        _ current: CurrentItem,
        _ number: UInt64,
        _ item: (ItemName) -> SecretBytes?
    ) -> Record? {
        let value = current.version.isTombstone ? nil : item(name)
        let record = Record(
            name: name,
            stamp: current.version.stamp,
            number: number,
            replaced: current.replaced,
            item: value
        )
        return record.version == current.version ? record : nil
    }

    private mutating func write(base records: [(record: Record, tier: SyncTier)], keys: some DeviceKeys) throws
        -> [Segment]
    {
        guard let own else { return [] }
        var writer = SegmentWriter(after: own.history, of: own.id, in: circle.id)
        let epoch = try writingEpoch()
        let segments = try writer.segments(of: records, in: epoch, base: true, keys: keys).map(\.segment)
        guard let first = segments.first, let last = segments.last else { return [] }
        self.own?.history += segments.map(\.hash)
        self.own?.base = first.header.number...last.header.number
        self.own?.epochs = [epoch]
        self.own?.size = segments.reduce(0) { $0 + $1.encoded.count }
        let read = marks
        self.own?.readAtBase = Array(read.prefix(Head.mostMarks))
        return segments
    }

    /// How far this device has read other journals that go on.
    private var marks: [JournalPoint] {
        journals.compactMap { id, journal in
            end(of: id, by: journal.device) != nil || journal.history.isEmpty ? nil : journal.history.tip(of: id)
        }.sorted { $0.journal < $1.journal }
    }

    /// Ends up to which this device has read, or that others have taken over.
    private var readEnds: [Ending] { endings.filter { $0.point.number > 0 && hasRead($0) } }

    // MARK: - Heads

    /// Signs the newest head of this device's journal.
    ///
    /// - Returns: nil before there is something to sign, and while `keepUp` has to do something first.
    package mutating func sign(clock: UInt64, keys: some DeviceKeys) throws -> Head? {
        try checkMembership()
        guard let own, !own.history.isEmpty, end(of: own.id, by: device) == nil, suspectedSince == nil,
            circle.frontier.count <= Entry.mostParents
        else { return nil }
        let epoch = try writingEpoch()
        // Others do not read ended journals that this head has taken over.
        let isAdopted = orphans.isEmpty
        let isSettled = isAdopted && hasReadEnded
        // A settled head says nothing of journals that former members have ended: they may not be there.
        let ended = readEnds.filter { !isSettled || !circle.state.endedByMembers.contains($0.journal) }.map(\.point)
        let read = Array((marks + (isAdopted ? ended : [])).prefix(Head.mostMarks))
        let contents = Head.Contents(
            circle: circle.id,
            device: device,
            salt: own.salt,
            counter: own.counter + 1,
            tip: own.tip,
            base: own.base.upperBound,
            isSettled: isSettled,
            read: read.sorted { $0.journal < $1.journal },
            readAtBase: own.readAtBase,
            frontier: circle.frontier,
            epoch: epoch,
            stampFloor: stampFloor,
            digest: try keys.code(of: itemsDigest, in: epoch),
            clock: clock
        )
        let head = try Head(contents) { (statement) throws(KeychainError) in try keys.sign(statement) }
        // What no reader would take must not be published.
        guard try Head(head.encoded) == head else { throw SyncRefusal.notCanonical }
        self.own?.counter += 1
        self.own?.head = head
        return head
    }

    // MARK: - Adoption, and a journal's beginning

    /// Begins this device's journal, and writes into it what no journal has that goes on.
    ///
    /// - Parameter item: as for `compact`.
    package mutating func adopt(
        salt: SyncName,
        keys: some DeviceKeys,
        item: (ItemName) -> SecretBytes?
    ) throws -> Rewriting {
        try checkMembership()
        var rewriting = Rewriting()
        guard phase == .member else { return rewriting }
        if own == nil { own = OwnJournal(of: device, salt: salt) }
        if own?.history.isEmpty == true { rewriting.segments += try write(base: [], keys: keys) }
        guard let own else { return rewriting }
        var records: [(record: Record, tier: SyncTier)] = []
        for name in orphans {
            guard let current = items[name] else { continue }
            if let record = record(of: name, current, own.tip.number + 1, item) {
                records.append((record, current.tier))
            } else {
                rewriting.damaged.insert(name)
            }
        }
        rewriting.segments += try append(records, keys: keys)
        // What is sealed under an epoch that somebody does not have, they cannot read.
        let current = try? writingEpoch()
        if own.epochs.contains(where: {
            $0 != current && (circle.state.lacks($0) || circle.state.avoided.contains($0))
        }) {
            let more = try compact(keys: keys, item: item)
            rewriting.segments += more.segments
            rewriting.damaged.formUnion(more.damaged)
        }
        return rewriting
    }
}
