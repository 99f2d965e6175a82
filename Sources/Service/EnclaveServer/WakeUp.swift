import CKeychainLinux
import Glibc
import KeychainModel

/// Wakes a thread that waits in poll(2), or here.
final class WakeUp: Sendable {
    let descriptor: Int32

    init() throws(KeychainError) {
        descriptor = clinux_event()
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "no descriptor to wake the enclave by") }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
    }

    func signal() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Takes back what was signalled.
    func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// - Returns: false where no signal came in time.
    func wait(milliseconds: Int32 = -1) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while true {
            let left = milliseconds < 0 ? -1 : max(0, (deadline - .now) / .milliseconds(1))
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&waiting, 1, Int32(left))
            if ready > 0 {
                clear()
                return true
            }
            if ready == 0 { return false }
        }
    }
}
