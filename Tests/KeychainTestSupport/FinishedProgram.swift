package import Foundation

/// A program that a test has run to its end, and what it said.
package struct FinishedProgram: Sendable {
    package let output: String
    package let errors: String
    /// As a shell has it: 128 and more where a signal ended the program.
    package let status: Int32

    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// One that was run by other means.
    package init(output: String, errors: String = "", status: Int32) {
        self.output = output
        self.errors = errors
        self.status = status
    }

    /// Runs a program. Its standard streams are files: who leaves a process behind holds up nobody.
    ///
    /// - Parameters:
    ///   - words: the program, which is looked for in the environment's PATH, and its arguments.
    ///   - folder: where it runs, and where the files are meanwhile.
    ///   - hasOwnSession: whether it cannot reach a terminal. A signal that ends it is a status like others then.
    ///   - seconds: after which `timeout` ends it, with the status 124.
    package init(
        _ words: [String],
        in folder: String,
        environment: [String: String],
        input: Data = Data(),
        hasOwnSession: Bool = true,
        seconds: Int = 60
    ) throws {
        let streams = ["in", "out", "err"].map { URL(filePath: "\(folder)/stream-\(UUID().uuidString).\($0)") }
        defer { for stream in streams { try? FileManager.default.removeItem(at: stream) } }
        try input.write(to: streams[0])
        for stream in streams[1...] { try Data().write(to: stream) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = (hasOwnSession ? ["setsid", "--wait"] : []) + ["timeout", "\(seconds)"] + words
        process.environment = environment
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = try FileHandle(forReadingFrom: streams[0])
        process.standardOutput = try FileHandle(forWritingTo: streams[1])
        process.standardError = try FileHandle(forWritingTo: streams[2])
        try process.runHearingSignals()
        process.waitForExit()
        output = String(decoding: try Data(contentsOf: streams[1]), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: streams[2]), as: UTF8.self)
        status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }
}
