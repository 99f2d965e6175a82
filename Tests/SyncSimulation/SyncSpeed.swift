import KeychainModel
import KeychainSync

/// How long large circles take, beside what cannot be left out of it.
package final class SyncSpeed {
    package struct Measurement: Sendable {
        package let name: String
        /// In seconds.
        package let time: Double
        /// To open the same boxes, or to verify the same signatures.
        package let floor: Double
    }

    private static let clock: UInt64 = 1_800_000_000_000

    private let numbers = Numbers(seed: 1)
    private var blobs: [String: [UInt8]] = [:]
    private var founder: Disk

    private init() throws {
        let keys = try SimulatedKeys(numbers)
        let nameKey = SecretBytes(numbers.bytes("name key"))
        let (replica, entries) = try Replica.founding(keys.card, salt: numbers.name(), nameKey: nameKey, keys: keys)
        founder = Disk(replica: replica, keys: keys)
        founder.post(entries)
    }

    private var view: View { View(blobs, Decoder()) }

    private func publish(_ disk: inout Disk) throws {
        try disk.keepUp(clock: Self.clock)
        try disk.adopt(numbers)
        try disk.sign(clock: Self.clock)
        blobs.merge(disk.outbox) { _, new in new }
    }

    private func newcomer() throws -> Disk {
        let keys = try SimulatedKeys(numbers)
        let circle = founder.replica.circle
        let consent = try keys.sign(Addition.consent(of: keys.card, to: circle.id))
        founder.post(try founder.replica.add(keys.card, consent: consent, keys: founder.keys))
        try publish(&founder)
        guard let founding = circle.entries.first else { throw SimulationFault(description: "a circle has an entry") }
        let replica = Replica(
            of: keys.card.id,
            in: try Circle(founding: founding),
            required: founder.replica.knownHeads
        )
        var disk = Disk(replica: replica, keys: keys)
        try disk.take(view)
        return disk
    }

    /// A newcomer reads a circle with so many items of 300 bytes.
    package static func merging(items count: Int) throws -> Measurement {
        let site = try SyncSpeed()
        try site.publish(&site.founder)
        let changes = (0..<count).map { number in
            LocalChange(
                name: SyncHash(of: Array("\(number)".utf8)),
                tier: number.isMultiple(of: 2) ? .unlocked : .afterFirstUnlock,
                item: SecretBytes([UInt8](repeating: UInt8(number & 255), count: 300)),
                modified: clock
            )
        }
        let (segments, _) = try site.founder.replica.write(changes, keys: site.founder.keys)
        site.founder.post(segments)
        try site.publish(&site.founder)
        var disk = try site.newcomer()
        let view = site.view
        let time = try seconds {
            guard try disk.read(view, clock: clock).changed.count == count else {
                throw SimulationFault(description: "not all items were read")
            }
        }
        let floor = try seconds {
            for segment in segments {
                for box in segment.boxes {
                    let data = segment.header.associatedData(of: box.tier, in: box.epoch)
                    _ = try disk.keys.open(box.sealed, for: box.tier, in: box.epoch, authenticating: data)
                }
            }
        }
        return Measurement(name: "\(count) items merged", time: time, floor: floor)
    }

    /// A device checks a new head of each other one, in a circle of so many.
    package static func heads(devices count: Int) throws -> Measurement {
        let site = try SyncSpeed()
        try site.publish(&site.founder)
        var others: [Disk] = []
        for _ in 1..<count { others.append(try site.newcomer()) }
        // All have to read of all, so that each head has a mark of each journal.
        for _ in 0..<3 {
            for place in others.indices {
                try others[place].take(site.view)
                _ = try others[place].read(site.view, clock: clock)
                try site.publish(&others[place])
            }
            try site.founder.take(site.view)
            _ = try site.founder.read(site.view, clock: clock)
            try site.publish(&site.founder)
        }
        for place in others.indices {
            let name = SyncHash(of: [UInt8(place)])
            let change = LocalChange(name: name, tier: .unlocked, item: SecretBytes([1]), modified: clock)
            _ = try others[place].change(change)
            try site.publish(&others[place])
        }
        let view = site.view
        let time = try seconds {
            guard try site.founder.read(view, clock: clock).changed.count == others.count else {
                throw SimulationFault(description: "not all heads were read")
            }
        }
        let members = site.founder.replica.circle.state.members
        let floor = seconds {
            for head in view.heads { _ = members[head.contents.device].map { head.isSigned(by: $0) } }
        }
        let heads = Double(others.count)
        return Measurement(name: "a head in a circle of \(count) devices", time: time / heads, floor: floor / heads)
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }
}
