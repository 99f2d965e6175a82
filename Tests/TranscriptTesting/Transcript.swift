package import Foundation
import Testing

/// A session with the command, as a person would have it at a shell, with all that it prints.
///
/// The file starts with headers: `expect:` is the exit status of the last command, `comment:` says what is shown.
/// After an empty line come commands (`$ …`), each followed by its standard output, its standard error (lines with
/// `! ` before them), and its exit status (`? 44`) where it is not 0.
///
/// In the output, `{DATE}` stands for fourteen digits, `{HEXDATE}` for the same in hexadecimal, `{ISO}` for a time in JSON,
/// `{TIME}` for one in a table, `{DAY}` for a date, `{SHA256}` for a digest, and `{ANY}` for the rest of a line; other names
/// for what the test says.
package struct Transcript: CustomTestStringConvertible, Sendable {
    package let name: String
    package let status: Int32
    package let steps: [Step]

    package struct Step: Sendable {
        package let command: String
        package var output: [String] = []
        package var errors: [String] = []
        package var status: Int32 = 0
    }

    struct Malformed: Error {
        let line: String
    }

    package var testDescription: String { name }

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

    /// Those of a test target.
    package static func all(in bundle: Bundle) -> [Transcript] {
        let folder = bundle.url(forResource: "Transcripts", withExtension: nil)
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
    }

    private init(name: String) {
        self.name = name
        status = -1
        steps = []
    }
}

/// Whether lines are as a transcript says, placeholders and all.
///
/// - Parameter names: what stands for what.
package func matches(_ text: String, _ expected: [String], _ names: [String: String]) throws -> Bool {
    let pattern = expected.map { line in
        names.reduce(NSRegularExpression.escapedPattern(for: line)) { line, name in
            line.replacingOccurrences(
                of: "\\{\(name.key)\\}",
                with: NSRegularExpression.escapedPattern(for: name.value)
            )
        }
        .replacingOccurrences(of: "\\{DATE\\}", with: "[0-9]{14}")
        .replacingOccurrences(of: "\\{HEXDATE\\}", with: "(?:3[0-9]){14}")
        .replacingOccurrences(of: "\\{ISO\\}", with: "[0-9-]{10}T[0-9:]{8}Z")
        .replacingOccurrences(of: "\\{TIME\\}", with: "[0-9-]{10} [0-9:]{5}")
        .replacingOccurrences(of: "\\{DAY\\}", with: "[0-9]{4}-[0-9]{2}-[0-9]{2}")
        .replacingOccurrences(of: "\\{SHA256\\}", with: "[0-9a-f]{64}")
        .replacingOccurrences(of: "\\{ANY\\}", with: ".*") + "\n"
    }.joined()
    let expression = try NSRegularExpression(pattern: "\\A\(pattern)\\z")
    return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
}
