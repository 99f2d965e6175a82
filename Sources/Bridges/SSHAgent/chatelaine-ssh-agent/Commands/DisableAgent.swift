import ArgumentParser
import Terminal

struct DisableAgent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Undo what enable did. The keys stay in the keychain."
    )

    func run() throws {
        try SessionVariable.unset()
        guard try UserProgram.run("systemctl", ["--user", "disable", "--now", SessionVariable.unit]) == 0 else {
            throw Failure("systemd could not turn off \(SessionVariable.unit)")
        }
    }
}
