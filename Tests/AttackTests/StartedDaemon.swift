import Foundation
import KeychainTestSupport

/// A service that was started as root, with the attacks' users, and serves.
struct StartedDaemon {
    /// Its own, or of what started it.
    let process: Int32

    /// What every service is told.
    static func options(in folder: String, socket: String, teams: String) -> [String] {
        [
            "--system", "--directory", folder + "/data", "--socket", socket, "--teams", teams,
            "--user", "\(AttackSite.service)", "--identify-user", "\(AttackSite.identify)",
            "--marker-group", "\(AttackSite.markerGroup)", "--enclave-user", "\(AttackSite.enclave)",
            "--enclave-directory", folder + "/enclave",
        ]
    }

    /// Returns once it serves.
    ///
    /// - Parameters:
    ///   - environment: nil for the tests' own.
    ///   - log: the file that its errors go to.
    init(_ words: [String], environment: [String: String]? = nil, log: String) throws {
        try? FileManager.default.removeItem(atPath: log)
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: URL(filePath: log))
        try process.runHearingSignals()
        self.process = process.processIdentifier
        AtEnd.kill(self.process)
        func logText() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        try waitUntil("the service has started: " + logText()) {
            guard process.isRunning else { throw AttackFailure("the service did not start: " + logText()) }
            return logText().contains("serving keychains")
        }
    }
}
