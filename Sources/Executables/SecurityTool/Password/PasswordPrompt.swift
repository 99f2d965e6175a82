import Foundation
import Glibc
import Synchronization

/// Asks for a secret, so that it need not stand on a command line.
enum PasswordPrompt {
    /// Asks twice on the terminal without showing what is typed. Where standard input is none, reads a line of it; a
    /// second line, which scripts for a Mac send as an answer to the second question, has to be the same.
    static func newPassword() throws(Failure) -> Data {
        let ownsInput = InteractiveMode.ownsStandardInput.load(ordering: .relaxed)
        guard ownsInput || isatty(STDIN_FILENO) == 1 else { return try lineOfStandardInput() }
        let terminal = try SecretTerminal()
        let password = try terminal.ask("password data for new item: ")
        let repetition = try terminal.ask("retype password for new item: ")
        guard password == repetition else { throw mismatch }
        return Data(password)
    }

    private static let mismatch = Failure("passwords don't match")

    private static func lineOfStandardInput() throws(Failure) -> Data {
        guard let line = try LineReader(descriptor: STDIN_FILENO).next() else {
            throw Failure("there is no password on standard input")
        }
        if let second = try LineReader(descriptor: STDIN_FILENO).next(), second != line { throw mismatch }
        return Data(line)
    }
}

/// Reads lines byte by byte, so that what follows a line is left for whoever reads next.
struct LineReader {
    let descriptor: Int32

    /// - Returns: the line without its end; nil at the end of the input.
    func next() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count == 0 { return line.isEmpty ? nil : line }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure("standard input: \(unsafe String(cString: strerror(errno)))")
            }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
    }
}
