package import KeychainModel
import KeychainStore
package import KeychainSync

/// How a keychain stands with its circle.
package struct CircleStatus: Equatable, Sendable {
    /// A device, or a recovery key, that belongs to the circle.
    package struct Member: Equatable, Sendable {
        package let id: DeviceID
        package let isRecoveryKey: Bool
        package let isThisDevice: Bool
        /// What its clock said in the newest head of it that was read, in milliseconds since 1970; nil before one was.
        package let heard: UInt64?
        /// By how much its clock was ahead of this device's, in milliseconds, where that is more than five minutes.
        package let ahead: UInt64?
        /// Whether it has read all that this device has written; nil for a recovery key, which reads nothing.
        package let hasReadAll: Bool?
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
    /// Whether something waits until the device is unlocked.
    package let isWaitingForUnlock: Bool
    package let settings: CircleSettings
}

extension KeychainCircle {
    private static let worstClock: UInt64 = 300_000

    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `interactionNotAllowed` before the first unlock.
    package func status() throws(KeychainError) -> CircleStatus {
        let found = try engine.read { () throws(KeychainError) in
            try engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
                try load(transaction).map { (replica) throws(KeychainError) in
                    (replica, try settings(transaction), try transaction.unsharedCount())
                }
            }
        }
        guard let (replica, settings, unsent) = found else { throw Self.noCircle }
        return CircleStatus(
            circle: replica.circle.id,
            isMember: replica.isMember,
            isReading: replica.phase != .member,
            members: replica.circle.state.members.values.sorted { $0.id < $1.id }.map { member($0, of: replica) },
            items: replica.items.values.count { !$0.version.isTombstone },
            unsent: unsent,
            isWaitingForUnlock: replica.hasLockedSecrets,
            settings: settings
        )
    }

    private func member(_ card: DeviceCard, of replica: Replica) -> CircleStatus.Member {
        let isThis = card.id == replica.device
        let heads = replica.journals.values.filter { $0.device == card.id }.compactMap(\.head?.contents)
        let newest = isThis ? replica.own?.head?.contents : heads.max { $0.clock < $1.clock }
        let now = Self.clock
        let ahead = newest.flatMap { $0.clock > now + Self.worstClock ? $0.clock - now : nil }
        var hasReadAll: Bool?
        if card.kind == .device {
            let tip = replica.own?.tip
            hasReadAll =
                isThis
                || heads.contains { head in
                    head.read.contains { $0.journal == tip?.journal && $0.number >= tip?.number ?? .max }
                }
        }
        return CircleStatus.Member(
            id: card.id,
            isRecoveryKey: card.kind == .recovery,
            isThisDevice: isThis,
            heard: newest?.clock,
            ahead: isThis ? nil : ahead,
            hasReadAll: hasReadAll
        )
    }
}
