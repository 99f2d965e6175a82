import ArgumentParser
import Glibc
import KeychainModel
import KeychainSystem
import Terminal

/// Runs command lines, and turns what goes wrong into messages and exit statuses.
enum Tool {
    /// The exit status for a command line that is not understood.
    static let usageStatus: Int32 = 2

    /// Runs what was typed after the program's name, and returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            var command = try ChatelaineCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let failure as Failure {
            Console.printError("chatelaine: \(TerminalText.escaped(failure.message))\n")
            return failure.exitStatus
        } catch let code as ExitCode {
            // What is to be said was said.
            return code.rawValue
        } catch let error as SecretInputError {
            Console.printError("chatelaine: \(TerminalText.escaped(error.message))\n")
            return error.exitStatus
        } catch let error as KeychainError {
            Console.printError("chatelaine: \(TerminalText.escaped(error.message))\n")
            return 1
        } catch let error as SystemError {
            Console.printError("chatelaine: \(TerminalText.escaped(KeychainError(error).message))\n")
            return 1
        } catch {
            // Requests for help, version and completion scripts come as errors too.
            let text = ChatelaineCommand.fullMessage(for: error)
            guard ChatelaineCommand.exitCode(for: error).isSuccess else {
                Console.printError(TerminalText.escapedLines(text) + "\n")
                return usageStatus
            }
            Console.print(text + "\n")
            return 0
        }
    }
}
