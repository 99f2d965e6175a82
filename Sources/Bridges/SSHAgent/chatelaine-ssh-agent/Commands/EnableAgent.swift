import ArgumentParser
import Terminal

struct EnableAgent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Have systemd start the agent when it is needed, and your sessions use it from the next log-in on."
    )

    func run() throws {
        guard try UserProgram.run("systemctl", ["--user", "enable", "--now", SessionVariable.unit]) == 0 else {
            throw Failure("systemd could not turn on \(SessionVariable.unit); nothing was changed")
        }
        try SessionVariable.set()
        try AgentTool.print("Log in anew, or use it here: export SSH_AUTH_SOCK=\(AgentSocket.standardPath)")
    }
}
