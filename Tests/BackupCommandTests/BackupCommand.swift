import Foundation
import KeychainTestSupport

/// The command `chatelaine` with a keychain that it opens itself.
struct BackupCommand {
    let keychain: TestKeychain

    /// - Parameters:
    ///   - input: what it reads, line by line.
    ///   - wrapper: a program and its arguments that start it.
    func run(
        _ arguments: [String],
        input: [String] = [],
        wrapper: [String] = [],
        variable: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = wrapper + [ServiceProcess.program("chatelaine")] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["CHATELAINE_KEYCHAIN": variable ?? keychain.variable, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let files = (0..<3).map { _ in keychain.surroundings + "/io-\(UUID().uuidString)" }
        try Data(input.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: files[0]))
        for file in files.dropFirst() { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: files[0]))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: files[1]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: files[2]))
        try process.runHearingSignals()
        process.waitForExit()
        func text(_ file: String) -> String {
            String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        }
        let signal: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        return (process.terminationStatus + signal, text(files[1]), text(files[2]))
    }

    func path(_ name: String) -> String { keychain.surroundings + "/" + name }

    func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(name), &status) == 0
    }
}
