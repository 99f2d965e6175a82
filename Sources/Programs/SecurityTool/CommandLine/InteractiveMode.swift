import Glibc
import Synchronization
import Terminal

/// `security -i`: commands from standard input, one a line. Scripts use it to keep secrets off command lines.
struct InteractiveMode {
    let prompt: String

    /// Returns the exit status of the last command.
    func run() -> Int32 {
        StandardInput.holdsCommands.store(true, ordering: .relaxed)
        let isTerminal = isatty(STDIN_FILENO) == 1
        var status: Int32 = 0
        while true {
            if isTerminal { Console.printError(prompt) }
            // What cannot be read is the end.
            guard let line = try? LineReader(descriptor: STDIN_FILENO).next() else { return status }
            guard let words = String(validating: line, as: UTF8.self).flatMap(Self.words) else {
                Console.printError("security: a quote is not closed, or the line is not UTF-8\n")
                status = Console.usageStatus
                continue
            }
            guard let name = words.first else { continue }
            if name == "quit" || name == "exit" { return status }
            status = Tool.run(command: words)
            if status != 0 { Console.printError("\(TerminalText.escaped(name)): returned \(status)\n") }
        }
    }

    /// Splits a line at its blanks. Quotes of either kind keep blanks, a backslash keeps the next character.
    ///
    /// - Returns: nil if a quote is not closed.
    static func words(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var scalars = line.unicodeScalars[...]

        func append(_ scalar: Unicode.Scalar?) {
            word = (word ?? "") + (scalar.map(String.init) ?? "")
        }

        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\\" where quote != "'":
                append(scalars.popFirst())
            case quote:
                quote = nil
            case "\"" where quote == nil, "'" where quote == nil:
                quote = scalar
                append(nil)
            case " " where quote == nil, "\t" where quote == nil, "\r" where quote == nil:
                if let complete = word { words.append(complete) }
                word = nil
            default:
                append(scalar)
            }
        }
        guard quote == nil else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
