import Foundation
import KeychainTestSupport

/// A program that is run to its end.
struct Command {
    struct Result {
        let status: Int32
        let output: Data
        let errors: String

        /// What can be read of the output.
        var text: String { String(decoding: output.prefix(400), as: UTF8.self) }

        func contains(_ text: String) -> Bool { output.contains(bytes: text.utf8) }

        /// All that was printed, to output and errors.
        var everything: String { String(decoding: output, as: UTF8.self) + errors }
    }

    let words: [String]
    private let environment: [String: String]?

    /// - Parameters:
    ///   - words: the program, by its path or as a shell would find it, and its arguments.
    ///   - environment: instead of this process's own.
    init(_ words: [String], environment: [String: String]? = nil) {
        self.words = words
        self.environment = environment
    }

    /// The same as another user, without groups and rights.
    init(_ words: [String], as uid: UInt32, environment: [String: String]) {
        // Through env, so that nothing of the dynamic linker's touches setpriv.
        let variables = environment.map { "\($0.key)=\($0.value)" }
        self.init(
            ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "env", "-i"] + variables + words
        )
    }

    /// - Parameter input: what it reads, and then its input ends.
    func run(input: String = "") throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        if let environment { process.environment = environment }
        let folder = FileManager.default.temporaryDirectory
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        let errors = folder.appending(path: "errors-\(UUID().uuidString)")
        defer {
            for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
        }
        for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        let words = folder.appending(path: "input-\(UUID().uuidString)")
        try Data(input.utf8).write(to: words)
        process.standardInput = try FileHandle(forReadingFrom: words)
        try FileManager.default.removeItem(at: words)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.runHearingSignals()
        process.waitForExit()
        return Result(
            status: process.terminationStatus,
            output: try Data(contentsOf: output),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }

    static func find(_ program: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map {
            $0 + "/" + program
        }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// A program that runs until it is stopped or crashes.
final class RunningProgram {
    private let process = Process()
    private let input = Pipe()
    private let output: String

    /// - Parameters:
    ///   - words: what it is told; its input stays open.
    ///   - expected: what it prints once it is ready; nil where that is seen otherwise.
    init(_ command: Command, in folder: String, telling words: String = "", until expected: String?) throws {
        output = folder + "/running-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command.words
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = input
        let file = try FileHandle(forWritingTo: URL(filePath: output))
        _ = try file.seekToEnd()
        process.standardOutput = file
        process.standardError = file
        try process.runHearingSignals()
        try input.fileHandleForWriting.write(contentsOf: Data(words.utf8))
        guard let expected else { return }
        guard eventually({ self.text.contains(expected) || !self.process.isRunning }), text.contains(expected) else {
            throw AttackFailure("\(command.words) is not ready: \(text)")
        }
    }

    deinit { stop() }

    var text: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    /// Ends it, and waits for that.
    func stop() {
        guard process.isRunning else { return }
        // Most of what starts it hands this signal on.
        kill(process.processIdentifier, SIGTERM)
        if eventually(patience: 2, { !self.process.isRunning }) { return }
        // unshare(1) holds it back while it waits for its child. Its own end ends the child.
        kill(process.processIdentifier, SIGKILL)
        _ = waitForEnd()
    }

    var isRunning: Bool { process.isRunning }

    func waitForEnd() -> Bool { eventually { !self.process.isRunning } }
}
