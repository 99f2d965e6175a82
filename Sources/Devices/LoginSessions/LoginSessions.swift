import Glibc
package import KeychainModel
import KeychainSystem
package import Logging
import MessageBus
import Synchronization

/// Hears from logind (org.freedesktop.login1(5)) what becomes of users' sessions.
///
/// It listens on a thread of its own, connects anew when the bus or logind is started again, and believes only the
/// owner of logind's name.
package final class LoginSessions: Sendable {
    package enum Event: Sendable, Equatable {
        /// A screen of the user's is locked, or is to be.
        case screenLocked(uid: UInt32)
        case screenUnlocked(uid: UInt32)
        /// The machine sleeps as soon as the receiver of this returns, or some seconds later.
        case sleep
        case wake
        /// No session of the user's is left; the user's own services may go on.
        case lastSessionEnded(uid: UInt32)
        /// Nothing of the user's runs any more.
        case userGone(uid: UInt32)
    }

    private let handle: @Sendable (Event) -> Void
    private let log: Logger
    private let stopping: WakeUp
    private let isDone = Mutex(false)

    /// - Parameter handle: is called on the listening thread; the machine's sleep waits for it.
    /// - Throws: `unimplemented` where there is no libsystemd.
    package init(log: Logger, handle: @escaping @Sendable (Event) -> Void) throws(KeychainError) {
        guard MessageBus.isAvailable else {
            throw KeychainError(.unimplemented, "libsystemd is not there: sessions and sleep are not heard of")
        }
        self.handle = handle
        self.log = log
        stopping = try KeychainError.translating { try WakeUp() }
    }

    /// Begins to listen. The thread keeps this object until it is stopped.
    package func start() throws(KeychainError) {
        try KeychainError.translating { try DetachedThread.start { [self] in run() } }
    }

    package func stop() {
        stopping.signal()
    }

    private func run() {
        var patience = Patience()
        while true {
            let outcome = listenOnce()
            switch outcome {
            case .stopped: return
            case .lost(let reason, let lasted):
                if lasted { patience = Patience() }
                let level: Logger.Level = patience.isFirst ? .info : .debug
                log.log(level: level, "logind cannot be heard: \(reason)")
            }
            if stopping.wait(within: .milliseconds(patience.next())) { return }
        }
    }

    private enum Outcome {
        case stopped
        /// Why, and whether it had begun well.
        case lost(String, lasted: Bool)
    }

    private func listenOnce() -> Outcome {
        let bus: MessageBus
        do { bus = try MessageBus(.system) } catch { return .lost(error.text, lasted: false) }
        var hearing = SessionHearing(bus: bus)
        do {
            let missed = try hearing.begin()
            log.debug("logind is heard")
            for event in missed { handle(event) }
            while true {
                switch try bus.next(wake: stopping.number) {
                case .wake, .late: return .stopped
                case .signal(let path, let interface, let member, let sender, let arguments):
                    for event in try hearing.events(of: member, interface, at: path, from: sender, arguments) {
                        handle(event)
                        try hearing.finish(event)
                    }
                case .call, .refused, .answer: break
                }
            }
        } catch let failure as BusFailure {
            return .lost(failure.text, lasted: hearing.hasBegun)
        } catch {
            return .lost((error as? BusError)?.text ?? "\(error)", lasted: hearing.hasBegun)
        }
    }
}

/// How long to wait before the next attempt: longer each time.
private struct Patience {
    private var milliseconds: Int32 = 250

    var isFirst: Bool { milliseconds == 250 }

    mutating func next() -> Int32 {
        defer { milliseconds = min(milliseconds * 2, 30_000) }
        return milliseconds
    }
}
