import Foundation
import Glibc
import KeychainClient
import KeychainSystem
import Terminal

/// The socket that clients connect to.
enum AgentSocket {
    /// `$XDG_RUNTIME_DIR/chatelaine/ssh.sock`, which the units name too.
    static var standardPath: String {
        let folder = Environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (folder ?? "/run/user/\(getuid())") + "/chatelaine/ssh.sock"
    }

    /// The one that systemd has opened (sd_listen_fds(3)); nil where it has opened none for this process.
    ///
    /// - Throws: for more than one, and for what is no socket that listens.
    static func handedOver() throws -> ListeningSocket? {
        let sockets = HandedSockets.take()
        guard sockets.count < 2 else { throw Failure("the agent takes exactly one socket from systemd") }
        return try sockets.first.map { try ListeningSocket(adopting: $0.number) }
    }

    /// Makes the socket. A folder that is not there is made, for its user alone.
    ///
    /// - Throws: where others can write to the folder, and where another process listens there.
    static func make(at name: String) throws -> ListeningSocket {
        let path = name.hasPrefix("/") ? name : FileManager.default.currentDirectoryPath + "/" + name
        let folder = Folder.path(of: path)
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw Failure("the folder \(folder) cannot be made: \(AgentServer.reason)")
        }
        return try ListeningSocket(binding: path, for: .owner)
    }
}
