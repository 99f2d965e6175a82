import Foundation
import Testing

/// A session with the command, as a person would have it at a shell, with all that it prints.
///
/// The file starts with headers: `expect:` is the exit status of the last command, `comment:` says what is shown.
/// After an empty line come commands (`$ …`), each followed by its standard output, its standard error (lines with
/// `! ` before them), and its exit status (`? 44`) where it is not 0.
///
/// In the output, `{KEYCHAIN}` stands for the keychain's folder, `{DATE}` for fourteen digits, `{HEXDATE}` for the same
/// in hexadecimal, `{ISO}` for a time in JSON, `{TIME}` for one in a table, and `{ANY}` for the rest of a line.
struct Transcript: CustomTestStringConvertible {
    let name: String
    let status: Int32
    let steps: [Step]

    struct Step {
        let command: String
        var output: [String] = []
        var errors: [String] = []
        var status: Int32 = 0
    }

    struct Malformed: Error {
        let line: String
    }

    var testDescription: String { name }

    init(name: String, text: String) throws {
        self.name = name
        var headers: [Substring: Substring] = [:]
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { throw Malformed(line: String(line)) }
            headers[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == " " }
        }
        guard let expect = headers["expect"].flatMap({ Int32($0) }), headers["comment"] != nil else {
            throw Malformed(line: "headers of \(name)")
        }
        status = expect
        var steps: [Step] = []
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                continue
            }
            guard var step = steps.popLast() else { throw Malformed(line: String(line)) }
            if line.hasPrefix("! ") {
                step.errors.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("? "), let status = Int32(line.dropFirst(2)) {
                step.status = status
            } else {
                step.output.append(String(line))
            }
            steps.append(step)
        }
        self.steps = steps
    }

    static let all: [Transcript] = {
        let folder = Bundle.module.url(forResource: "Transcripts", withExtension: nil)
        let files = folder.flatMap {
            try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        return (files ?? []).filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }.map { file in
            let name = file.deletingPathExtension().lastPathComponent
            do {
                return try Transcript(name: name, text: String(contentsOf: file, encoding: .utf8))
            } catch {
                Issue.record(error, "\(name) is not a transcript")
                return Transcript(name: name)
            }
        }
    }()

    private init(name: String) {
        self.name = name
        status = -1
        steps = []
    }
}

/// Whether lines are as a transcript says, placeholders and all.
func matches(_ text: String, _ expected: [String], keychain: String) throws -> Bool {
    let pattern = expected.map { line in
        NSRegularExpression.escapedPattern(for: line)
            .replacingOccurrences(of: "\\{KEYCHAIN\\}", with: NSRegularExpression.escapedPattern(for: keychain))
            .replacingOccurrences(of: "\\{DATE\\}", with: "[0-9]{14}")
            .replacingOccurrences(of: "\\{HEXDATE\\}", with: "(?:3[0-9]){14}")
            .replacingOccurrences(of: "\\{ISO\\}", with: "[0-9-]{10}T[0-9:]{8}Z")
            .replacingOccurrences(of: "\\{TIME\\}", with: "[0-9-]{10} [0-9:]{5}")
            .replacingOccurrences(of: "\\{ANY\\}", with: ".*") + "\n"
    }.joined()
    let expression = try NSRegularExpression(pattern: "\\A\(pattern)\\z")
    return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
}

@Test(arguments: Transcript.all)
func `a session goes as its transcript says`(_ transcript: Transcript) throws {
    let sandbox = try Sandbox()
    for step in transcript.steps {
        let outcome = try sandbox.run(step.command)
        #expect(
            try matches(outcome.output, step.output, keychain: sandbox.keychain),
            "\(step.command)\nprinted:\n\(outcome.output)"
        )
        #expect(
            try matches(outcome.errors, step.errors, keychain: sandbox.keychain),
            "\(step.command)\nprinted to standard error:\n\(outcome.errors)"
        )
        #expect(outcome.status == step.status, "\(step.command)")
    }
    #expect(transcript.steps.last?.status == transcript.status)
}

@Test
func `there are transcripts`() {
    #expect(Transcript.all.count > 10)
}
