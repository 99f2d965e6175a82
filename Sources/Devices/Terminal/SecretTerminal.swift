import CKeychainLinux
import Glibc
import Synchronization

/// The terminal of the process, as a place to type secrets.
package struct SecretTerminal: ~Copyable {
    private let descriptor: Int32

    /// - Throws: where the process has no terminal.
    package init() throws(Failure) {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw Failure("there is no terminal to ask for the password on") }
        descriptor = terminal
    }

    deinit {
        close(descriptor)
    }

    /// Shows a question and reads the answer without showing it.
    ///
    /// A signal that ends or stops the process does so after the terminal is as it was before; when a stopped process
    /// goes on, it asks again.
    package func ask(_ question: String) throws(Failure) -> [UInt8] {
        while true {
            switch try askOnce(question) {
            case .answer(let bytes): return bytes
            case .signal(let signal):
                raise(signal)
                // The signal is ignored, or the process goes on after a stop.
                guard signal == SIGTSTP else { throw Failure("interrupted", exitStatus: 128 + signal) }
            }
        }
    }

    private enum Outcome {
        case answer([UInt8])
        case signal(Int32)
    }

    private func askOnce(_ question: String) throws(Failure) -> Outcome {
        var original = termios()
        guard unsafe tcgetattr(descriptor, &original) == 0 else {
            throw Failure("there is no terminal to ask for the password on")
        }
        let signals = CaughtSignals()
        var silent = original
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        // Discards what was typed before the question: it was shown.
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
            signals.release()
            throw Failure("the terminal cannot be kept from showing what is typed")
        }
        write(question)
        let result = Result { () throws(Failure) in try readLine(interruptedBy: signals) }
        while unsafe tcsetattr(descriptor, TCSAFLUSH, &original) != 0, errno == EINTR {}
        write("\n")
        signals.release()
        return try result.get()
    }

    /// The longest line that a terminal gives whole (termios(3)).
    private static let longestLine = 4094

    private func readLine(interruptedBy signals: borrowing CaughtSignals) throws(Failure) -> Outcome {
        var line: [UInt8] = []
        while true {
            if let signal = signals.wait(forInputOn: descriptor) { return .signal(signal) }
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Failure("the terminal cannot be read") }
            if count == 0 || byte == UInt8(ascii: "\n") {
                guard count > 0 || !line.isEmpty else { throw Failure("no password was typed") }
                guard line.count < Self.longestLine else {
                    throw Failure("too long to be typed; give the password on standard input")
                }
                return .answer(line)
            }
            line.append(byte)
        }
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// The signals that end or stop a process, held up while the terminal is silent.
///
/// They are blocked but for the moments of waiting, so that none can come between looking and waiting.
private struct CaughtSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGTSTP]
    private static let received = Atomic<Int32>(0)

    private var previousMask = sigset_t()
    private var previousActions: [(signal: Int32, action: sigaction)] = []

    init() {
        // The first use makes the variable, which a handler could not.
        Self.received.store(0, ordering: .relaxed)
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for signal in Self.numbers { unsafe sigaddset(&mask, signal) }
        unsafe sigprocmask(SIG_BLOCK, &mask, &previousMask)
        for signal in Self.numbers {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { CaughtSignals.received.store($0, ordering: .relaxed) }
            var previous = sigaction()
            unsafe sigaction(signal, &action, &previous)
            previousActions.append((signal, previous))
        }
    }

    /// Waits until there is something to read.
    ///
    /// - Returns: the signal that came instead.
    borrowing func wait(forInputOn descriptor: Int32) -> Int32? {
        var mask = previousMask
        while true {
            let count = unsafe clinux_wait_for_input(descriptor, &mask)
            let signal = Self.received.load(ordering: .relaxed)
            if signal != 0 { return signal }
            if count != -1 || errno != EINTR { return nil }
        }
    }

    /// Puts everything back as it was.
    consuming func release() {
        for (signal, action) in previousActions {
            var previous = action
            unsafe sigaction(signal, &previous, nil)
        }
        var mask = previousMask
        unsafe sigprocmask(SIG_SETMASK, &mask, nil)
    }
}
