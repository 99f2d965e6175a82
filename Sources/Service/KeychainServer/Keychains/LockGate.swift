import Dispatch
import Glibc
import KeychainModel
import Synchronization

/// Sees to it that nothing of a class that was locked goes out once the lock has returned.
///
/// Requests pass it from their beginning to the last byte of their answer. A lock waits a moment for those that are inside;
/// who is still there after that (a client that does not read its answer) loses its connection.
final class LockGate: Sendable {
    private struct State {
        var next = 0
        /// The requests that are inside.
        var inside: [Int: Request] = [:]
        var locks: [Lock] = []
    }

    private struct Request {
        let socket: Int32
        let thread: pthread_t
    }

    /// A lock that waits.
    private final class Lock: Sendable {
        let waitsFor: Mutex<Set<Int>>
        let done = DispatchSemaphore(value: 0)

        init(_ requests: Set<Int>) {
            waitsFor = Mutex(requests)
        }
    }

    private let state = Mutex(State())

    /// No request that reads its answer takes so long; an enclave waits twice as long for the service.
    static let patience: DispatchTimeInterval = .milliseconds(1_000)

    /// A request that is inside.
    struct Pass {
        fileprivate let number: Int
    }

    /// Lets a request in.
    ///
    /// - Parameter socket: where the answer goes. It must stay open until the request leaves.
    func enter(_ socket: Int32) -> Pass {
        state.withLock { state in
            state.next += 1
            state.inside[state.next] = Request(socket: socket, thread: pthread_self())
            return Pass(number: state.next)
        }
    }

    /// Lets a request out, whose answer was sent.
    func leave(_ pass: Pass) {
        state.withLock { state in
            state.inside[pass.number] = nil
            for lock in state.locks where lock.waitsFor.withLock({ $0.remove(pass.number) != nil && $0.isEmpty }) {
                lock.done.signal()
            }
        }
    }

    /// Returns when no request is inside any more that was there when this was called, or none that could still send.
    func shut() {
        let lock = state.withLock { state -> Lock? in
            // A request may be the first to see that it is time to lock: it does not wait for itself.
            let own = pthread_self()
            let others = state.inside.filter { $0.value.thread != own }
            guard !others.isEmpty else { return nil }
            let lock = Lock(Set(others.keys))
            state.locks.append(lock)
            return lock
        }
        guard let lock else { return }
        _ = lock.done.wait(timeout: .now() + Self.patience)
        state.withLock { state in
            state.locks.removeAll { $0 === lock }
            // Under the lock: none of these sockets is closed yet, and no other has its number.
            for number in lock.waitsFor.withLock({ $0 }) {
                if let request = state.inside[number] { shutdown(request.socket, Int32(SHUT_RDWR)) }
            }
        }
    }
}
