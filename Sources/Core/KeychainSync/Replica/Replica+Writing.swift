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
        if rules.contains(.freshEpochs) {
            guard let epoch = circle.state.writingEpoch else { throw .notMember }
            return epoch.id
        }
        guard let epoch = firstEpoch else { throw .notMember }
        return epoch
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
    /// - Parameter item: an item of this device's store. One that it does not have, or has otherwise, is damage and no deletion.
    /// - Throws: `undecodable` for such an item: the journal stays as it is.
    package mutating func compact(
        keys: some DeviceKeys,
        item: (ItemName) -> SecretBytes?
    ) throws -> [Segment] {
        try checkMembership()
        guard let own, phase == .member else { return [] }
        var records: [(record: Record, tier: SyncTier)] = []
        for (name, current) in items.sorted(by: { $0.key < $1.key }) {
            guard let number = current.carriers[own.id] else { continue }
            records.append((try record(of: name, current, number, item), current.tier))
        }
        return try write(base: records, keys: keys)
    }

    /// A record of what is current.
    private func record(
        of name: ItemName,
        _ current: CurrentItem,
        _ number: UInt64,
        _ item: (ItemName) -> SecretBytes?
    ) throws -> Record {
        let value = current.version.isTombstone ? nil : item(name)
        let record = Record(
            name: name,
            stamp: current.version.stamp,
            number: number,
            replaced: current.replaced,
            item: value
        )
        guard record.version == current.version else {
            throw KeychainError(.undecodable, "an item is not what the circle knows of it")
        }
        return record
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
        let read = marks
        self.own?.readAtBase = read
        return segments
    }

    /// How far this device has read other journals.
    var marks: [JournalPoint] {
        journals.compactMap { id, journal in
            if let end = end(of: id, by: journal.device), journal.has(end) { return end.number == 0 ? nil : end }
            return journal.history.isEmpty ? nil : journal.history.tip(of: id)
        }.sorted { $0.journal < $1.journal }
    }

    // MARK: - Heads

    /// Signs the newest head of this device's journal.
    ///
    /// - Returns: nil before there is something to sign, and while something is still to be adopted.
    package mutating func sign(clock: UInt64, nameKey: NameKey, keys: some DeviceKeys) throws -> Head? {
        try checkMembership()
        guard let own, !own.history.isEmpty, end(of: own.id, by: device) == nil, suspectedSince == nil else {
            return nil
        }
        // Others skip an ended journal if this head says that it was read to its end.
        guard orphans.isEmpty else { return nil }
        let contents = Head.Contents(
            circle: circle.id,
            device: device,
            salt: own.salt,
            counter: own.counter + 1,
            tip: own.tip,
            read: marks,
            readAtBase: own.readAtBase,
            frontier: circle.frontier,
            epoch: try writingEpoch(),
            stampFloor: stampFloor,
            digest: nameKey.digest(of: items),
            clock: clock
        )
        let head = try Head(contents) { (digest) throws(KeychainError) in try keys.sign(digest) }
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
    ) throws -> [Segment] {
        try checkMembership()
        guard phase == .member else { return [] }
        var segments: [Segment] = []
        if own == nil {
            own = OwnJournal(of: device, salt: salt)
            segments += try write(base: [], keys: keys)
        } else if own?.history.isEmpty == true {
            segments += try write(base: [], keys: keys)
        }
        guard let own else { return [] }
        var records: [(record: Record, tier: SyncTier)] = []
        for name in orphans {
            guard let current = items[name] else { continue }
            records.append((try record(of: name, current, own.tip.number + 1, item), current.tier))
        }
        segments += try append(records, keys: keys)
        // What is sealed under an epoch that does not count, newcomers cannot read.
        if own.epochs.contains(where: { circle.state.epochs[$0] == nil }) {
            segments += try compact(keys: keys, item: item)
        }
        return segments
    }
}
