import CKeychainLinux
import Glibc

/// Wakes a thread that waits in poll(2), or here. Any thread can signal, any number of times.
package final class WakeUp: OpenDescriptor {
    /// Readable from a signal on until `clear`.
    package let number: Int32

    package init() throws(SystemError) {
        number = clinux_event()
        guard number >= 0 else { throw SystemError("no descriptor can be made to wake a thread by") }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(number)
    }

    package func signal() {
        var one: UInt64 = 1
        _ = unsafe Glibc.write(number, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits for a signal, and takes it back.
    ///
    /// - Parameter patience: nil for as long as it takes.
    /// - Returns: false where no signal came in time.
    package func wait(within patience: Duration? = nil) -> Bool {
        let deadline = patience.map { ContinuousClock.now + $0 }
        guard let isSignalled = try? wait(for: POLLIN, until: deadline), isSignalled else { return false }
        clear()
        return true
    }

    /// Takes back what was signalled.
    package func clear() {
        var count: UInt64 = 0
        _ = unsafe Glibc.read(number, &count, MemoryLayout<UInt64>.size)
    }
}
