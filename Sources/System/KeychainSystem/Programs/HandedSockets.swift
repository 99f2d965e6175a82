import Glibc

/// Sockets that systemd has opened for this process (sd_listen_fds_with_names(3)).
package enum HandedSockets {
    /// A socket's descriptor, and its `FileDescriptorName`; empty where it has none.
    package typealias Socket = (number: Int32, name: String)

    /// Takes the sockets. The variables are gone after that, so that no child believes the sockets are its own.
    ///
    /// - Returns: none where they are another process's.
    package static func take() -> [Socket] {
        let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        defer { for variable in variables { _ = unsafe unsetenv(variable) } }
        let sockets = sockets(of: getpid()) { variable in
            unsafe getenv(variable).map { unsafe String(cString: $0) }
        }
        for socket in sockets { _ = fcntl(socket.number, F_SETFD, FD_CLOEXEC) }
        return sockets
    }

    /// What an environment says: `LISTEN_FDNAMES` names them with colons between them.
    static func sockets(of process: Int32, _ variable: (String) -> String?) -> [Socket] {
        guard variable("LISTEN_PID").flatMap(Int32.init) == process,
            let count = variable("LISTEN_FDS").flatMap(Int32.init), (1...most).contains(count)
        else { return [] }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            (3 + index, names.dropFirst(Int(index)).first.map(String.init) ?? "")
        }
    }

    private static let most: Int32 = 64
}
