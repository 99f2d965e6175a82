public import Foundation
import Glibc
import Synchronization

/// Held while a program is started. Foundation learns of a program's end when the last descriptor of a socket closes, of
/// which a program that another thread starts in that moment inherits a copy: for as long as that one runs, a service
/// perhaps, the end of the first would not be noticed.
private let starting = Mutex(())

/// What a test writes to a program that has ended is an error of that write, and not the end of all tests. A handler does
/// that for this process alone: a program that is started does not inherit it, as it would inherit that a signal is ignored.
private let brokenPipesAreErrors: Void = { _ = signal(SIGPIPE) { _ in } }()

extension Process {
    /// Starts the program as a shell would, with no signal blocked.
    ///
    /// The threads of tests block signals, and what `run()` starts inherits that: a shell would wait for ever for children
    /// that have ended, and nothing would end when it is told to.
    public func runHearingSignals() throws {
        brokenPipesAreErrors
        try starting.withLock { _ in
            var before = sigset_t()
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            // `run()` lists the open descriptors and reads up to 256 bytes behind the names that it is given (Foundation of
            // Swift 6.3): where the list is at the end of the thread's heap, that ends the tests. So the heap has room.
            unsafe free(malloc(96 << 10))
            try run()
        }
    }

    /// Waits for the program's end, and returns its status.
    ///
    /// `waitUntilExit` runs the thread's run loop, and was seen not to return on a thread that is not the main one.
    ///
    /// - Parameter patience: seconds after which the tests end. The slowest programs that they start are compilers.
    @discardableResult
    public func waitForExit(patience: TimeInterval = 1_800) -> Int32 {
        let deadline = Date() + patience
        var unnoticed = 0
        while isRunning {
            usleep(2_000)
            unnoticed = hasEnded ? unnoticed + 1 : 0
            // Better than a run of tests that never ends.
            precondition(unnoticed < 15_000, "\(processIdentifier) has ended, and Foundation does not notice")
            precondition(Date() < deadline, "waited \(patience) seconds in vain until \(processIdentifier) has ended")
        }
        return terminationStatus
    }

    /// Whether the program has ended, noticed or not.
    private var hasEnded: Bool {
        var end = siginfo_t()
        return waitid(P_PID, id_t(processIdentifier), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo == SIGCHLD
    }
}
