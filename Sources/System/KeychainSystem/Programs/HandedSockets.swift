import Glibc

/// Sockets that systemd has opened for this process (sd_listen_fds_with_names(3)).
package enum HandedSockets {
    /// A socket's descriptor, and its `FileDescriptorName`; empty where it has none.
    package typealias Socket = (number: Int32, name: String)

    /// Takes the sockets. The variables are gone after that, so that no child believes the sockets are its own.
    ///
    /// - Returns: none where they are another process's.
    package static func take() -> [Socket] {
        defer { for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { _ = unsafe unsetenv(variable) } }
        guard text("LISTEN_PID").flatMap(Int32.init) == getpid(), let count = text("LISTEN_FDS").flatMap(Int32.init),
            (1...most).contains(count)
        else { return [] }
        let names = (text("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            _ = fcntl(3 + index, F_SETFD, FD_CLOEXEC)
            return (3 + index, names.dropFirst(Int(index)).first.map(String.init) ?? "")
        }
    }

    private static let most: Int32 = 64

    private static func text(_ variable: String) -> String? {
        unsafe getenv(variable).map { unsafe String(cString: $0) }
    }
}
