/// What a round of synchronization did.
package struct SyncReport: Equatable, Sendable {
    /// Changes of this device that others can read now.
    package var sent = 0
    /// Items that came, and items that went.
    package var received = 0
    package var removed = 0
    /// Versions that lost against another one, and are kept as earlier ones.
    package var lost = 0
    /// Items that came and are not taken.
    package var refused = 0
    /// Items that the store had lost, and has again.
    package var repaired = 0
    /// Items that the store has lost and nobody else has now.
    package var damaged = 0
    /// Items that are too large to travel.
    package var tooLarge = 0
    /// Devices and recovery keys that belong to the circle since then, and that do no more.
    package var devicesAdded = 0
    package var devicesRemoved = 0
    /// Whether something waits until the device is unlocked.
    package var isWaitingForUnlock = false
    /// Whether something that others have written is not there yet.
    package var isWaitingForOthers = false
    /// Whether this device still reads the circle for the first time, or anew.
    package var isReading = false
    package var isMember = false

    package init() {}

    /// Whether anything came or went.
    package var isEmpty: Bool { sent + received + removed + repaired + devicesAdded + devicesRemoved == 0 }
}
