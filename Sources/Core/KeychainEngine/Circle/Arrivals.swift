import KeychainBackup
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainSync
import KeychainVault
import Logging

/// What came of an item that another device has changed.
typealias ArrivedChange = (kind: ItemChangeKind, row: AffectedRow)

/// What other devices have done to shared items, in this keychain.
struct Arrivals {
    let circle: KeychainCircle
    let transaction: WriteTransaction
    /// What policy did not let in.
    private(set) var refused = 0
    private(set) var placed = 0
    private(set) var removed = 0
    /// Versions that lost against another device's, and are kept as earlier ones.
    private(set) var lost = 0
    private(set) var changes: [ArrivedChange] = []

    private var engine: KeychainEngine { circle.engine }

    init(of circle: KeychainCircle, in transaction: WriteTransaction) {
        self.circle = circle
        self.transaction = transaction
    }

    mutating func apply(_ outcome: MergeOutcome) throws(KeychainError) {
        let mineLost = Set(outcome.conflicts.filter { $0.lost == nil }.map(\.name))
        var items: [(name: ItemName, record: Record)] = []
        for (name, change) in outcome.changed.sorted(by: { $0.key < $1.key }) {
            if change.record.item == nil {
                try remove(name, keeping: mineLost.contains(name) ? .lost : .deleted)
            } else {
                items.append((name, change.record))
            }
        }
        try place(items, lost: mineLost)
        for name in outcome.gone { try remove(name, keeping: .deleted) }
        for (name, stamp) in outcome.restamped { try restamp(name, stamp) }
        for conflict in outcome.conflicts { if let record = conflict.lost { try keep(record) } }
        lost += mineLost.count
    }

    /// Puts back what the store had lost.
    mutating func restore(
        _ found: [ItemName: (record: Record, tier: SyncTier)]
    ) throws(KeychainError) {
        let items = found.sorted { $0.key < $1.key }.map { (name: $0.key, record: $0.value.record) }
        try place(items.filter { $0.record.item != nil }, lost: [])
    }

    // MARK: - Rows

    /// The rows that the circle knows under a name.
    private func rows(_ name: ItemName) throws(KeychainError) -> [StoredItem] {
        var rows: [StoredItem] = []
        for mark in try transaction.sharedMarks(of: name.bytes) where engine.vault.isAuthentic(mark) {
            if let stored = try transaction.row(mark.uuid, of: mark.itemClass) { rows.append(stored) }
        }
        return rows
    }

    private mutating func remove(_ name: ItemName, keeping reason: PastVersion.Reason) throws(KeychainError) {
        for stored in try rows(name) {
            if try isChangedHere(stored) { continue }
            try transaction.remove(stored, marking: nil, keeping: reason)
            try transaction.removeMarks(of: stored.row.itemClass, stored.row.uuid)
            note(.deleted, stored.row)
            if stored.row.accessGroup != KeychainCircle.namesGroup { removed += 1 }
        }
    }

    private func restamp(_ name: ItemName, _ stamp: UInt64) throws(KeychainError) {
        let authorization = engine.policy.authorizeSynchronization()
        for stored in try rows(name) where try !isChangedHere(stored) {
            guard case .item(let item)? = try engine.vault.open([stored.row], for: authorization).first else {
                continue
            }
            try circle.restamp(stored, as: item, stamp, name: name, in: transaction)
        }
    }

    private static let batch = 256

    /// Seals items and puts them in their places.
    private mutating func place(
        _ all: [(name: ItemName, record: Record)],
        lost: Set<ItemName>
    ) throws(KeychainError) {
        let authorization = engine.policy.authorizeSynchronization()
        for start in stride(from: 0, to: all.count, by: Self.batch) {
            var names: [ItemName] = []
            var authorized: [AuthorizedRestoredItem] = []
            var existing: [StoredItem?] = []
            for (name, record) in all[start..<min(start + Self.batch, all.count)] {
                let stored = try rows(name).first
                do throws(KeychainError) {
                    let item = try decode(record, uuid: stored?.row.uuid ?? ItemUUID())
                    authorized.append(try engine.policy.authorize(item, with: authorization))
                    existing.append(stored)
                    names.append(name)
                } catch {
                    engine.log.warning("another device sent an item that is not taken: \(error.message)")
                    refused += 1
                }
            }
            let sealed = try engine.vault.seal(authorized)
            for (index, item) in sealed.enumerated() {
                let reason: PastVersion.Reason = lost.contains(names[index]) ? .lost : .replaced
                try place(item.sealed, existing[index], names[index], reason)
            }
        }
    }

    private func decode(_ record: Record, uuid: ItemUUID) throws(KeychainError) -> BackupItem {
        guard let bytes = record.item,
            let item = SyncItemCodec.decode(bytes, uuid: uuid, stamp: record.version.stamp)
        else { throw KeychainError(.undecodable, "its encoding is not an item's") }
        return item
    }

    private mutating func place(
        _ sealed: SealedItem,
        _ existing: StoredItem?,
        _ name: ItemName,
        _ reason: PastVersion.Reason
    ) throws(KeychainError) {
        var existing = existing
        if let existing, try isChangedHere(existing) { return }
        if let other = try transaction.collision(with: sealed), other.rowNumber != existing?.rowNumber {
            if !other.row.isTombstone, try isChangedHere(other) { return }
            // A tombstone, a damaged one, or one that the circle knows by another name.
            let isThere = try isWhole(other)
            if isThere {
                try transaction.remove(other, marking: nil, keeping: .lost)
                try transaction.removeMarks(of: other.row.itemClass, other.row.uuid)
                note(.deleted, other.row)
            } else {
                try transaction.setAside(other)
            }
        }
        if let stored = existing {
            let isAside = try transaction.isAside(stored)
            let isWhole = try isWhole(stored)
            // What it was comes back now, under its UUID.
            if isAside || !isWhole {
                try transaction.remove(stored, marking: nil, keeping: nil)
                existing = nil
            }
        }
        if let existing {
            try transaction.replace(existing, with: sealed, keeping: reason)
        } else {
            try transaction.insert(sealed)
        }
        try transaction.put(engine.vault.sharedMark(of: sealed.row, name: name.bytes))
        note(existing == nil ? .added : .updated, sealed.row)
        if sealed.row.accessGroup != KeychainCircle.namesGroup { placed += 1 }
    }

    /// A tombstone is no item.
    private mutating func note(_ change: ItemChangeKind, _ row: SealedRow) {
        if !row.isTombstone { changes.append((change, AffectedRow(row))) }
    }

    /// Whether a program has changed a row, and the replica does not have that yet: the row is locked, or nothing can be written for the
    /// circle now. It stays as it is, and is taken as a change of what has come.
    private func isChangedHere(_ stored: StoredItem) throws(KeychainError) -> Bool {
        let mark = try transaction.sharedMark(of: stored.row.itemClass, stored.row.uuid)
        if let mark, engine.vault.isAuthentic(mark), mark.version == stored.row.version { return false }
        if try transaction.isAside(stored) { return false }
        return try isWhole(stored)
    }

    /// Whether a row is what it says, as far as can be told now.
    private func isWhole(_ stored: StoredItem) throws(KeychainError) -> Bool {
        if case .damaged = engine.vault.inspect(stored.row, for: engine.policy.authorizeInspection()) { return false }
        return true
    }

    /// Keeps another device's version that lost.
    private mutating func keep(_ record: Record) throws(KeychainError) {
        guard record.item != nil, let stored = try rows(record.name).first else { return }
        do throws(KeychainError) {
            let item = try engine.policy.authorize(
                try decode(record, uuid: stored.row.uuid),
                with: engine.policy.authorizeSynchronization()
            )
            for restored in try engine.vault.seal([item]) { try transaction.insertPast(restored.sealed, as: .lost) }
            lost += 1
        } catch {
            // It is what nobody takes, or cannot be sealed now: what counts is the version that won.
            guard error.code != .diskFull else { throw error }
        }
    }
}

extension KeychainCircle {
    /// Gives a row the modification date that the circle knows.
    func restamp(
        _ stored: StoredItem,
        as item: BackupItem,
        _ stamp: UInt64,
        name: ItemName,
        in transaction: WriteTransaction
    ) throws(KeychainError) {
        let encoded = SyncItemCodec.encode(item)
        guard let stamped = SyncItemCodec.decode(encoded, uuid: item.uuid, stamp: stamp) else { throw Self.damaged }
        let authorized = try engine.policy.authorize(stamped, with: engine.policy.authorizeSynchronization())
        for restored in try engine.vault.seal([authorized]) {
            try transaction.replace(stored, with: restored.sealed, keeping: nil)
            try transaction.put(engine.vault.sharedMark(of: restored.sealed.row, name: name.bytes))
        }
    }

    /// Keeps segments of this device until nobody needs them any more.
    func keep(_ segments: [Segment], in transaction: WriteTransaction) throws(KeychainError) {
        for segment in segments { try transaction.insert(StoredSegment(segment.point), bytes: segment.encoded) }
    }
}

extension StoredSegment {
    init(_ point: JournalPoint) {
        self.init(journal: point.journal.bytes, number: Int64(clamping: point.number), hash: point.hash.bytes)
    }

    /// Nil where the database has something else.
    var point: JournalPoint? {
        guard let journal = SyncName(journal), let hash = SyncHash(hash), number > 0 else { return nil }
        return JournalPoint(journal: journal, number: UInt64(number), hash: hash)
    }
}
