import Glibc
import KeychainAccounts
import KeychainSystem
import SSHAgentProtocol

/// The user's own `~/.ssh/known_hosts`, for what a prompt says.
///
/// The home folder is the user database's, as for ssh itself. Any program could start an agent with a HOME in which
/// other names stand beside the keys.
enum KnownHostsFile {
    /// In bytes. What follows is not read.
    private static let largest = 1 << 20

    /// - Returns: no names where the file is not there, or not an ordinary one.
    static func read() -> KnownHosts {
        guard let home = UserAccount(uid: geteuid())?.home, home.hasPrefix("/") else { return .none }
        guard let file = try? Descriptor(opening: home + "/.ssh/known_hosts", O_RDONLY | O_NONBLOCK),
            let stamp = try? file.stamp(), stamp.isFile, let bytes = try? file.prefix(largest)
        else { return .none }
        return KnownHosts(String(decoding: bytes, as: UTF8.self))
    }
}
