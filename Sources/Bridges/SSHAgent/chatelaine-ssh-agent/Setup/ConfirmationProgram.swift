import Glibc
import KeychainClient
import KeychainModel
import KeychainSystem
import Synchronization
import Terminal

/// The program by which OpenSSH's agent asks for a confirmation (ssh-agent(1), `SSH_ASKPASS`): it shows a text, and ends
/// with 0 for a yes. Unlike a prompt of the keychain's it is any program that the environment names.
final class ConfirmationProgram: Sendable {
    private enum State {
        case waiting
        case asking(pid_t)
        case cancelled
    }

    private let path: String
    private let state = Mutex(State.waiting)

    private static let standardPath = "/usr/bin/ssh-askpass"

    /// - Returns: nil where there is none.
    init?() {
        let path = Environment["SSH_ASKPASS"] ?? Self.standardPath
        guard path.hasPrefix("/"), ChildProgram.isExecutable(path) else { return nil }
        self.path = path
    }

    /// - Throws: for a no, and where it was cancelled.
    func ask(_ reason: String) throws {
        let pid = try state.withLock { state in
            if case .cancelled = state { throw PresenceFailure.interrupted.error }
            let pid = try UserProgram.start(path, ["Confirm: " + reason], with: ["SSH_ASKPASS_PROMPT": "confirm"])
            state = .asking(pid)
            return pid
        }
        // Not to be killed once its number may be another's.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let status = try state.withLock { state in
            defer { state = .cancelled }
            return try UserProgram.wait(for: pid, path: path)
        }
        guard status == 0 else { throw PresenceFailure.declined.error }
    }

    /// Takes the question back.
    func cancel() {
        state.withLock { state in
            if case .asking(let pid) = state { _ = kill(pid, SIGKILL) }
            if case .waiting = state { state = .cancelled }
        }
    }
}
