import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainSystem

/// The socket that clients connect to, at a path that is ours alone.
package final class ListeningSocket: Sendable {
    package let descriptor: Int32
    /// What has to be removed at the end; nil for a socket that another process has bound.
    private let bound: Bound?

    private struct Bound {
        let path: String
        let device: UInt64
        let inode: UInt64
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
            let stamp = try KeychainError.translating { try FileStamp(path: path) }
            guard let stamp else { throw KeychainError(.notAvailable, "the socket \(path) was removed") }
            self.descriptor = descriptor
            bound = Bound(path: path, device: stamp.device, inode: stamp.inode, lock: lock)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Removes the socket's path, unless something else is there by now.
    package func close() {
        if let bound {
            let stamp = FileStamp.ofFile(bound.path)
            if stamp?.device == bound.device, stamp?.inode == bound.inode { _ = unsafe unlink(bound.path) }
            bound.lock.unlock()
        }
        Glibc.close(descriptor)
    }

    // MARK: - The path

    /// A user who could write to the folder could put a socket of their own there.
    private static func checkFolder(of path: String) throws(KeychainError) {
        guard path.hasPrefix("/") else {
            throw KeychainError(.invalidParameter, "the socket's path has to begin with /")
        }
        let folder = Folder.path(of: path)
        let stamp = try KeychainError.translating { try FileStamp(path: folder) }
        guard let stamp else { throw KeychainError(.notAvailable, "the socket's folder \(folder) is not there") }
        guard stamp.isFolder else {
            throw KeychainError(
                .notAvailable,
                "the socket's folder \(folder) is a link or a file; it has to be a folder"
            )
        }
        guard stamp.owner == 0 || stamp.owner == geteuid(), !stamp.isWritableToOthers else {
            throw KeychainError(
                .notAvailable,
                "the socket's folder \(folder) has to belong to root or to the service, and nobody else may write to it"
            )
        }
    }

    private static func lock(_ path: String) throws(KeychainError) -> Descriptor {
        let (lock, isOurs) = try KeychainError.translating {
            let lock = try Descriptor(opening: path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            return (lock, try lock.lockIfFree())
        }
        guard isOurs else { throw KeychainError(.notAvailable, "a keychain service listens at \(path) already") }
        return lock
    }

    private static func removeStale(_ path: String, kind: Kind) throws(KeychainError) {
        let stamp = try KeychainError.translating { try FileStamp(path: path) }
        guard let stamp else { return }
        guard stamp.mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.notAvailable, "\(path) is no socket; move it away")
        }
        // The lock says that no service of ours listens. Another program's socket keeps its path.
        let number = kind.socket()
        guard number >= 0 else { throw KeychainError(errno: errno, "no socket") }
        let probe = Descriptor(owning: number)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        guard probe.withNumber({ unsafe clinux_connect_path($0, path) }) != 0, errno == ECONNREFUSED else {
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
