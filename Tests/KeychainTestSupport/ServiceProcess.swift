import Foundation
import Glibc

/// A keychain service in a process of its own.
package final class ServiceProcess: @unchecked Sendable {
    // Unchecked: `process` is made in the initialiser and asked for its state after that.
    private let process = Process()
    package let socket: String
    package let directory: String
    package let errors: String
    /// What an earlier process in the same folder has written ends here.
    private let logStart: Int

    package enum Mode: CaseIterable, Sendable {
        case session
        /// Only root can start it, in a folder that all can enter.
        case system

        /// Those that can be tried here.
        package static let possible: [Mode] = SystemMode.isPossible ? [.session, .system] : [.session]
    }

    /// - Parameters:
    ///   - folder: where socket, keychain and log are.
    ///   - program: what plays the service.
    ///   - wrapper: a program and its arguments that start the service.
    package init(
        in folder: String,
        mode: Mode = .session,
        program: String = "chatelained",
        arguments: [String] = [],
        wrapper: [String] = [],
        environment: [String: String] = [:],
        bindsSocket: Bool = true
    ) throws {
        socket = folder + "/keychain.sock"
        directory = folder + "/keychain"
        errors = folder + "/log"
        if !FileManager.default.fileExists(atPath: errors) {
            _ = FileManager.default.createFile(atPath: errors, contents: nil)
        }
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        logStart = Int(try log.seekToEnd())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            wrapper + [Self.program(program), "--directory", directory] + Self.options(mode, in: folder)
            + (bindsSocket ? ["--socket", socket] : ["--control-socket", folder + "/enclave.sock"]) + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardError = log
        try process.runHearingSignals()
    }

    package static let enclaveUser = 64_034

    private static func options(_ mode: Mode, in folder: String) -> [String] {
        switch mode {
        case .session: ["--session"]
        // Numbers that nobody has.
        case .system:
            [
                "--system", "--teams", folder, "--user", "64031", "--identify-user", "64032", "--marker-group", "64033",
                "--enclave-user", "\(enclaveUser)", "--enclave-directory", folder + "/enclave", "--tpm", "none",
            ]
        }
    }

    deinit {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        _ = waitForExit()
    }

    /// A program that lies beside the tests.
    package static func program(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
            + name
    }

    package var identifier: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }
    package var log: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

    /// Waits until it takes connections.
    package func waitUntilReady() -> Bool {
        for _ in 0..<6000 {
            if log.utf8.dropFirst(logStart).firstRange(of: "serving keychains".utf8) != nil { return true }
            if !process.isRunning { return false }
            usleep(5000)
        }
        return false
    }

    package func kill(_ signal: Int32 = SIGKILL) {
        Glibc.kill(process.processIdentifier, signal)
    }

    package func waitForExit() -> Int32 {
        process.waitForExit()
    }

    /// The memory that it has, in KiB: now, and the most that it ever had.
    package var residentMemory: (now: Int, most: Int) {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
        }
        return (value("VmRSS"), value("VmHWM"))
    }
}

extension ServiceProcess {
    /// What `chatelaine status` says of how many requests the service has had.
    package static func requests(inStatus status: String) throws -> Int {
        try count("chatelained_requests", inStatus: status)
    }

    /// One of the numbers that `chatelaine status` prints.
    package static func count(_ name: String, inStatus status: String) throws -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        guard let number = line?.split(separator: " ").last.flatMap({ Int($0) }) else { throw POSIXError(.EBADMSG) }
        return number
    }
}
