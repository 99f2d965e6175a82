import Glibc
import KeychainAccounts
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
        let descriptor = unsafe open(home + "/.ssh/known_hosts", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .none }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .none }
        var bytes = [UInt8](repeating: 0, count: min(Int(clamping: status.st_size), largest))
        var count = 0
        while count < bytes.count {
            let part = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            }
            guard part > 0 else { break }
            count += part
        }
        return KnownHosts(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
}
