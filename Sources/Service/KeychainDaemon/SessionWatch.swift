import KeychainModel
import Logging
import LoginSessions

/// Locks keychains as users lock their screens, end their sessions, or have the machine sleep.
final class SessionWatch: Sendable {
    /// How the keychains of a service are locked.
    struct Locks: Sendable {
        /// The one user that is served; nil for all.
        var onlyUser: UInt32?
        var lock: @Sendable (UInt32) throws(KeychainError) -> Void
        var logOut: @Sendable (UInt32) throws(KeychainError) -> Void
        /// All whose settings say so.
        var lockForSleep: @Sendable () throws(KeychainError) -> Void
    }

    private let sessions: LoginSessions

    /// Begins to watch.
    ///
    /// - Returns: nil where sessions cannot be heard of, of which the log has a line.
    static func start(_ locks: Locks, log: Logger) -> SessionWatch? {
        do throws(KeychainError) {
            let sessions = try LoginSessions(log: log) { handle($0, locks, log) }
            try sessions.start()
            return SessionWatch(sessions)
        } catch {
            log.info("\(error.message)")
            return nil
        }
    }

    private init(_ sessions: LoginSessions) {
        self.sessions = sessions
    }

    func stop() {
        sessions.stop()
    }

    private static func handle(_ event: LoginSessions.Event, _ locks: Locks, _ log: Logger) {
        let concerned: (UInt32) -> Bool = { locks.onlyUser == nil || locks.onlyUser == $0 }
        do throws(KeychainError) {
            switch event {
            case .screenLocked(let uid) where concerned(uid), .lastSessionEnded(let uid) where concerned(uid):
                log.debug("locking, as the session is", metadata: ["uid": "\(uid)"])
                try locks.lock(uid)
            case .userGone(let uid) where concerned(uid): try locks.logOut(uid)
            case .sleep: try locks.lockForSleep()
            case .screenUnlocked(let uid) where concerned(uid):
                // The passcode is not heard of here; PAM brings it, or the person does.
                log.debug("the screen is unlocked, which unlocks no keychain", metadata: ["uid": "\(uid)"])
            case .screenLocked, .screenUnlocked, .lastSessionEnded, .userGone, .wake: break
            }
        } catch  where error.code == .itemNotFound {
            // A user without a keychain.
        } catch {
            log.warning("a keychain could not be locked with its session: \(error.message)")
        }
    }
}
