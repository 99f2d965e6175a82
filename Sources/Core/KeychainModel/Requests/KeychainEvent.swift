/// What has happened to a watcher's keychain.
package enum KeychainEvent: Sendable, Equatable {
    package enum LockState: String, Sendable {
        /// The passcode was not given since the machine's start.
        case beforeFirstUnlock = "before first unlock"
        case locked
        case unlocked
        case noPasscode = "no passcode"
    }

    case lockState(LockState)
    /// Of an item in one of the watcher's access groups.
    case item(ItemChangeKind, PersistentReference, accessGroup: String)
    /// The watcher has not read in time: something happened that it was not told of.
    case missed
    /// A synchronizable item, or the keychain's circle, has changed here. Only to a watcher that carries what devices write.
    case circleChange
}
