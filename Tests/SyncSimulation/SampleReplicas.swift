import KeychainModel
package import KeychainSync

/// Replicas with all that a replica can have, to be written in pieces.
package struct SampleReplicas {
    /// By what they are.
    package private(set) var all: [(name: String, replica: Replica)] = []

    private static let clock: UInt64 = 1_800_000_000_000
    private let numbers = Numbers(seed: 7)
    private var blobs: [String: [UInt8]] = [:]

    package init() throws {
        let keys = try SimulatedKeys(numbers)
        let nameKey = SecretBytes(numbers.bytes("name key"))
        let (replica, entries) = try Replica.founding(keys.card, salt: numbers.name(), nameKey: nameKey, keys: keys)
        var alice = Disk(replica: replica, keys: keys)
        alice.post(entries)
        try synchronize(&alice)
        try write(1..<80, &alice)
        var bob = try newcomer(&alice)
        all.append(("a device that reads the circle for the first time", bob.replica))
        for _ in 0..<3 {
            try synchronize(&bob)
            try synchronize(&alice)
        }
        try write(100..<110, &bob)
        let image = bob.copy()
        try write(110..<120, &bob)
        try bob.compact()
        for _ in 0..<2 {
            try synchronize(&bob)
            try synchronize(&alice)
        }
        _ = try alice.change(LocalChange(name: Self.name(3), tier: .unlocked, item: nil, modified: Self.clock + 5))
        try synchronize(&alice)
        all.append(("a member with a tombstone and another one's journal", alice.replica))
        // Bob's disk comes back, and finds out.
        var old = image
        _ = try old.read(view, clock: Self.clock + 9)
        all.append(("a device that has found out that it was set back", old.replica))
        try old.keepUp(clock: Self.clock + 9)
        all.append(("a device that begins anew", old.replica))
        guard old.replica.phase != .member else { throw SimulationFault(description: "the sample was not set back") }
    }

    private var view: View { View(blobs, Decoder()) }

    private static func name(_ number: Int) -> ItemName { SyncHash(of: Array("item \(number)".utf8)) }

    private mutating func write(_ numbers: Range<Int>, _ disk: inout Disk) throws {
        for number in numbers {
            let item = SecretBytes(Array("value \(number)".utf8))
            let tier: SyncTier = number.isMultiple(of: 2) ? .unlocked : .afterFirstUnlock
            _ = try disk.change(LocalChange(name: Self.name(number), tier: tier, item: item, modified: Self.clock))
        }
        try synchronize(&disk)
    }

    private mutating func synchronize(_ disk: inout Disk) throws {
        try disk.take(view)
        _ = try disk.read(view, clock: Self.clock)
        try disk.keepUp(clock: Self.clock)
        try disk.adopt(numbers)
        disk.collect()
        try disk.sign(clock: Self.clock)
        blobs.merge(disk.outbox) { _, new in new }
    }

    private mutating func newcomer(_ approver: inout Disk) throws -> Disk {
        let keys = try SimulatedKeys(numbers)
        let circle = approver.replica.circle
        let consent = try keys.sign(Addition.consent(of: keys.card, to: circle.id))
        approver.post(try approver.replica.add(keys.card, consent: consent, keys: approver.keys))
        try synchronize(&approver)
        let replica = Replica(
            of: keys.card.id,
            in: try Circle(founding: circle.entries[0]),
            required: approver.replica.knownHeads
        )
        var disk = Disk(replica: replica, keys: keys)
        try disk.take(view)
        return disk
    }
}
