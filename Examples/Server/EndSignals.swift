import Foundation
import Glibc

/// The signals by which a server is asked to end. The first process of a container has to wait for them: the kernel keeps
/// from it what it does not ask for.
struct EndSignals {
    private let signals: sigset_t

    /// Made before there is a second thread, so that all threads leave the signals to the one that waits.
    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        self.signals = signals
    }

    func onArrival(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [signals] in
            var (signals, signal): (sigset_t, Int32) = (signals, 0)
            sigwait(&signals, &signal)
            body()
        }
    }
}
