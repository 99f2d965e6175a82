import ArgumentParser
import Glibc
import KeychainModel
import KeychainSystem
import SSHAgentProtocol
import Terminal

/// Runs command lines, and turns what goes wrong into messages and exit statuses.
extension AgentTool {
    private static let usageStatus: Int32 = 2

    /// Runs what was typed after the program's name, and returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            var command = try AgentCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let failure as Failure {
            complain(failure.message)
            return failure.exitStatus
        } catch let error as KeychainError {
            complain(error.message)
            return 1
        } catch let error as SystemError {
            complain("\(error)")
            return 1
        } catch let error as SSHFormatError {
            complain(error.description)
            return 1
        } catch {
            // Requests for help, version and completion scripts come as errors too.
            let text = AgentCommand.fullMessage(for: error)
            guard AgentCommand.exitCode(for: error).isSuccess else {
                Console.printError(TerminalText.escapedLines(text) + "\n")
                return usageStatus
            }
            _ = Console.write(Array((text + "\n").utf8))
            return 0
        }
    }
}
