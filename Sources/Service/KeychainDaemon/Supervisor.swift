import CKeychainLinux
import Glibc
import KeychainSystem

/// The protocol of systemd, or of a supervisor like it (sd_listen_fds(3), sd_notify(3)).
enum Supervisor {
    /// Sockets that were opened for this process.
    struct Sockets {
        /// Where clients connect.
        var clients: [Int32] = []
        /// Where passcodes are given: those with `FileDescriptorName=control`.
        var control: [Int32] = []
    }

    /// What was opened for this process.
    static func takeSockets() -> Sockets {
        var sockets = Sockets()
        for socket in HandedSockets.take() {
            if socket.name == "control" {
                sockets.control.append(socket.number)
            } else {
                sockets.clients.append(socket.number)
            }
        }
        return sockets
    }

    static func notify(_ message: String) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        unsafe clinux_notify(path, message)
    }
}
