import Accounts
import Foundation
import Glibc
import KeychainClient

/// The file that sets SSH_AUTH_SOCK for the user's sessions (environment.d(5)).
enum SessionVariable {
    static let unit = "chatelaine-ssh-agent.socket"

    /// What the file has. `scripts/install.sh` installs the same as an example.
    private static let contents = """
        # Has ssh, git and others use the keychain's ssh agent: written by `chatelaine ssh enable`.
        SSH_AUTH_SOCK=${XDG_RUNTIME_DIR}/chatelaine/ssh.sock

        """

    static func path() throws -> String {
        let settings = Environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let home = Environment["HOME"] ?? UserAccount(uid: geteuid())?.home, home.hasPrefix("/") else {
            throw Failure("there is no home folder to set the variable in")
        }
        return (settings ?? home + "/.config") + "/environment.d/60-chatelaine-ssh-agent.conf"
    }

    static func isSet() throws -> Bool { unsafe access(try path(), F_OK) == 0 }

    static func set() throws {
        let path = try path()
        do {
            try FileManager.default.createDirectory(
                atPath: String(path.dropLast("/60-chatelaine-ssh-agent.conf".count)),
                withIntermediateDirectories: true
            )
            try Data(contents.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure("\(path) cannot be written")
        }
    }

    static func unset() throws {
        let path = try path()
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw Failure("\(path) cannot be removed: \(AgentServer.reason)")
        }
    }
}
