import KeychainModel
import KeychainSync

/// A device in a simulation.
final class Machine {
    let number: Int
    let card: DeviceCard
    var disk: Disk
    /// Earlier states of the disk, which may come back.
    var images: [Disk] = []
    /// Milliseconds that its clock is wrong by.
    var clockError: Int64
    /// It is there: not lost, not removed.
    var isAlive = true
    /// The newest version of each item that it has ever had, since its disk was last exchanged.
    var seen: [ItemName: Version] = [:]
    /// The journal that it writes, or wrote before it began anew.
    var journal: JournalID?
    /// Items that were deleted on it.
    var deleted: Set<ItemName> = []
    /// Whether its disk was exchanged, and it has not read the circle anew since, with all that its device has written.
    var isBehind = false
    /// Whether it has read the circle anew, and the transport hides one of its device's journals.
    var isCatchingUp = false

    init(_ number: Int, _ disk: Disk, clockError: Int64) {
        self.number = number
        card = disk.keys.card
        self.disk = disk
        self.clockError = clockError
    }

    func remember() {
        journal = disk.replica.own?.id ?? journal
        // What it had on an old disk may be gone by now.
        guard !isBehind else { return }
        for (name, item) in disk.replica.items {
            seen[name] = max(seen[name] ?? item.version, item.version)
        }
    }
}
