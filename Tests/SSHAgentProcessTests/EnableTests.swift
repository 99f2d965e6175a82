import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The agent as a unit of the user's own systemd.
@Suite("chatelaine ssh enable", .timeLimit(.minutes(5)), .enabled(if: UserManager.isPossible, "\(UserManager.reason)"))
struct EnableTests {
    private let manager: UserManager
    private let site: AgentSite

    init() throws {
        manager = try UserManager()
        site = try AgentSite(inside: manager)
        try manager.start(for: site)
    }

    private var socket: String { site.runtimeFolder + "/chatelaine/ssh.sock" }
    private var settings: String { site.folder + "/.config/environment.d/60-chatelaine-ssh-agent.conf" }

    private func state(_ unit: String, _ question: String = "is-active") throws -> String {
        try site.run("systemctl", ["--user", question, unit]).output.trimmingCharacters(in: .newlines)
    }

    /// What a program says that the session starts, with nothing of this test's environment.
    private func inSession(_ words: String...) throws -> AgentSite.Outcome {
        try site.run("systemd-run", ["--user", "--quiet", "--wait", "--pipe"] + words)
    }

    @Test func `a key is made and the agent enabled, and ssh finds both after the next log-in`() throws {
        let line = "chatelaine ssh create --comment laptop && chatelaine ssh enable"
        let output = try site.succeed("sh", ["-c", line])
        #expect(output.contains(" laptop\n"), "\(output)")
        #expect(output.contains("export SSH_AUTH_SOCK=\(socket)"), "\(output)")
        #expect(try state("chatelaine-ssh-agent.socket") == "active")
        #expect(try state("chatelaine-ssh-agent.service") == "inactive")
        var status = stat()
        #expect(lstat(socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(lstat(site.runtimeFolder + "/chatelaine", &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(try manager.variable("SSH_AUTH_SOCK") != socket)

        try manager.restart()
        #expect(try manager.variable("SSH_AUTH_SOCK") == socket)
        let list = try inSession("ssh-add", "-l")
        #expect(list.output.hasSuffix(" laptop (ECDSA)\n"), "\(list.output)\(list.errors)")
        #expect(try state("chatelaine-ssh-agent.service") == "active")

        let server = try SSHServer("server.example", at: site)
        try server.authorize(String(try #require(output.split(separator: "\n").first)))
        site.allow()
        let arguments = try ["ssh"] + server.arguments() + ["echo welcome"]
        let logIn = try site.run("systemd-run", ["--user", "--quiet", "--wait", "--pipe"] + arguments)
        #expect(logIn.output == "welcome\n", "\(logIn.errors)\(server.log)")
        #expect(try site.person.shown.contains("“log in to \(server.inPrompt()) as root”"), "\(site.person.shown)")
    }

    @Test func `the file that sets the variable is the one that is installed as an example`() throws {
        try site.succeed("chatelaine", ["ssh", "enable"])
        let example = UserManager.sources.appending(path: "packaging/environment.d/60-chatelaine-ssh-agent.conf")
        #expect(try String(contentsOf: example, encoding: .utf8) == String(contentsOfFile: settings, encoding: .utf8))
        let generator = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"
        #expect(try site.succeed(generator, []).contains("SSH_AUTH_SOCK=\(socket)\n"))
    }

    @Test func `a file of somebody else's is neither overwritten nor removed`() throws {
        let own = Data("EDITOR=vi\n".utf8)
        try FileManager.default.createDirectory(
            atPath: URL(filePath: settings).deletingLastPathComponent().path,
            withIntermediateDirectories: true
        )
        try own.write(to: URL(filePath: settings))
        for command in ["enable", "disable"] {
            let refused = try site.run("chatelaine", ["ssh", command])
            #expect(refused.status == 1 && refused.errors.contains("is not of this command"), "\(refused.errors)")
            #expect(FileManager.default.contents(atPath: settings) == own)
        }
    }

    @Test func `what was enabled is disabled without a trace, and the keys stay`() throws {
        _ = try site.createKey("laptop")
        for _ in 0..<2 { try site.succeed("chatelaine", ["ssh", "enable"]) }
        let used = try site.run("chatelaine", ["ssh", "status"], ["SSH_AUTH_SOCK": socket]).output
        #expect(
            used == """
                agent: answers at \(socket)
                this session: uses it
                later sessions: use it
                keys in the keychain: 1

                """
        )
        #expect(try site.run("ssh-add", ["-l"], ["SSH_AUTH_SOCK": socket]).lines.count == 1)
        for _ in 0..<2 { try site.succeed("chatelaine", ["ssh", "disable"]) }
        #expect(try state("chatelaine-ssh-agent.socket") == "inactive")
        #expect(try state("chatelaine-ssh-agent.socket", "is-enabled") == "disabled")
        #expect(try state("chatelaine-ssh-agent.service") == "inactive")
        #expect(!FileManager.default.fileExists(atPath: socket))
        #expect(!FileManager.default.fileExists(atPath: settings))
        try manager.restart()
        #expect(try manager.variable("SSH_AUTH_SOCK") != socket)
        let unused = try site.succeed("chatelaine", ["ssh", "status"])
        #expect(unused.contains("agent: does not answer"), "\(unused)")
        #expect(unused.contains("later sessions: do not use it\nkeys in the keychain: 1\n"), "\(unused)")
    }

    @Test func `an agent that is killed comes back with the next request`() throws {
        _ = try site.createKey("laptop")
        try site.succeed("chatelaine", ["ssh", "enable"])
        let variables = ["SSH_AUTH_SOCK": socket]
        #expect(try site.run("ssh-add", ["-l"], variables).lines.count == 1)
        try site.succeed("systemctl", ["--user", "kill", "--signal=KILL", "chatelaine-ssh-agent.service"])
        try waitUntil("the agent answers again", patience: 20) {
            try site.run("ssh-add", ["-l"], variables).lines.count == 1
        }
    }
}
