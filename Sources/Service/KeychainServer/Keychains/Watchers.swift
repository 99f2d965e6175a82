import EnclaveInterface
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainSystem
import Synchronization

/// Those who want to hear what happens to a keychain.
final class Watchers: Sendable {
    private let all = Mutex<[Watcher]>([])

    /// A thread each.
    static let most = 16

    /// - Throws: `notAvailable` where there are too many.
    func add(for caller: Caller, ofCircle isForCircle: Bool = false) throws(KeychainError) -> Watcher {
        let watcher = try Watcher(groups: caller.groups, isForCircle: isForCircle)
        let hasRoom = all.withLock { all in
            guard all.count < Self.most else { return false }
            all.append(watcher)
            return true
        }
        guard hasRoom else { throw KeychainError(.notAvailable, "too many programs watch this keychain") }
        return watcher
    }

    func remove(_ watcher: Watcher) {
        all.withLock { $0.removeAll { $0 === watcher } }
    }

    func tell(_ event: KeychainEvent) {
        for watcher in all.withLock(\.self) { watcher.tell(event) }
    }

    /// Tells of what an operation has changed.
    func tell(of operation: KeychainOperation, _ result: OperationOutcome) {
        guard let change = operation.traits.change, case .success(let result) = result, !result.rows.isEmpty else {
            return
        }
        for row in result.rows { tell(of: row, change) }
        if result.rows.contains(where: \.isSynchronizable) { tell(.circleChange) }
    }

    func tell(of row: AffectedRow, _ change: ItemChangeKind) {
        let watchers = all.withLock(\.self)
        guard !watchers.isEmpty else { return }
        let reference = PersistentReference(itemClass: row.itemClass, uuid: row.uuid)
        for watcher in watchers { watcher.tell(.item(change, reference, accessGroup: row.accessGroup)) }
    }
}

/// One of them, with what it has not been told yet.
final class Watcher: Sendable {
    private let groups: AccessGroups
    private let isForCircle: Bool
    private let wake: WakeUp
    private let waiting = Mutex<[KeychainEvent]>([])

    static let mostWaiting = 256

    fileprivate init(groups: AccessGroups, isForCircle: Bool) throws(KeychainError) {
        self.groups = groups
        self.isForCircle = isForCircle
        wake = try KeychainError.translating { try WakeUp() }
    }

    /// No watcher is told of other groups' items.
    fileprivate func tell(_ event: KeychainEvent) {
        switch event {
        // Which item it is, and what has happened to it, is not for one that carries blobs.
        case .item where isForCircle: return
        case .item(_, _, let group) where !groups.contains(group): return
        case .circleChange where !isForCircle: return
        default: break
        }
        waiting.withLock { waiting in
            if event == .circleChange, waiting.last == event { return }
            if waiting.count >= Self.mostWaiting { waiting = [.missed] }
            waiting.append(event)
        }
        wake.signal()
    }

    func take() -> [KeychainEvent] {
        wake.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    /// - Returns: false where something has come over the socket, or its end.
    func waitForEvents(or socket: Int32) throws(KeychainError) -> Bool {
        let ready = try KeychainError.translating { try Waiting.wait(for: (wake.number, POLLIN), (socket, POLLIN)) }
        return !ready[1]
    }
}

extension KeychainEvent.LockState {
    init(_ state: EnclaveState) {
        self =
            switch state.lock {
            case _ where !state.hasPasscode: .noPasscode
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .locked: .locked
            case .unlocked: .unlocked
            }
    }
}
