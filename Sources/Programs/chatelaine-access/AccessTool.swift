import ArgumentParser
import Glibc
import Terminal

/// Runs the command line, and turns what goes wrong into messages and exit statuses.
enum AccessTool {
    static let name = "chatelaine access"

    static func run(_ arguments: [String]) async -> Int32 {
        do {
            let command = try AccessCommand.parse(arguments)
            try await command.serve()
            return 0
        } catch {
            if let status = Console.report(error, as: name) { return status }
            // Requests for help and completion scripts come as errors too.
            let text = AccessCommand.fullMessage(for: error)
            let code = AccessCommand.exitCode(for: error)
            guard code.isSuccess else {
                Console.printError(TerminalText.escapedLines(text) + "\n")
                return code == .validationFailure ? Console.usageStatus : 1
            }
            _ = Console.write(Array((text + "\n").utf8))
            return 0
        }
    }
}
