import KeychainBackup
import KeychainCircles
import KeychainDeviceKeys
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainSync
import KeychainVault

/// What programs have done to shared items, taken over by the replica.
///
/// A row is what the circle knows if its mark names the row's version. Any other is a change; a mark without its row is a deletion
/// if a program has removed the row, and damage if not.
struct LocalChanges {
    let circle: KeychainCircle
    let transaction: WriteTransaction
    let keys: EnclaveDeviceKeys
    private let nameKey: NameKey

    /// Items of the circle that the store has lost.
    private(set) var damaged: Set<ItemName> = []
    /// Whether there are changes that could not be taken, since they are locked.
    private(set) var isLocked = false
    /// Items that are too large to travel.
    private(set) var tooLarge = 0
    private(set) var taken = 0

    private var engine: KeychainEngine { circle.engine }
    /// In bytes: of rows that are open at one time.
    private static let batch = 4 << 20

    /// - Returns: nil where this device cannot write for the circle yet.
    init?(
        of circle: KeychainCircle,
        in transaction: WriteTransaction,
        keys: EnclaveDeviceKeys,
        replica: Replica
    ) {
        guard replica.isMember, let nameKey = replica.nameKey(keys) else { return nil }
        self.circle = circle
        self.transaction = transaction
        self.keys = keys
        self.nameKey = nameKey
    }

    /// A change of one row.
    private struct Change {
        let stored: StoredItem
        let change: LocalChange
        /// Nil for a deletion.
        let item: BackupItem?
    }

    /// Takes all changes that can be taken now.
    mutating func take(into replica: inout Replica) throws(KeychainError) {
        for itemClass in ItemClass.stored {
            var last: Int64 = .min
            while true {
                let rows = try transaction.unsharedRows(of: itemClass, after: last, size: Self.batch)
                guard let end = rows.last else { break }
                last = end.rowNumber
                try take(try changes(rows, replica), into: &replica)
            }
            try takeMissing(of: itemClass, into: &replica)
        }
    }

    private func name(of itemClass: ItemClass, _ accessGroup: String, _ attributes: AttributeList) -> ItemName {
        nameKey.name(
            of: SyncItemCodec.identity(of: itemClass, accessGroup: accessGroup, attributes: attributes)
        )
    }

    private mutating func changes(_ rows: [StoredItem], _ replica: Replica) throws(KeychainError) -> [Change] {
        let authorization = engine.policy.authorizeSynchronization()
        var changes: [Change] = []
        for (stored, row) in zip(rows, try engine.vault.open(rows.map(\.row), for: authorization)) {
            let itemClass = stored.row.itemClass
            switch row {
            case .item(let item):
                let encoded = SyncItemCodec.encode(item)
                guard encoded.count <= Record.largest else {
                    tooLarge += 1
                    continue
                }
                let change = LocalChange(
                    name: name(of: itemClass, item.accessGroup, item.attributes),
                    tier: item.accessibility == .whenUnlocked ? .unlocked : .afterFirstUnlock,
                    item: encoded,
                    modified: SyncItemCodec.stamp(of: item)
                )
                changes.append(Change(stored: stored, change: change, item: item))
            case .tombstone(let group, let attributes), .stays(let group, let attributes):
                let change = LocalChange(
                    name: name(of: itemClass, group, attributes),
                    tier: .afterFirstUnlock,
                    item: nil,
                    modified: SyncItemCodec.stamp(of: attributes)
                )
                changes.append(Change(stored: stored, change: change, item: nil))
            case .locked: isLocked = true
            case .damaged:
                if let mark = try mark(of: stored.row) { damaged.insert(try name(mark)) }
            }
        }
        return changes
    }

    private func mark(of row: SealedRow) throws(KeychainError) -> SharedMark? {
        try transaction.sharedMark(of: row.itemClass, row.uuid).flatMap { engine.vault.isAuthentic($0) ? $0 : nil }
    }

    private func name(_ mark: SharedMark) throws(KeychainError) -> ItemName {
        guard let name = SyncHash(mark.name) else { throw KeychainCircle.damaged }
        return name
    }

    /// Writes changes into the replica's journal, and marks their rows.
    private mutating func take(_ changes: [Change], into replica: inout Replica) throws(KeychainError) {
        guard !changes.isEmpty else { return }
        let stamps = try write(changes.map(\.change), into: &replica)
        for change in changes {
            let name = change.change.name
            if stamps[name] != nil, change.stored.row.accessGroup != KeychainCircle.namesGroup { taken += 1 }
            if let item = change.item, let stamp = stamps[name], stamp != change.change.modified {
                try circle.restamp(change.stored, as: item, stamp, name: name, in: transaction)
            } else {
                try transaction.put(engine.vault.sharedMark(of: change.stored.row, name: name.bytes))
            }
        }
    }

    private func write(
        _ changes: [LocalChange],
        into replica: inout Replica
    ) throws(KeychainError) -> [ItemName: UInt64] {
        let keys = keys
        let written = try CircleFailure.translating { try replica.write(changes, keys: keys) }
        try circle.keep(written.segments, in: transaction)
        return written.stamps
    }

    /// Whether a row is whole, and for this device alone.
    private func isNotShared(_ stored: StoredItem) throws(KeychainError) -> Bool {
        !stored.row.isSynchronizable && stored.isWellFormed
            && engine.vault.inspect(stored.row, for: engine.policy.authorizeInspection()) == .whole
    }

    /// Looks at some rows that have not changed, whether they still open.
    ///
    /// - Parameter cursor: where to go on the next time.
    mutating func inspect(from cursor: inout InspectionCursor) throws(KeychainError) {
        let classes = ItemClass.stored
        let itemClass = classes[cursor.place % classes.count]
        let rows = try transaction.rows(
            of: itemClass,
            after: cursor.rowNumber,
            atMost: InspectionCursor.rows,
            size: Self.batch
        )
        for stored in rows where stored.row.isSynchronizable {
            guard let mark = try mark(of: stored.row), mark.version == stored.row.version else { continue }
            if case .damaged = engine.vault.inspect(stored.row, for: engine.policy.authorizeInspection()) {
                damaged.insert(try name(mark))
            }
        }
        if let last = rows.last {
            cursor.rowNumber = last.rowNumber
        } else {
            cursor = InspectionCursor(place: cursor.place + 1)
        }
    }

    /// Deletions that left no tombstone, and rows that are lost.
    private mutating func takeMissing(of itemClass: ItemClass, into replica: inout Replica) throws(KeychainError) {
        for mark in try transaction.missingRows(of: itemClass) {
            guard engine.vault.isAuthentic(mark) else {
                try transaction.removeMarks(of: itemClass, mark.uuid)
                continue
            }
            let name = try name(mark)
            let stored = try transaction.row(mark.uuid, of: itemClass)
            let others = try transaction.sharedMarks(of: mark.name).filter { $0.uuid != mark.uuid }
            if let stored, !stored.row.isSynchronizable, stored.isWellFormed,
                engine.vault.inspect(stored.row, for: engine.policy.authorizeInspection()) == .locked
            {
                // Whether it is that now, or damaged, can be told once it is unlocked.
                continue
            }
            if try stored.map(isNotShared) ?? false || !others.isEmpty {
                // It is no shared item any more, which its tombstone says, or another row has its name.
                try transaction.removeMarks(of: itemClass, mark.uuid)
            } else if stored == nil, let gone = try transaction.goneMark(of: itemClass, mark.uuid),
                engine.vault.isAuthentic(gone)
            {
                let deletion = LocalChange(
                    name: name,
                    tier: .afterFirstUnlock,
                    item: nil,
                    modified: UInt64(clamping: gone.time)
                )
                _ = try write([deletion], into: &replica)
                try transaction.removeMarks(of: itemClass, mark.uuid)
                taken += 1
            } else {
                damaged.insert(name)
            }
        }
    }
}

/// How far the rows were looked at.
struct InspectionCursor: Sendable {
    /// In one round.
    static let rows = 256
    var place = 0
    var rowNumber = Int64.min
}
