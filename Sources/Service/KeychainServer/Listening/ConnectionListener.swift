import CKeychainLinux
import Dispatch
import Glibc
import KeychainModel
import KeychainSystem
import Logging
import Synchronization

/// Takes connections from a listening socket, on a thread of its own, until it is told to stop. No failure to take one
/// stops it.
final class ConnectionListener: Sendable {
    private let socket: Int32
    private let log: Logger
    private let onConnection: @Sendable (Int32) -> Void
    /// Something to read in here ends the thread.
    private let wake: WakeUp
    private let hasEnded = DispatchSemaphore(value: 0)
    /// Closed to make room for a moment, so that a connection can be taken and refused when descriptors are short.
    private let reserve = Mutex<Int32>(-1)

    /// - Parameter onConnection: called on the listener's thread, which it must not hold up; it owns the descriptor.
    init(socket: Int32, log: Logger, onConnection: @escaping @Sendable (Int32) -> Void) throws(KeychainError) {
        self.socket = socket
        self.log = log
        self.onConnection = onConnection
        wake = try KeychainError.translating { try WakeUp() }
        // A connection that is gone before it is taken would make a blocking accept wait.
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        fillReserve()
    }

    deinit {
        reserve.withLock { if $0 >= 0 { close($0) } }
    }

    /// Ends `run`, once, and waits until it takes nothing any more.
    func stop() {
        wake.signal()
        hasEnded.wait()
    }

    func run() {
        defer { hasEnded.signal() }
        while true {
            let ready = try? Waiting.wait(for: (wake.number, POLLIN), (socket, POLLIN))
            if ready?[0] == true { return }
            takeAll()
        }
    }

    /// As many as wait, but not so many that a stop would have to wait for a flood to end.
    private func takeAll() {
        for _ in 0..<256 {
            let connection = clinux_accept(socket)
            if connection >= 0 {
                onConnection(connection)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE: return refuseOne()
            default:
                log.error("a connection could not be taken", metadata: ["errno": "\(errno)"])
                return pause()
            }
        }
    }

    /// Out of descriptors: the connection would stay in the queue, and its client would wait for nothing.
    private func refuseOne() {
        let hadReserve = reserve.withLock { reserve -> Bool in
            guard reserve >= 0 else { return false }
            close(reserve)
            reserve = -1
            return true
        }
        if hadReserve {
            let connection = clinux_accept(socket)
            if connection >= 0 { close(connection) }
        }
        fillReserve()
        log.warning("out of descriptors: a connection was refused")
        if !hadReserve { pause() }
    }

    private func fillReserve() {
        reserve.withLock { reserve in
            if reserve < 0 { reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        }
    }

    /// Lets others give back what is short; a stop ends it.
    private func pause() {
        _ = try? wake.wait(for: POLLIN, until: ContinuousClock.now + .milliseconds(20))
    }
}
