import Foundation
import KeychainSamples

/// A keychain service of the session, in a folder of its own.
final class Service {
    let socket: String
    private let folder: TemporaryFolder
    private let process = Process()

    init(in parent: URL) throws {
        folder = try TemporaryFolder("service", in: parent)
        socket = folder.url.appending(path: "socket").path
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "chatelained")
        process.arguments = [
            "--session", "--directory", folder.url.appending(path: "keychain").path, "--socket", socket,
        ]
        try process.run()
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    var environment: [String: String] { ["CHATELAINE_KEYCHAIN": "unix:\(socket)"] }

    func waitUntilReady() throws {
        for _ in 0..<5000 {
            if FileManager.default.fileExists(atPath: socket) { return }
            usleep(1000)
        }
        throw Failure("the service does not listen")
    }

    /// What the service has in memory, in MiB: all of it, and what it shares with no file.
    var memory: (resident: Double, own: Double) {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        func value(_ key: String) -> Double {
            let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
            return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Double($0) } ?? .nan
        }
        return (value("VmRSS:") / 1024, value("RssAnon:") / 1024)
    }
}
