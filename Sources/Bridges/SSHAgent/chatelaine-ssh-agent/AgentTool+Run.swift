import ArgumentParser
import Glibc
import SSHAgentProtocol
import Terminal

/// Runs command lines, and turns what goes wrong into messages and exit statuses.
extension AgentTool {
    /// Runs what was typed after the program's name, and returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            var command = try AgentCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let error as SSHFormatError {
            complain(error.description)
            return 1
        } catch {
            if let status = Console.report(error, as: name) { return status }
            // Requests for help, version and completion scripts come as errors too.
            let text = AgentCommand.fullMessage(for: error)
            let code = AgentCommand.exitCode(for: error)
            guard code.isSuccess else {
                Console.printError(TerminalText.escapedLines(text) + "\n")
                return code == .validationFailure ? Console.usageStatus : 1
            }
            _ = Console.write(Array((text + "\n").utf8))
            return 0
        }
    }
}
