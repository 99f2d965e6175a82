import Glibc
package import KeychainModel

/// The secrets that a command needs: asked for on the terminal, without showing them, or read from standard input, one a
/// line.
package struct SecretQuestions: Sendable {
    private let readsStandardInput: Bool

    package init(readsStandardInput: Bool) {
        self.readsStandardInput = readsStandardInput
    }

    /// - Parameter secret: what is asked for, as in "passcode".
    /// - Throws: where there is no terminal, or no line is left.
    package func ask(for secret: String) throws(Failure) -> SecretBytes {
        if readsStandardInput { return try Self.line(of: secret) }
        return SecretBytes(try SecretTerminal().ask(secret + ": "))
    }

    /// Asks twice on a terminal for what is new, and reads one line of standard input.
    package func askTwice(for secret: String) throws(Failure) -> SecretBytes {
        if readsStandardInput { return try Self.line(of: secret) }
        let terminal = try SecretTerminal()
        let first = try terminal.ask(secret + ": ")
        guard first == (try terminal.ask(secret + ", again: ")) else {
            throw Failure("the two are not the same; nothing was done")
        }
        return SecretBytes(first)
    }

    private static func line(of secret: String) throws(Failure) -> SecretBytes {
        guard let line = try LineReader(descriptor: STDIN_FILENO).next() else {
            throw Failure("no line is left on standard input for the \(secret)")
        }
        return SecretBytes(line)
    }
}
