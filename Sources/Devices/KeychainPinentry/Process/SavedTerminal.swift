import CKeychainLinux
import Glibc

/// A terminal's state from before a prompt was shown on it.
///
/// A pinentry that is killed leaves it silent, and one that is stopped leaves what was typed of a secret for whoever
/// reads next: a shell would show it and keep it in its history.
final class SavedTerminal {
    let descriptor: Int32
    private let attributes: termios

    /// Nil for what is no terminal, or none of the caller's.
    init?(_ path: String) {
        let terminal = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard terminal >= 0 else { return nil }
        var attributes = termios()
        guard unsafe tcgetattr(terminal, &attributes) == 0 else {
            close(terminal)
            return nil
        }
        descriptor = terminal
        self.attributes = attributes
    }

    deinit {
        close(descriptor)
    }

    /// Puts the attributes back, and forgets what was typed and not read.
    func restore() {
        // A process in the background would be stopped.
        var stop = sigset_t()
        var mask = sigset_t()
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTTOU)
        unsafe pthread_sigmask(SIG_BLOCK, &stop, &mask)
        // Before, so that a line that is not finished goes too; after, for what came between.
        tcflush(descriptor, TCIFLUSH)
        var attributes = attributes
        unsafe tcsetattr(descriptor, TCSANOW, &attributes)
        tcflush(descriptor, TCIFLUSH)
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
