import EnclaveInterface
import Glibc
import KeychainModel
import KeychainSystem
import Synchronization

/// Tells the keychain service of a change, and waits until it has dropped what the change took away.
final class EventRelay: Sendable {
    /// An event on its way.
    fileprivate struct Pending {
        /// The service's connections that have not acknowledged it; nil until it was sent.
        var missing: Set<UInt64>?
        let done: WakeUp
    }

    /// The loop's own thread cannot wait for what it has to send itself.
    private let loop = Mutex<pthread_t?>(nil)

    fileprivate struct State {
        /// Made before: an enclave's process can make no descriptors of this kind later.
        var free: [WakeUp]
        var next: UInt32 = 1
        var pending: [UInt32: Pending] = [:]
    }

    private let state: Mutex<State>
    /// Has the loop send an event, or cut off who has not acknowledged one.
    private let post: @Sendable (EnclaveDelivery) -> Void

    /// A service that is taken over, or hangs, holds up no lock for longer.
    static let patience = Duration.seconds(2)

    /// - Parameter threads: how many may tell of something at the same time.
    init(
        threads: Int,
        post: @escaping @Sendable (EnclaveDelivery) -> Void
    ) throws(KeychainError) {
        self.post = post
        var free: [WakeUp] = []
        for _ in 0..<threads { free.append(try KeychainError.translating { try WakeUp() }) }
        state = Mutex(State(free: free))
    }

    func loopIsHere() {
        loop.withLock { $0 = pthread_self() }
    }

    /// On the loop's thread no caller waits for a lock to return: there, only the timeout locks.
    func tell(_ uid: UInt32, _ enclaveState: EnclaveState) {
        if loop.withLock({ $0 == pthread_self() }) {
            return post(.event(EnclaveEvent(id: 0, uid: uid, state: enclaveState)))
        }
        let (id, done) = state.withLock { state -> (UInt32, WakeUp?) in
            let id = state.next
            // 0 is what needs no acknowledgement.
            state.next = id == .max ? 1 : id + 1
            let done = state.free.popLast()
            if let done { state.pending[id] = Pending(done: done) }
            return (id, done)
        }
        post(.event(EnclaveEvent(id: id, uid: uid, state: enclaveState)))
        guard let done else { return }
        let isDone = done.wait(within: Self.patience)
        // Nil where it was not sent, so that no peer knows of it.
        let missing = state.withLock { $0.pending.removeValue(forKey: id)?.missing }
        // It is not signalled any more.
        done.clear()
        state.withLock { $0.free.append(done) }
        if !isDone { post(.overdue(missing)) }
    }

    // MARK: - The loop's part

    func sent(_ id: UInt32, to peers: Set<UInt64>) {
        state.withLock { state in
            state.pending[id]?.missing = peers
            if peers.isEmpty { state.pending[id]?.done.signal() }
        }
    }

    func acknowledged(_ id: UInt32, by peer: UInt64) {
        state.withLock { $0.remove(peer, from: id) }
    }

    func gone(_ peer: UInt64) {
        state.withLock { state in
            for id in Array(state.pending.keys) { state.remove(peer, from: id) }
        }
    }
}

extension EventRelay.State {
    fileprivate mutating func remove(_ peer: UInt64, from id: UInt32) {
        guard pending[id]?.missing?.remove(peer) != nil, pending[id]?.missing?.isEmpty == true else { return }
        pending[id]?.done.signal()
    }
}
