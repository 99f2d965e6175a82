import Foundation
import Glibc
import Synchronization
import Terminal

/// Asks for a secret, so that it need not stand on a command line.
enum PasswordPrompt {
    /// Asks twice on the terminal without showing what is typed. Where standard input is none, reads a line of it; a
    /// second line, which scripts for a Mac send as an answer to the second question, has to be the same.
    static func newPassword(
        _ question: String = "password data for new item: ",
        again: String = "retype password for new item: "
    ) throws(Failure) -> Data {
        guard asksOnTerminal else { return try lineOfStandardInput(repeated: true) }
        let terminal = try SecretTerminal()
        let password = try terminal.ask(question)
        guard password == (try terminal.ask(again)) else { throw differing }
        return Data(password)
    }

    /// Asks once, or reads a line of standard input where that is no terminal.
    static func password(_ question: String) throws(Failure) -> Data {
        asksOnTerminal ? Data(try SecretTerminal().ask(question)) : try lineOfStandardInput(repeated: false)
    }

    private static var asksOnTerminal: Bool {
        StandardInput.holdsCommands.load(ordering: .relaxed) || isatty(STDIN_FILENO) == 1
    }

    private static var differing: Failure { Failure("passwords don't match") }

    private static func lineOfStandardInput(repeated: Bool) throws(Failure) -> Data {
        guard let line = try LineReader(descriptor: STDIN_FILENO).next() else {
            throw Failure("there is no password on standard input")
        }
        if repeated, let second = try LineReader(descriptor: STDIN_FILENO).next(), second != line { throw differing }
        return Data(line)
    }
}
