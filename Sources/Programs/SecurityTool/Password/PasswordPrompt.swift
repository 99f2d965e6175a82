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
        try failing { () throws(SecretInputError) in
            guard asksOnTerminal else { return try lineOfStandardInput(repeated: true) }
            let terminal = try SecretTerminal()
            let password = try terminal.ask(question)
            return password == (try terminal.ask(again)) ? Data(password) : nil
        }
    }

    /// Asks once, or reads a line of standard input where that is no terminal.
    static func password(_ question: String) throws(Failure) -> Data {
        try failing { () throws(SecretInputError) in
            asksOnTerminal ? Data(try SecretTerminal().ask(question)) : try lineOfStandardInput(repeated: false)
        }
    }

    private static var asksOnTerminal: Bool {
        StandardInput.holdsCommands.load(ordering: .relaxed) || isatty(STDIN_FILENO) == 1
    }

    /// - Parameter body: answers nil where two answers differ.
    private static func failing(_ body: () throws(SecretInputError) -> Data?) throws(Failure) -> Data {
        let password: Data?
        do throws(SecretInputError) {
            password = try body()
        } catch {
            throw Failure(error.message, exitStatus: error.exitStatus)
        }
        guard let password else { throw Failure("passwords don't match") }
        return password
    }

    private static func lineOfStandardInput(repeated: Bool) throws(SecretInputError) -> Data? {
        guard let line = try LineReader(descriptor: STDIN_FILENO).next() else {
            throw SecretInputError("there is no password on standard input")
        }
        if repeated, let second = try LineReader(descriptor: STDIN_FILENO).next(), second != line { return nil }
        return Data(line)
    }
}
