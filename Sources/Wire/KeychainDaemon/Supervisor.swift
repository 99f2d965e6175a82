import CLinux
import Glibc

/// What systemd, or whatever does as it does, hands over and wants to hear (sd_listen_fds(3), sd_notify(3)).
enum Supervisor {
    /// The descriptors of sockets that were opened for this process; the variables are gone after that, so that no child
    /// believes they are its own.
    static func takeSockets() -> [Int32] {
        defer {
            for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { _ = unsafe unsetenv(name) }
        }
        guard let pid = unsafe getenv("LISTEN_PID"), let count = unsafe getenv("LISTEN_FDS"),
            unsafe Int32(String(cString: pid)) == getpid(), let number = unsafe Int32(String(cString: count)),
            (1...64).contains(number)
        else { return [] }
        return Array(3..<(3 + number))
    }

    static func notify(_ message: String) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        unsafe clinux_notify(path, message)
    }
}
