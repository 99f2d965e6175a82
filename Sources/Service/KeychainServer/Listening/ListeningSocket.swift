import CKeychainLinux
import Glibc
package import KeychainModel

/// The socket that clients connect to, at a path that is ours alone.
package final class ListeningSocket: Sendable {
    package let descriptor: Int32
    /// What has to be removed at the end; nil for a socket that another process has bound.
    private let bound: Bound?

    private struct Bound {
        let path: String
        let device: dev_t
        let inode: ino_t
        /// Held for as long as the socket is bound.
        let lock: Int32
    }

    /// The users that may connect.
    package enum Audience {
        case owner
        case everybody
    }

    /// What is sent over it.
    package enum Kind {
        case bytes
        case packets

        fileprivate func socket() -> Int32 {
            switch self {
            case .bytes: clinux_stream_socket()
            case .packets: clinux_packet_socket()
            }
        }

        fileprivate var number: Int32 {
            switch self {
            case .bytes: Int32(SOCK_STREAM.rawValue)
            case .packets: Int32(SOCK_SEQPACKET.rawValue)
            }
        }
    }

    private static let backlog: Int32 = 512

    /// Takes over a socket that listens already, as from systemd.
    package init(adopting descriptor: Int32, kind: Kind = .bytes) throws(KeychainError) {
        var status = stat()
        var isListening: Int32 = 0
        var domain: Int32 = 0
        var number: Int32 = 0
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            Self.option(SO_ACCEPTCONN, of: descriptor, &isListening), isListening == 1,
            Self.option(SO_DOMAIN, of: descriptor, &domain), domain == AF_UNIX,
            Self.option(SO_TYPE, of: descriptor, &number), number == kind.number
        else {
            throw KeychainError(.invalidParameter, "descriptor \(descriptor) is no listening UNIX socket of \(kind)")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        try Self.passCredentials(descriptor)
        self.descriptor = descriptor
        bound = nil
    }

    /// Binds a socket and listens. A socket that a service has left behind is replaced, one that is in use never.
    ///
    /// - Throws: `notAvailable` for a folder that others may write to, a path that is something else than a socket, or
    ///   a socket that answers.
    package init(
        binding path: String,
        for audience: Audience,
        kind: Kind = .bytes
    ) throws(KeychainError) {
        try Self.checkFolder(of: path)
        let lock = try Self.lock(path)
        do throws(KeychainError) {
            try Self.removeStale(path, kind: kind)
            let descriptor = kind.socket()
            guard descriptor >= 0 else { throw KeychainError(errno: errno, "no socket") }
            do throws(KeychainError) {
                // Before anyone can connect: what is sent to a socket without it carries no credentials.
                try Self.passCredentials(descriptor)
                let before = umask(audience == .everybody ? 0o111 : 0o177)
                let result = unsafe clinux_bind_path(descriptor, path)
                let reason = errno
                umask(before)
                guard result == 0 else { throw KeychainError(errno: reason, "the socket \(path) cannot be made") }
                guard listen(descriptor, Self.backlog) == 0 else { throw KeychainError(errno: errno, "cannot listen") }
                var status = stat()
                guard unsafe lstat(path, &status) == 0 else { throw KeychainError(errno: errno, path) }
                self.descriptor = descriptor
                bound = Bound(path: path, device: status.st_dev, inode: status.st_ino, lock: lock)
            } catch {
                Glibc.close(descriptor)
                throw error
            }
        } catch {
            Glibc.close(lock)
            throw error
        }
    }

    /// Removes the socket's path, unless something else is there by now.
    package func close() {
        if let bound {
            var status = stat()
            if unsafe lstat(bound.path, &status) == 0, status.st_dev == bound.device, status.st_ino == bound.inode {
                _ = unsafe unlink(bound.path)
            }
            Glibc.close(bound.lock)
        }
        Glibc.close(descriptor)
    }

    // MARK: - The path

    /// A user who could write to the folder could put a socket of their own there.
    private static func checkFolder(of path: String) throws(KeychainError) {
        guard path.hasPrefix("/"), let end = path.lastIndex(of: "/") else {
            throw KeychainError(.invalidParameter, "the socket's path has to begin with /")
        }
        let folder = end == path.startIndex ? "/" : String(path[..<end])
        var status = stat()
        guard unsafe lstat(folder, &status) == 0 else {
            throw KeychainError(errno: errno, "the socket's folder \(folder) cannot be used")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw KeychainError(
                .notAvailable,
                "the socket's folder \(folder) is a link or a file; it has to be a folder"
            )
        }
        guard status.st_uid == 0 || status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw KeychainError(
                .notAvailable,
                "the socket's folder \(folder) has to belong to root or to the service, and nobody else may write to it"
            )
        }
    }

    private static func lock(_ path: String) throws(KeychainError) -> Int32 {
        let name = path + ".lock"
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(name) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw KeychainError(.notAvailable, "a keychain service listens at \(path) already")
        }
        return descriptor
    }

    private static func removeStale(_ path: String, kind: Kind) throws(KeychainError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw KeychainError(errno: errno, path) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.notAvailable, "\(path) is no socket; move it away")
        }
        // The lock says that no service of ours listens. Another program's socket keeps its path.
        let probe = kind.socket()
        guard probe >= 0 else { throw KeychainError(errno: errno, "no socket") }
        defer { Glibc.close(probe) }
        _ = fcntl(probe, F_SETFL, O_NONBLOCK)
        guard unsafe clinux_connect_path(probe, path) != 0, errno == ECONNREFUSED else {
            throw KeychainError(.notAvailable, "somebody listens at \(path) already")
        }
        guard unsafe unlink(path) == 0 else { throw KeychainError(errno: errno, "\(path) cannot be removed") }
    }

    // MARK: - Options

    private static func passCredentials(_ descriptor: Int32) throws(KeychainError) {
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &one, size) == 0 else {
            throw KeychainError(errno: errno, "the kernel does not pass credentials")
        }
    }

    private static func option(_ option: Int32, of descriptor: Int32, _ value: inout Int32) -> Bool {
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0
    }
}
