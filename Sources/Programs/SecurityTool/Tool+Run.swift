import ArgumentParser
import Glibc
import KeychainClient
import Terminal

/// Runs command lines, and turns what goes wrong into macOS's texts and exit statuses.
extension Tool {
    /// Runs what was typed after the program's name, and returns the exit status.
    static func run(_ arguments: Result<[String], Failure>) -> Int32 {
        do throws(Failure) {
            let invocation = Invocation(try arguments.get())
            if invocation.isInteractive { return InteractiveMode(prompt: invocation.prompt).run() }
            if invocation.isEmpty {
                Console.printError(SecurityCommand.helpMessage() + "\n")
                return Console.usageStatus
            }
            return run(command: invocation.command, isQuiet: invocation.isQuiet)
        } catch {
            return report(error)
        }
    }

    /// Runs one command: its name, then its options.
    static func run(command arguments: [String], isQuiet: Bool = false) -> Int32 {
        do {
            let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
            if let name, !name.hasPrefix("-"), !SecurityCommand.hasSubcommand(name) {
                throw Failure("unknown command \"\(TerminalText.escaped(name))\"")
            }
            // What the command before it has chosen counts for that one alone.
            KeychainLocation.use(nil)
            var command = try SecurityCommand.parseAsRoot(GetoptReader.normalized(arguments))
            try command.run()
            return 0
        } catch let failure as Failure {
            return report(failure, isQuiet: isQuiet)
        } catch {
            return report(parserError: error, isQuiet: isQuiet)
        }
    }

    private static func report(_ failure: Failure, isQuiet: Bool = false) -> Int32 {
        if !isQuiet, !failure.message.isEmpty { Console.printError("security: \(failure.message)\n") }
        return failure.exitStatus
    }

    /// Requests for help, version and completion scripts come as errors too; they go to standard output.
    private static func report(parserError error: any Error, isQuiet: Bool) -> Int32 {
        let text = SecurityCommand.fullMessage(for: error)
        guard SecurityCommand.exitCode(for: error).isSuccess else {
            if !isQuiet { Console.printError(TerminalText.escapedLines(text) + "\n") }
            return Console.usageStatus
        }
        do throws(Failure) {
            try Console.print(text + "\n")
            return 0
        } catch {
            return report(error, isQuiet: isQuiet)
        }
    }
}
