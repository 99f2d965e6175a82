import ArgumentParser
import Glibc
import Terminal

/// Runs command lines, and turns what goes wrong into messages and exit statuses.
enum Tool {
    /// Runs what was typed after the program's name, and returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            var command = try ChatelaineCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let code as ExitCode {
            // What is to be said was said.
            return code.rawValue
        } catch {
            if let status = Console.report(error, as: "chatelaine") { return status }
            // Requests for help, version and completion scripts come as errors too.
            let text = ChatelaineCommand.fullMessage(for: error)
            let code = ChatelaineCommand.exitCode(for: error)
            guard code.isSuccess else {
                Console.printError(TerminalText.escapedLines(text) + "\n")
                return code == .validationFailure ? Console.usageStatus : 1
            }
            Console.print(text + "\n")
            return 0
        }
    }
}
