import Crypto
import KeychainModel
import KeychainSync
import Testing

/// A transport that keeps what it is given, and may be told to keep other things.
final class SyncSite {
    var entries: [EntryHash: Entry] = [:]
    var heads: [JournalID: Head] = [:]
    var segments: [JournalPoint: [UInt8]] = [:]
    static let clock: UInt64 = 1_800_000_000_000

    func post(_ more: [Entry]) { for entry in more { entries[entry.hash] = entry } }
    func post(_ more: [Segment]) { for segment in more { segments[segment.point] = segment.encoded } }
    func post(_ head: Head?) { if let head { heads[head.contents.journal] = head } }
}

/// A device with its replica and its items.
final class SyncMember {
    let keys: SyncDevice
    var replica: Replica
    var items: [ItemName: SecretBytes] = [:]
    let site: SyncSite
    var clock = SyncSite.clock

    /// Founds a circle.
    init(founding site: SyncSite) throws {
        keys = try SyncDevice()
        self.site = site
        let nameKey = SecretBytes(Array(SyncHash(of: [1, 2, 3]).bytes))
        let entries: [Entry]
        (replica, entries) = try Replica.founding(keys.card, salt: Self.name(), nameKey: nameKey, keys: keys)
        site.post(entries)
    }

    /// Joins one that `approver` is a member of.
    init(joining approver: SyncMember) throws {
        keys = try SyncDevice()
        site = approver.site
        let circle = approver.replica.circle
        let founding = try #require(circle.entries.first)
        replica = Replica(of: keys.id, in: try Circle(founding: founding), required: approver.replica.knownHeads)
        let consent = try keys.sign(Addition.consent(of: keys.card, to: circle.id))
        site.post(try approver.replica.add(keys.card, consent: consent, keys: approver.keys))
    }

    /// Was added to a circle, by somebody who says nothing of what it has read.
    init(of keys: SyncDevice, in circle: Circle, on site: SyncSite) throws {
        self.keys = keys
        self.site = site
        replica = Replica(of: keys.id, in: try Circle(founding: #require(circle.entries.first)), required: [])
    }

    /// A machine with a copy of another one's disk.
    init(copying other: SyncMember) throws {
        keys = other.keys
        site = other.site
        replica = other.replica
        items = other.items
    }

    static func name() -> SyncName {
        var random = SystemRandomNumberGenerator()
        return SyncName(using: &random)
    }

    static func item(_ number: UInt8) -> ItemName { SyncHash(of: [number]) }

    func takeEntries() throws { _ = try replica.insert(Array(site.entries.values), keys: keys) }

    func plan() throws -> MergePlan {
        try replica.plan(clock: clock, heads: Array(site.heads.values), keys: keys) { site.segments[$0] }
    }

    @discardableResult
    func read() throws -> MergeOutcome {
        let outcome = replica.execute(try plan(), clock: clock)
        for (name, change) in outcome.changed { items[name] = change.record.item }
        for name in outcome.gone { items[name] = nil }
        return outcome
    }

    /// All that a device does when it hears of something.
    func synchronize() throws {
        try takeEntries()
        try synchronizeJournals()
    }

    /// The same, while the transport withholds entries.
    func synchronizeJournals() throws {
        try read()
        site.post(try replica.keepUp(clock: clock, keys: keys))
        site.post(try replica.adopt(salt: Self.name(), keys: keys) { items[$0] }.segments)
        _ = replica.collect()
        try publish()
    }

    func publish() throws { site.post(try replica.sign(clock: clock, keys: keys)) }

    func write(_ number: UInt8, _ value: UInt8?, tier: SyncTier = .afterFirstUnlock, at time: UInt64? = nil) throws {
        let name = Self.item(number)
        let item = value.map { SecretBytes([$0]) }
        let change = LocalChange(name: name, tier: tier, item: item, modified: time ?? clock)
        site.post(try replica.write([change], keys: keys).segments)
        items[name] = item
    }

    @discardableResult
    func compact() throws -> Set<ItemName> {
        let rewriting = try replica.compact(keys: keys) { items[$0] }
        site.post(rewriting.segments)
        return rewriting.damaged
    }

    func publishBase() throws {
        try compact()
        try publish()
    }

    func value(_ number: UInt8) -> UInt8? {
        items[Self.item(number)]?.withUnsafeBytes { $0.first }
    }

    func tombstones() -> Int { replica.items.values.filter(\.version.isTombstone).count }
}

/// Two members and more, with some rules.
final class SyncGroup {
    let site = SyncSite()
    let alice: SyncMember
    let bob: SyncMember
    private let rules: SyncRules

    init(_ rules: SyncRules = .all) throws {
        self.rules = rules
        alice = try SyncMember(founding: site)
        alice.replica = alice.replica.unchecked(rules: rules)
        try alice.synchronize()
        bob = try SyncMember(joining: alice)
        bob.replica = bob.replica.unchecked(rules: rules)
        try settle()
    }

    func settle(_ more: [SyncMember] = []) throws {
        for _ in 0..<4 { for member in [alice, bob] + more { try member.synchronize() } }
    }

    /// Somebody whom a member adds, before it has read anything.
    func newcomer(of approver: SyncMember) throws -> SyncMember {
        let member = try SyncMember(joining: approver)
        member.replica = member.replica.unchecked(rules: rules)
        return member
    }

    /// Somebody whom Alice adds, when all have read of it.
    func join() throws -> SyncMember {
        let member = try newcomer(of: alice)
        try settle([member])
        return member
    }

    /// Takes segments of a journal from the transport.
    func withhold(_ journal: JournalID, from number: UInt64) -> [JournalPoint: [UInt8]] {
        let some = site.segments.filter { $0.key.journal == journal && $0.key.number >= number }
        for point in some.keys { site.segments[point] = nil }
        return some
    }
}
