import CKeychainLinux
import Foundation
import Glibc
import KeychainAccounts
import KeychainClient
import KeychainSystem

/// The socket that clients connect to.
enum AgentSocket {
    /// `$XDG_RUNTIME_DIR/chatelaine/ssh.sock`, which the units name too.
    static var standardPath: String {
        let folder = Environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (folder ?? "/run/user/\(getuid())") + "/chatelaine/ssh.sock"
    }

    /// The one that systemd has opened (sd_listen_fds(3)); nil where it has opened none for this process.
    ///
    /// - Throws: for more than one.
    static func handedOver() throws -> Int32? {
        let sockets = HandedSockets.take()
        guard sockets.count < 2 else { throw Failure("the agent takes exactly one socket from systemd") }
        return sockets.first?.number
    }

    /// Makes the socket, in a folder that only its user can enter.
    ///
    /// - Throws: where the folder is another's, and where another agent listens there.
    static func make(at name: String) throws -> Int32 {
        let path = name.hasPrefix("/") ? name : FileManager.default.currentDirectoryPath + "/" + name
        let folder = Folder.path(of: path)
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw Failure("the folder \(folder) cannot be made: \(AgentServer.reason)")
        }
        guard let stamp = FileStamp.ofFile(folder), stamp.isFolder, stamp.owner == geteuid(), !stamp.isWritableToOthers
        else { throw Failure("the folder \(folder) is not the user's own, or others can write to it") }
        let listener = clinux_stream_socket()
        guard listener >= 0 else { throw Failure("no socket can be made: \(AgentServer.reason)") }
        let mask = umask(0o177)
        defer { umask(mask) }
        if unsafe clinux_bind_path(listener, path) != 0 {
            guard errno == EADDRINUSE, try isLeft(path), unsafe unlink(path) == 0,
                unsafe clinux_bind_path(listener, path) == 0
            else { throw Failure("the socket \(path) cannot be made: \(AgentServer.reason)") }
        }
        guard listen(listener, 128) == 0 else {
            throw Failure("nothing can listen at \(path): \(AgentServer.reason)")
        }
        return listener
    }

    /// Whether it is a socket at which nobody listens any more.
    private static func isLeft(_ path: String) throws -> Bool {
        guard let stamp = FileStamp.ofFile(path), stamp.mode & S_IFMT == S_IFSOCK else {
            throw Failure("\(path) is there, and is no socket")
        }
        let probe = clinux_stream_socket()
        guard probe >= 0 else { return false }
        defer { close(probe) }
        guard unsafe clinux_connect_path(probe, path) != 0, errno == ECONNREFUSED else {
            throw Failure("another agent listens at \(path)")
        }
        return true
    }
}
