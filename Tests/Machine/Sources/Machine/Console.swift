import Foundation
import Synchronization

/// A terminal of the machine, at which a person logs in.
package final class Console: Sendable {
    private let stream: Stream
    private let screen: Screen
    private let transcript: @Sendable () -> Transcript
    private let name: String

    private final class Screen: Sendable {
        /// What has not been waited for yet.
        let text = Mutex<[UInt8]>([])
    }

    init(_ path: String, name: String, transcript: @escaping @Sendable () -> Transcript) throws {
        let screen = Screen()
        self.screen = screen
        self.name = name
        self.transcript = transcript
        stream = try Stream(path) { bytes in screen.text.withLock { $0 += bytes } }
    }

    /// Types it, as it is.
    package func type(_ text: String) throws {
        transcript().add("[\(name)] types: \(text.debugDescription)")
        try stream.write(text.utf8)
    }

    /// Waits for a text, and takes it and all before it off the screen.
    @discardableResult package func expect(_ text: String, seconds: Double = 90) throws -> String {
        do {
            return try waited(for: "\(text.debugDescription) at \(name)", seconds: seconds) { take(through: text) }
        } catch {
            let shown = screen.text.withLock { String(decoding: $0.suffix(2_000), as: UTF8.self) }
            throw Failure("\(error); it shows: \(shown.debugDescription)")
        }
    }

    private func take(through text: String) -> String? {
        screen.text.withLock { bytes in
            guard let range = bytes.firstRange(of: Array(text.utf8)) else { return nil }
            defer { bytes.removeFirst(range.upperBound) }
            return String(decoding: bytes[..<range.upperBound], as: UTF8.self)
        }
    }

    private func answer(_ user: String, _ password: String) throws {
        screen.text.withLock { $0.removeAll() }
        try type("\n")
        try expect("login: ")
        screen.text.withLock { $0.removeAll() }
        try type(user + "\n")
        try expect("Password: ")
        try type(password + "\n")
    }

    /// Logs somebody in who has a shell.
    package func logIn(_ user: String, password: String) throws {
        try answer(user, password)
        try expect("$ ")
        // So that nothing is read but what a command prints.
        try type("PS1=; PS2=; TERM=dumb; bind 'set enable-bracketed-paste off' 2>/dev/null; stty -echo; echo rea''dy\n")
        try expect("ready\r\n")
    }

    /// Tries a password that is not theirs.
    package func failToLogIn(_ user: String, password: String) throws {
        try answer(user, password)
        try expect("Login incorrect")
    }

    /// - Parameter question: what it asks, and what is typed then.
    /// - Throws: where it ends with another status than expected; nil is any.
    @discardableResult package func run(
        _ command: String,
        answering question: (prompt: String, answer: String)? = nil,
        status expected: Int32? = 0,
        seconds: Double = 90
    ) throws -> Output {
        if let question {
            // On one line: what is typed before a secret is lost with it.
            try type("\(command); printf '\\n=%s=\\n' $?\n")
            try expect(question.prompt, seconds: seconds)
            try type(question.answer + "\n")
        } else {
            try type("\(command)\nprintf '\\n=%s=\\n' $?\n")
        }
        // A carriage return and a line feed are one character.
        let text = try expect("\n=", seconds: seconds).dropLast(2)
        let status = try expect("=\r\n").dropLast(2)
        let output = Output(
            text: text.replacing("\r\n", with: "\n").trimmingCharacters(in: .newlines),
            status: Int32(status) ?? -1
        )
        transcript().add("[\(name)] \(output.text)\n[\(name)] status \(output.status)")
        guard expected == nil || output.status == expected else {
            throw Failure("\(command): status \(output.status), and not \(expected ?? 0): \(output.text)")
        }
        return output
    }

    package func logOut() throws {
        try type("exit\n")
        try expect("login: ")
    }

    func end() { stream.end() }
}
