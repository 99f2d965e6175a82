public import Foundation
import Glibc

extension Process {
    /// Starts the program as a shell would, with no signal blocked.
    ///
    /// The threads of tests block signals, and what `run()` starts inherits that: a shell would wait for ever for children
    /// that have ended, and nothing would end when it is told to.
    public func runHearingSignals() throws {
        var before = sigset_t()
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }

    /// Waits for the program's end, and returns its status.
    ///
    /// `waitUntilExit` runs the thread's run loop, and was seen not to return on a thread that is not the main one.
    @discardableResult
    public func waitForExit() -> Int32 {
        while isRunning { usleep(2_000) }
        return terminationStatus
    }
}
