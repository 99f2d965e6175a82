import ArgumentParser
import CKeychainLinux
import Glibc
import KeychainModel
import Terminal

clinux_reset_crash_signals()
// A reader that goes away in the middle does not end this process.
signal(SIGPIPE, SIG_IGN)
do {
    var command = try SecretsCommand.parseAsRoot(Array(CommandLine.arguments.dropFirst()))
    try command.run()
} catch let failure as Failure {
    SecretsProcess.complain(TerminalText.escaped(failure.message))
    exit(1)
} catch let error as KeychainError {
    SecretsProcess.complain(TerminalText.escaped(error.message))
    exit(1)
} catch {
    SecretsCommand.exit(withError: error)
}
