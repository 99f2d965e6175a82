import CKeychainLinux
import Glibc

/// The signals that would end the process while a terminal is silent.
///
/// At Ctrl-C a terminal tells the pinentry and this process. Ended at once, it would leave the terminal to a shell before
/// the pinentry has put it in order. In a process with more threads, another one may be told instead.
struct HeldSignals: ~Copyable {
    /// Becomes readable when one has come; -1 where none are held.
    let descriptor: Int32
    private var before = sigset_t()

    init() {
        descriptor = unsafe clinux_hold_signals(&before)
    }

    /// Lets those come that were held.
    consuming func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
