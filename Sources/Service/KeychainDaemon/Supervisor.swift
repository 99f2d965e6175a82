import CKeychainLinux
import Glibc

/// The protocol of systemd, or of a supervisor like it (sd_listen_fds(3), sd_notify(3)).
enum Supervisor {
    /// Sockets that were opened for this process.
    struct Sockets {
        /// Where clients connect.
        var clients: [Int32] = []
        /// Where passcodes are given: those with `FileDescriptorName=control`.
        var control: [Int32] = []
    }

    /// What was opened for this process; the variables are gone after that, so that no child believes they are its own.
    static func takeSockets() -> Sockets {
        defer {
            for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { _ = unsafe unsetenv(name) }
        }
        guard let pid = unsafe getenv("LISTEN_PID"), let count = unsafe getenv("LISTEN_FDS"),
            unsafe Int32(String(cString: pid)) == getpid(), let number = unsafe Int32(String(cString: count)),
            (1...64).contains(number)
        else { return Sockets() }
        let listed = unsafe getenv("LISTEN_FDNAMES").map { unsafe String(cString: $0) } ?? ""
        let names = listed.split(separator: ":", omittingEmptySubsequences: false)
        var sockets = Sockets()
        for index in 0..<number {
            let isControl = names.dropFirst(Int(index)).first == "control"
            if isControl { sockets.control.append(3 + index) } else { sockets.clients.append(3 + index) }
        }
        return sockets
    }

    static func notify(_ message: String) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        unsafe clinux_notify(path, message)
    }
}
