import Foundation
import KeychainTestSupport
import TranscriptTesting

/// A folder of a test's own, in which lines of shell run with the built command at hand.
final class ChatelaineSession {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "chatelaine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The tests lie beside the command.
    private static let executables: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: own).deletingLastPathComponent().path
    }()

    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "scripts").path

    struct Outcome {
        let output: String
        let errors: String
        let status: Int32
    }

    func run(_ line: String) throws -> Outcome {
        let process = Process()
        let streams = ["out", "err"].map { folder.appending(path: ".\($0)") }
        for stream in streams { try Data().write(to: stream) }
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": "\(Self.executables):/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "BUILT": Self.executables,
            "SCRIPTS": Self.scripts,
        ]
        .merging(QuickPasscodes.environment) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: streams[0])
        process.standardError = try FileHandle(forWritingTo: streams[1])
        try process.runHearingSignals()
        process.waitForExit()
        return Outcome(
            output: String(decoding: try Data(contentsOf: streams[0]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: streams[1]), as: UTF8.self),
            status: process.terminationStatus
        )
    }
}
