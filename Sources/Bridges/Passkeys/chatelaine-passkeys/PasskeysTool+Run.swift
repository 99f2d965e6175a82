import ArgumentParser
import KeychainClient
import KeychainModel
import Terminal

/// Runs command lines, and turns what goes wrong into messages and exit statuses.
extension PasskeysTool {
    /// Runs what was typed after the program's name, and returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        // In a keychain without a service, programs say themselves what is theirs.
        ProcessIdentity.declare(
            Caller(name: name, groups: AccessGroups([PasskeyItems.group]), ownGroup: PasskeyItems.group)
        )
        do {
            // The keychain knows a marked program by how it was started.
            try GuardedProcess.enterMarked()
            var command = try PasskeysCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch {
            if let status = Console.report(error, as: name) { return status }
            // Requests for help, version and completion scripts come as errors too.
            let text = PasskeysCommand.fullMessage(for: error)
            let code = PasskeysCommand.exitCode(for: error)
            guard code.isSuccess else {
                Console.printError(TerminalText.escapedLines(text) + "\n")
                return code == .validationFailure ? Console.usageStatus : 1
            }
            _ = Console.write(Array((text + "\n").utf8))
            return 0
        }
    }
}
