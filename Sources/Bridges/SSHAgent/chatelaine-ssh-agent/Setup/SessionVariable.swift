import Foundation
import Glibc
import KeychainAccounts
import KeychainClient
import Terminal

/// The file that sets SSH_AUTH_SOCK for the user's sessions (environment.d(5)).
enum SessionVariable {
    static let unit = "chatelaine-ssh-agent.socket"

    private static let mark = "# Has ssh, git and others use the keychain's ssh agent"

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

    /// - Throws: where the file is somebody else's.
    private static func checkOwn(_ path: String) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard FileManager.default.contents(atPath: path)?.starts(with: mark.utf8) == true else {
            throw Failure("\(path) is there already, and is not of this command; move it away first")
        }
    }

    static func set() throws {
        let path = try path()
        try checkOwn(path)
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
        try checkOwn(path)
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw Failure("\(path) cannot be removed: \(AgentServer.reason)")
        }
    }
}
