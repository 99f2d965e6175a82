import ArgumentParser
import CKeychainLinux
import Glibc
import KeychainClient
import Terminal

struct ShowAgent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say whether the agent answers, whether this session uses it, and how many keys the keychain has."
    )

    func run() throws {
        let path = AgentSocket.standardPath
        let probe = clinux_stream_socket()
        guard probe >= 0 else { throw Failure("no socket can be made: \(AgentServer.reason)") }
        defer { close(probe) }
        let answers = unsafe clinux_connect_path(probe, path) == 0
        let used = Environment["SSH_AUTH_SOCK"]
        let isUsed = used == path
        try AgentTool.print("agent: \(answers ? "answers" : "does not answer") at \(TerminalText.escaped(path))")
        let other = used.map { "uses \(TerminalText.escaped($0))" } ?? "uses no agent"
        try AgentTool.print("this session: \(isUsed ? "uses it" : other)")
        try AgentTool.print("later sessions: \(try SessionVariable.isSet() ? "use it" : "do not use it")")
        try AgentTool.print("keys in the keychain: \(try KeySelection.storedKeys().keys.count)")
    }
}
