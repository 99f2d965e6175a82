import Foundation
import Glibc
import KeychainTestSupport

/// A home folder of a test's own, with the helper under all its names, and a keychain: embedded, or a session service's.
final class HelperSite {
    /// How the helper reaches its keychain.
    enum Keychain: Sendable {
        case embedded
        case session
        case system

        /// Those that can be tried here.
        static let allCases: [Keychain] = [.embedded, .session] + (SystemMode.isPossible ? [.system] : [])
    }

    typealias Outcome = FinishedProgram

    let folder: String
    private let service: ServiceProcess?
    private(set) var environment: [String: String]

    init(_ keychain: Keychain) throws {
        folder = FileManager.default.temporaryDirectory.path + "/credentials-\(UUID().uuidString)"
        for name in ["bin", "home"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        let program = ServiceProcess.program("chatelaine-credential")
        let names = [
            "git-credential-chatelaine", "docker-credential-chatelaine", "cargo-credential-chatelaine", "keyring",
            "chatelaine-credential",
        ]
        for name in names {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/bin/\(name)", withDestinationPath: program)
        }
        let own = ProcessInfo.processInfo.environment
        let home = own["HOME"] ?? "/root"
        environment = own.merging([
            "PATH": "\(folder)/bin:" + (own["PATH"] ?? "/usr/bin:/bin"), "HOME": folder + "/home", "LC_ALL": "C.UTF-8",
            "CARGO_HOME": folder + "/home/.cargo", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            // Programs that choose among versions look for these in the home folder, which is another here.
            "RUSTUP_HOME": own["RUSTUP_HOME"] ?? home + "/.rustup", "PYENV_ROOT": own["PYENV_ROOT"] ?? home + "/.pyenv",
        ]) { $1 }
        switch keychain {
        case .embedded:
            service = nil
            environment["CHATELAINE_KEYCHAIN"] = "embedded:\(folder)/keychain"
        case .session, .system:
            // The service's own user enters it.
            chmod(folder, 0o755)
            let started = try ServiceProcess(in: folder, mode: keychain == .system ? .system : .session)
            guard started.waitUntilReady() else { throw POSIXError(.ETIMEDOUT) }
            environment["CHATELAINE_KEYCHAIN"] = "unix:" + started.socket
            service = started
        }
    }

    deinit {
        service?.kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func write(_ text: String, to path: String) throws {
        let url = URL(filePath: folder + "/" + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Runs a line of shell, without a terminal.
    ///
    /// - Parameter seconds: after which `timeout` ends it, with the status 124.
    func run(_ line: String, input: Data = Data(), seconds: Int = 60) throws -> Outcome {
        let words = ["/bin/sh", "-c", line]
        return try FinishedProgram(words, in: folder, environment: environment, input: input, seconds: seconds)
    }

    func run(_ line: String, input: String, seconds: Int = 60) throws -> Outcome {
        try run(line, input: Data(input.utf8), seconds: seconds)
    }

    static func program(_ name: String) -> String { ServiceProcess.program(name) }
}
