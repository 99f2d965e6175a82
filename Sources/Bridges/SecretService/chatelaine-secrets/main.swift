import ArgumentParser
import CKeychainLinux
import Glibc
import Terminal

clinux_reset_crash_signals()
// A reader that goes away in the middle does not end this process.
signal(SIGPIPE, SIG_IGN)
do {
    var command = try SecretsCommand.parseAsRoot(Array(CommandLine.arguments.dropFirst()))
    try command.run()
} catch let code as ExitCode {
    // What is to be said was said.
    exit(code.rawValue)
} catch {
    if let status = Console.report(error, as: SecretsProcess.name) { exit(status) }
    // Requests for help, version and completion scripts come as errors too.
    let code = SecretsCommand.exitCode(for: error)
    guard code.isSuccess else {
        Console.printError(TerminalText.escapedLines(SecretsCommand.fullMessage(for: error)) + "\n")
        exit(code == .validationFailure ? Console.usageStatus : 1)
    }
    SecretsCommand.exit(withError: error)
}
