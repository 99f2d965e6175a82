import Foundation
import Glibc

/// The keychain service in system mode, with its helpers, each as a user of its own. Only root can start it.
package final class SystemService {
    /// Numbers that nobody has.
    package static let alice: UInt32 = 64_120
    private static let service = 64_121
    private static let identify = 64_122
    private static let enclave = 64_123
    private static let marker = 64_124

    package let folder: String
    package var socket: String { folder + "/keychain.sock" }
    /// Where the service, the enclave, and alice may write.
    package var data: String { folder + "/data" }
    package var home: String { folder + "/home" }
    private let process = Process()

    package init(options: [String] = []) throws {
        // Alice's programs have to be where she can run them.
        folder = FileManager.default.temporaryDirectory.path + "/system-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder + "/teams", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder + "/home", withIntermediateDirectories: true)
        chmod(folder, 0o755)
        chown(folder + "/home", Self.alice, Self.alice)
        try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: ServiceProcess.program("chatelaine"),
            toPath: folder + "/bin/chatelaine"
        )
        let log = folder + "/log"
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.executableURL = URL(filePath: ServiceProcess.program("chatelained"))
        process.arguments =
            [
                "--system", "--directory", folder + "/data", "--socket", folder + "/keychain.sock",
                "--teams", folder + "/teams", "--user", "\(Self.service)", "--identify-user", "\(Self.identify)",
                "--marker-group", "\(Self.marker)", "--enclave-user", "\(Self.enclave)",
                "--enclave-directory", folder + "/enclave",
            ] + options
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.runHearingSignals()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitForExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    package var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

    package func waitUntilReady() -> Bool {
        for _ in 0..<6_000 {
            if log.contains("serving keychains") { return true }
            if !process.isRunning { return false }
            usleep(5_000)
        }
        return false
    }

    /// Gives alice's keychain its first passcode over the trusted path: as root. Her own programs cannot.
    package func setPasscode(_ passcode: String) throws {
        // It makes her keychain, and is refused.
        let own = try chatelaine(["passcode", "set", "--stdin"], input: [passcode])
        let set = try chatelaine(
            ["passcode", "set", "--stdin", "--uid", "\(Self.alice)"],
            input: [passcode],
            isRoot: true
        )
        guard own.status == 1, set.status == 0 else { throw Unprepared(description: own.errors + set.errors + log) }
    }

    private struct Unprepared: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs the command `chatelaine` as alice, or as root.
    ///
    /// - Parameter input: what it reads, line by line.
    package func chatelaine(
        _ arguments: [String],
        input: [String] = [],
        isRoot: Bool = false
    ) throws -> (status: Int32, output: String, errors: String) {
        let asAlice = ["setpriv", "--reuid", "\(Self.alice)", "--regid", "\(Self.alice)", "--clear-groups", "--"]
        let program = try FinishedProgram(
            (isRoot ? [] : asAlice) + [folder + "/bin/chatelaine"] + arguments,
            in: folder,
            environment: ["PATH": "/usr/bin:/bin", "CHATELAINE_KEYCHAIN": "unix:" + socket],
            input: Data(input.map { $0 + "\n" }.joined().utf8),
            hasOwnSession: false,
            seconds: 600
        )
        return (program.status, program.output, program.errors)
    }
}
