import CKeychainLinux
import Glibc

/// The socket that clients connect to, at a path that is ours alone.
package final class ListeningSocket: Sendable {
    package let descriptor: Int32
    /// What has to be removed at the end; nil for a socket that another process has bound.
    private let bound: Bound?

    private struct Bound {
        let path: String
        let stamp: FileStamp
        /// Held for as long as the socket is bound.
        let lock: Descriptor
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
    package init(adopting descriptor: Int32, kind: Kind = .bytes) throws(SystemError) {
        var status = stat()
        var isListening: Int32 = 0
        var domain: Int32 = 0
        var number: Int32 = 0
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            Self.option(SO_ACCEPTCONN, of: descriptor, &isListening), isListening == 1,
            Self.option(SO_DOMAIN, of: descriptor, &domain), domain == AF_UNIX,
            Self.option(SO_TYPE, of: descriptor, &number), number == kind.number
        else {
            throw SystemError.refusal(EINVAL, "descriptor \(descriptor) is no listening UNIX socket of \(kind)")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        try Self.passCredentials(descriptor)
        self.descriptor = descriptor
        bound = nil
    }

    /// Binds a socket and listens. A socket that a service has left behind is replaced, one that is in use never.
    ///
    /// - Throws: `EPERM` for a folder that others may write to, `EEXIST` for a path that is something else than a socket,
    ///   `EADDRINUSE` for a socket that answers.
    package init(
        binding path: String,
        for audience: Audience,
        kind: Kind = .bytes
    ) throws(SystemError) {
        try Self.checkFolder(of: path)
        // Before there is a lock, which would stay beside another program's file.
        try Self.checkPlace(path)
        let lock = try Self.lock(path)
        try Self.removeStale(path, kind: kind)
        let descriptor = kind.socket()
        guard descriptor >= 0 else { throw SystemError("no socket can be made") }
        do throws(SystemError) {
            // Before anyone can connect: what is sent to a socket without it carries no credentials.
            try Self.passCredentials(descriptor)
            let stamp = try Self.bind(descriptor, at: path, for: audience)
            guard listen(descriptor, Self.backlog) == 0 else { throw SystemError("nothing can listen at \(path)") }
            self.descriptor = descriptor
            bound = Bound(path: path, stamp: stamp, lock: lock)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Binds a socket, to which nobody can connect yet.
    ///
    /// Linux gives the path the mode of the socket itself, without the bits of the umask. To change the umask for this
    /// would give files that other threads make at this moment another mode.
    private static func bind(_ descriptor: Int32, at path: String, for audience: Audience) throws(SystemError)
        -> FileStamp
    {
        let mode: UInt32 = audience == .everybody ? 0o666 : 0o600
        guard fchmod(descriptor, 0o600) == 0, unsafe clinux_bind_path(descriptor, path) == 0 else {
            throw SystemError("the socket \(path) cannot be made")
        }
        guard let stamp = try FileStamp(path: path), stamp.mode & S_IFMT == S_IFSOCK else {
            throw SystemError(ENOENT, "the socket \(path) was removed")
        }
        // A link that has taken its place is not followed.
        if stamp.mode & 0o777 != mode, unsafe fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) != 0 {
            throw SystemError("the socket \(path) cannot be opened to its users")
        }
        return stamp
    }

    /// Removes the socket's path, unless something else is there by now.
    package func close() {
        if let bound {
            if FileStamp.ofFile(bound.path)?.isSameFile(as: bound.stamp) == true { _ = unsafe unlink(bound.path) }
            bound.lock.unlock()
        }
        Glibc.close(descriptor)
    }

    // MARK: - The path

    /// A user who could write to the folder could put a socket of their own there.
    private static func checkFolder(of path: String) throws(SystemError) {
        guard path.hasPrefix("/") else { throw SystemError.refusal(EINVAL, "the socket's path has to begin with /") }
        let folder = Folder.path(of: path)
        guard let stamp = try FileStamp(path: folder) else {
            throw SystemError.refusal(ENOENT, "the socket's folder \(folder) is not there")
        }
        guard stamp.isFolder else {
            throw SystemError.refusal(
                ENOTDIR,
                "the socket's folder \(folder) is a link or a file; it has to be a folder"
            )
        }
        guard stamp.owner == 0 || stamp.owner == geteuid(), !stamp.isWritableToOthers else {
            throw SystemError.refusal(
                EPERM,
                "the socket's folder \(folder) has to belong to root or to this user, and nobody else may write to it"
            )
        }
    }

    /// Whether there is a socket at the path; else there has to be nothing.
    @discardableResult
    private static func checkPlace(_ path: String) throws(SystemError) -> Bool {
        guard path.utf8.count < longestPath else { throw SystemError(ENAMETOOLONG, "no socket can be made at \(path)") }
        guard let stamp = try FileStamp(path: path) else { return false }
        guard stamp.mode & S_IFMT == S_IFSOCK else {
            throw SystemError.refusal(EEXIST, "\(path) is no socket; move it away")
        }
        return true
    }

    /// In bytes, with a zero at the end (unix(7)).
    private static let longestPath = 108

    private static func lock(_ path: String) throws(SystemError) -> Descriptor {
        let lock = try Descriptor(opening: path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        // The umask may have taken from it what the next process needs.
        _ = fchmod(lock.number, 0o600)
        guard try lock.lockIfFree() else { throw SystemError.refusal(EADDRINUSE, "another process listens at \(path)") }
        return lock
    }

    private static func removeStale(_ path: String, kind: Kind) throws(SystemError) {
        guard try checkPlace(path) else { return }
        // The lock says that no process of ours listens. Another program's socket keeps its path. One that was killed may have
        // left a child that has the socket, and is about to end.
        var attempts = 100
        while try hasListener(path, kind: kind) {
            attempts -= 1
            guard attempts > 0 else { throw SystemError.refusal(EADDRINUSE, "another process listens at \(path)") }
            usleep(20_000)
        }
        guard unsafe unlink(path) == 0 else { throw SystemError("\(path) cannot be removed") }
    }

    private static func hasListener(_ path: String, kind: Kind) throws(SystemError) -> Bool {
        let number = kind.socket()
        guard number >= 0 else { throw SystemError("no socket can be made") }
        let probe = Descriptor(owning: number)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        return probe.withNumber { unsafe clinux_connect_path($0, path) } == 0 || errno != ECONNREFUSED
    }

    // MARK: - Options

    private static func passCredentials(_ descriptor: Int32) throws(SystemError) {
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &one, size) == 0 else {
            throw SystemError("the kernel does not pass credentials")
        }
    }

    private static func option(_ option: Int32, of descriptor: Int32, _ value: inout Int32) -> Bool {
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0
    }
}
