import KeychainModel
import KeychainSync

/// What a device has on its disk: all of it, or nothing of a change, is there after a crash.
struct Disk {
    var replica: Replica
    var keys: SimulatedKeys
    /// The items of its keychain.
    var store: [ItemName: SecretBytes] = [:]
    /// What it has to publish, and to publish again where it is lost.
    var outbox: [String: [UInt8]] = [:]
    var published: [String: [UInt8]] = [:]
    /// The replica in pieces, as it was last written, and what it was then.
    private var pieces: [ReplicaPiece: [UInt8]] = [:]
    private var written: Replica?

    /// Its process ends, and begins anew with what was written.
    mutating func restart() throws {
        if let written {
            for (piece, bytes) in replica.pieces(since: written) { pieces[piece] = bytes }
        } else {
            pieces = replica.pieces
        }
        guard pieces == replica.pieces else { throw SimulationFault(description: "a change was not written as it is") }
        written = replica
        let keys = try pieces.keys.map { try ReplicaPiece(key: $0.key) }
        guard Set(keys) == Set(pieces.keys) else { throw SimulationFault(description: "a piece has another key") }
        let again = try Replica(pieces: pieces).unchecked(rules: replica.rules)
        guard again.pieces == pieces else { throw SimulationFault(description: "what was written is read otherwise") }
        replica = again
    }

    init(replica: Replica, keys: SimulatedKeys) {
        self.replica = replica
        self.keys = keys
    }

    func copy() -> Disk {
        var disk = self
        disk.keys = keys.copy()
        return disk
    }

    private var canWrite: Bool { replica.isMember && (try? replica.writingEpoch()) != nil }

    // MARK: - Steps, each of which is one transaction

    mutating func take(_ view: View) throws {
        let entries = view.entries.filter { !replica.circle.has($0.hash) }
        if !entries.isEmpty { _ = try replica.insert(entries, keys: keys) }
    }

    mutating func read(_ view: View, clock: UInt64) throws -> MergeOutcome {
        execute(try plan(view, clock: clock), clock: clock)
    }

    @discardableResult
    mutating func execute(_ plan: MergePlan, clock: UInt64) -> MergeOutcome {
        let outcome = replica.execute(plan, clock: clock)
        for (name, change) in outcome.changed { store[name] = change.record.item }
        for name in outcome.gone { store[name] = nil }
        return outcome
    }

    func plan(_ view: View, clock: UInt64) throws -> MergePlan {
        try replica.plan(clock: clock, heads: view.heads, keys: keys) { view.blobs[BlobName($0).text] }
    }

    /// Nothing happens but time.
    mutating func pass(clock: UInt64) { replica.pass(clock) }

    mutating func keepUp(clock: UInt64) throws {
        post(try replica.keepUp(clock: clock, keys: keys))
    }

    mutating func adopt(_ numbers: Numbers) throws {
        guard canWrite, replica.phase == .member else { return }
        let items = store
        post(try replica.adopt(salt: numbers.name(), keys: keys) { items[$0] }.segments)
    }

    mutating func compact() throws {
        guard canWrite, replica.own != nil else { return }
        let items = store
        post(try replica.compact(keys: keys) { items[$0] }.segments)
    }

    /// Reads again what the store has lost.
    mutating func repair(_ view: View) throws {
        let damaged = replica.items.filter { name, item in store[name].map { SyncHash(of: $0) } != item.version.digest }
        for (name, item) in damaged where item.version.isTombstone { store[name] = nil }
        guard !damaged.isEmpty else { return }
        let outbox = outbox
        let found = try replica.repaired(Set(damaged.keys), keys: keys) { point in
            let name = BlobName(point).text
            return outbox[name] ?? view.blobs[name]
        }
        for (name, item) in found { store[name] = item.record.item }
        let lost = Set(damaged.keys).subtracting(found.keys)
        replica.forget(lost)
        for name in lost where replica.items[name] == nil { store[name] = nil }
    }

    mutating func collect() { _ = replica.collect() }

    mutating func change(_ change: LocalChange) throws -> UInt64? {
        guard canWrite else { return nil }
        let (segments, stamps) = try replica.write([change], keys: keys)
        guard let stamp = stamps[change.name] else { return nil }
        store[change.name] = change.item
        post(segments)
        return stamp
    }

    mutating func sign(clock: UInt64) throws {
        guard canWrite else { return }
        let before = replica.own?.head?.contents
        var next = replica
        guard let head = try next.sign(clock: clock, keys: keys) else { return }
        // Nothing is published where nothing is new.
        if var before {
            before.counter = head.contents.counter
            before.clock = head.contents.clock
            let isFresh = clock < (replica.own?.head?.contents.clock ?? 0) + 7 * 86_400_000
            if before == head.contents, isFresh { return }
        }
        replica = next
        outbox[BlobName.head(head.contents.journal).text] = head.encoded
    }

    mutating func post(_ entries: [Entry]) {
        for entry in entries { outbox[BlobName.entry(entry.hash).text] = entry.encoded }
    }

    mutating func post(_ segments: [Segment]) {
        for segment in segments { outbox[BlobName(segment.point).text] = segment.encoded }
    }

    /// The names of what is to be published, in this order: nobody needs to see an end or a head before its segments.
    var order: [String] {
        outbox.keys.sorted { (Self.rank($0), $0) < (Self.rank($1), $1) }
    }

    private static func rank(_ name: String) -> Int {
        name.hasPrefix("seg/") ? 0 : name.hasPrefix("entry/") ? 1 : 2
    }
}

/// What a device is shown at one time.
struct View {
    let blobs: [String: [UInt8]]
    let entries: [Entry]
    let heads: [Head]

    init(_ blobs: [String: [UInt8]], _ decoder: Decoder) {
        self.blobs = blobs
        let names = blobs.keys.sorted()
        entries = names.compactMap { $0.hasPrefix("entry/") ? blobs[$0].flatMap(decoder.entry) : nil }
        heads = names.compactMap { $0.hasPrefix("head/") ? blobs[$0].flatMap(decoder.head) : nil }
    }
}

/// Decodes each blob once for all devices.
final class Decoder {
    private var entries: [SyncHash: Entry] = [:]
    private var heads: [SyncHash: Head] = [:]

    func entry(_ bytes: [UInt8]) -> Entry? {
        let key = SyncHash(of: bytes)
        if let entry = entries[key] { return entry }
        let entry = try? Entry(bytes)
        entries[key] = entry
        return entry
    }

    func head(_ bytes: [UInt8]) -> Head? {
        let key = SyncHash(of: bytes)
        if let head = heads[key] { return head }
        let head = try? Head(bytes)
        heads[key] = head
        return head
    }
}
