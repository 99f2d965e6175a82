import Foundation
import Glibc
import KeychainTestSupport

/// A folder of a test's own with a fresh keychain, and the built command to use on it.
final class Sandbox {
    let folder: URL

    /// What a child is given of the environment, and nothing else.
    var environment: [String: String] {
        [
            "PATH": "\(Self.executables):/usr/bin:/bin", "HOME": folder.path, "TZ": "UTC", "LANG": "C.UTF-8",
            "CHATELAINE_KEYCHAIN": "embedded:\(keychain)",
        ]
        .merging(QuickPasscodes.environment) { $1 }
    }

    var keychain: String { folder.path + "/keychain" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The folder of the test bundle, in which the command was built too.
    static let executables: String = {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let besideTests = URL(filePath: path).deletingLastPathComponent()
        if FileManager.default.isExecutableFile(atPath: besideTests.appending(path: "security").path) {
            return besideTests.path
        }
        // A test runner of the toolchain has loaded the bundle.
        return Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            .first { FileManager.default.isExecutableFile(atPath: $0.appending(path: "security").path) }?.path ?? ""
    }()

    struct Outcome: Equatable {
        var output: String
        var errors: String
        var status: Int32
    }

    /// Runs a line of shell.
    func run(_ line: String, input: String? = nil) throws -> Outcome {
        let streams = ["in", "out", "err"].map { folder.appending(path: $0) }
        try Data((input ?? "").utf8).write(to: streams[0])
        for stream in streams[1...] { try Data().write(to: stream) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = try FileHandle(forReadingFrom: streams[0])
        process.standardOutput = try FileHandle(forWritingTo: streams[1])
        process.standardError = try FileHandle(forWritingTo: streams[2])
        try process.runHearingSignals()
        process.waitForExit()
        return Outcome(
            output: String(decoding: try Data(contentsOf: streams[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: streams[2]), as: UTF8.self),
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        )
    }
}
