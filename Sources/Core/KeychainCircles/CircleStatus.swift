package import KeychainSync

/// How a keychain stands with its circle.
package struct CircleStatus: Equatable, Sendable {
    /// A device, or a recovery key, that belongs to the circle.
    package struct Member: Equatable, Sendable {
        package let id: DeviceID
        /// What it calls itself; nil where it has not said so, or a device has not heard of it.
        package let name: String?
        package let isRecoveryKey: Bool
        package let isThisDevice: Bool
        /// What its clock said in the newest head of it that was read, in milliseconds since 1970; nil before one was.
        package let heard: UInt64?
        /// By how much its clock was ahead of this device's, in milliseconds, where that is more than five minutes.
        package let ahead: UInt64?
        /// Whether it has read all that this device has written; nil for a recovery key, which reads nothing.
        package let hasReadAll: Bool?

        package init(
            id: DeviceID,
            name: String?,
            isRecoveryKey: Bool,
            isThisDevice: Bool,
            heard: UInt64?,
            ahead: UInt64?,
            hasReadAll: Bool?
        ) {
            self.id = id
            self.name = name
            self.isRecoveryKey = isRecoveryKey
            self.isThisDevice = isThisDevice
            self.heard = heard
            self.ahead = ahead
            self.hasReadAll = hasReadAll
        }
    }

    package let circle: CircleID
    /// Whether this device belongs to the circle still.
    package let isMember: Bool
    /// Whether it reads the circle for the first time, or anew.
    package let isReading: Bool
    package let members: [Member]
    /// Items of the circle, without those that were deleted.
    package let items: Int
    /// Changes of programs that no round has taken yet.
    package let unsent: Int
    /// Earlier versions that lost against another device's change, and are kept.
    package let lost: Int
    /// Whether something waits until the device is unlocked.
    package let isWaitingForUnlock: Bool
    /// Why the last round did not reach the transport, as who carried it says; nil where it did.
    package let failure: String?
    package let settings: CircleSettings

    package init(
        circle: CircleID,
        isMember: Bool,
        isReading: Bool,
        members: [Member],
        items: Int,
        unsent: Int,
        lost: Int,
        isWaitingForUnlock: Bool,
        failure: String? = nil,
        settings: CircleSettings
    ) {
        self.circle = circle
        self.isMember = isMember
        self.isReading = isReading
        self.members = members
        self.items = items
        self.unsent = unsent
        self.lost = lost
        self.isWaitingForUnlock = isWaitingForUnlock
        self.failure = failure
        self.settings = settings
    }
}

/// What a keychain notes of its synchronization, beside what it knows of the circle.
package struct CircleSettings: Equatable, Sendable {
    /// Where the transport is (`TransportPlace`); empty before there is one.
    package var transport = ""
    /// When the last round ended that reached the transport, in milliseconds since 1970; 0 before the first.
    package var lastRound: UInt64 = 0
    /// Since when something is awaited that others have named, in milliseconds since 1970; 0 where nothing is.
    package var waitingSince: UInt64 = 0
    /// Whether the last round found something that could not be opened then.
    package var isWaitingForUnlock = false

    package init() {}
}
