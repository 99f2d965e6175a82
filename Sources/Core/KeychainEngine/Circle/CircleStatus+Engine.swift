package import KeychainCircles
package import KeychainModel
import KeychainStore
import KeychainSync
import Synchronization

extension KeychainCircle {
    private static let worstClock: UInt64 = 300_000

    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `interactionNotAllowed` before the first unlock.
    package func status() throws(KeychainError) -> CircleStatus {
        let found = try engine.read { () throws(KeychainError) in
            try engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
                try load(transaction).map { (replica) throws(KeychainError) in
                    (replica, try settings(transaction), try transaction.unsharedCount(), try transaction.lostCount())
                }
            }
        }
        guard let (replica, noted, unsent, lost) = found else { throw CircleFailure.noCircle }
        var newest = noted
        let last = memory.lastRound.withLock { $0 }
        newest.lastRound = max(noted.lastRound, last.ended)
        let names = try names()
        return CircleStatus(
            circle: replica.circle.id,
            isMember: replica.isMember,
            isReading: replica.phase != .member,
            members: replica.circle.state.members.values.sorted { $0.id < $1.id }.map {
                member($0, of: replica, names)
            },
            items: max(0, replica.items.values.count { !$0.version.isTombstone } - names.count),
            unsent: unsent,
            lost: lost,
            isWaitingForUnlock: replica.hasLockedSecrets || noted.isWaitingForUnlock,
            failure: last.failure,
            settings: newest
        )
    }

    private func member(
        _ card: DeviceCard,
        of replica: Replica,
        _ names: [DeviceID: String]
    ) -> CircleStatus.Member {
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
            name: names[card.id],
            isRecoveryKey: card.kind == .recovery,
            isThisDevice: isThis,
            heard: newest?.clock,
            ahead: isThis ? nil : ahead,
            hasReadAll: hasReadAll
        )
    }
}
