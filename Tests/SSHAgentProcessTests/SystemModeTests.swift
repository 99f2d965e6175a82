import Foundation
import KeychainTestSupport
import Testing

/// The agent with the system's keychain service, which tells programs apart by who has installed them.
@Suite(
    "The ssh agent with the system's service",
    .timeLimit(.minutes(5)),
    .enabled(if: SystemMode.isPossible, "\(SystemMode.reason)")
)
struct SystemModeTests {
    private let machine: SystemMachine
    private var socket: String { machine.home + "/run/ssh.sock" }

    init() throws {
        machine = try SystemMachine(installing: ["chatelaine", "chatelaine-ssh-agent"])
        try machine.start(["chatelaine-ssh-agent", "serve", "--socket", socket], log: "agent.log")
        let socket = socket
        let machine = machine
        try waitUntil("the agent listens: \(machine.read("agent.log"))") {
            FileManager.default.fileExists(atPath: socket)
        }
    }

    private func run(_ words: String...) throws -> FinishedProgram {
        try machine.run(words, ["SSH_AUTH_SOCK": socket])
    }

    private func create(_ options: String...) throws -> String {
        let created = try machine.run(["chatelaine", "ssh", "create", "--comment", "laptop"] + options)
        try #require(created.status == 0, "\(created.errors)\(machine.log)")
        return created.output
    }

    /// The agent's process, as the machine numbers it.
    private func agent() throws -> String {
        let found = try machine.run(["pgrep", "-f", "chatelaine-ssh-agent serve"], asRoot: true)
        return try #require(found.lines.last)
    }

    @Test func `the guarded agent is still seen by the service, and signs with keys of the person's keychain`() throws {
        let line = try create("--no-presence")
        let list = try run("ssh-add", "-l")
        #expect(list.output.hasSuffix(" laptop (ECDSA)\n"), "\(list.errors)\(machine.read("agent.log"))\(machine.log)")
        try Data(line.utf8).write(to: URL(filePath: machine.home + "/laptop.pub"))
        let signed = try machine.run(
            ["sh", "-c", "echo text >file && ssh-keygen -Y sign -q -f laptop.pub -n file file && cat file.sig"],
            ["SSH_AUTH_SOCK": socket]
        )
        #expect(
            signed.output.hasPrefix("-----BEGIN SSH SIGNATURE-----"),
            "\(signed.errors)\(machine.read("agent.log"))"
        )
    }

    @Test func `nobody but root looks into the agent, not even its own user`() throws {
        let agent = try agent()
        for file in ["environ", "maps", "mem", "exe"] {
            let path = "/proc/\(agent)/\(file)"
            let own = try machine.run(file == "exe" ? ["readlink", path] : ["head", "-c", "1", path])
            #expect(own.status == 1, "\(file): \(own.output)")
        }
        #expect(try machine.run(["readlink", "/proc/\(agent)/exe"], asRoot: true).status == 0)
    }

    @Test func `the keys are the agent's alone: a copy of it, and other programs, do not have them`() throws {
        _ = try create("--no-presence")
        #expect(try run("chatelaine", "ssh", "list").lines.count == 1)
        let copy = machine.home + "/chatelaine-ssh-agent"
        #expect(try run("cp", SystemMachine.programs + "/chatelaine-ssh-agent", copy).status == 0)
        let listed = try run(copy, "list")
        #expect(listed.output == "", "\(listed.output)")
        #expect(try run(copy, "delete", "laptop").status == 1)
        #expect(try run("chatelaine", "ssh", "list").lines.count == 1)
    }
}
