import Foundation
import Glibc

/// A keychain service in a process of its own, in session mode.
package final class ServiceProcess: @unchecked Sendable {
    // Unchecked: `process` is made in the initialiser and asked for its state after that.
    private let process = Process()
    package let socket: String
    package let directory: String
    package let errors: String

    /// - Parameters:
    ///   - folder: where socket, keychain and log are.
    ///   - wrapper: a program and its arguments that start the service.
    package init(
        in folder: String,
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
        _ = try log.seekToEnd()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            wrapper + [Self.program("chatelained"), "--session", "--directory", directory]
            + (bindsSocket ? ["--socket", socket] : []) + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardError = log
        try process.run()
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
            if log.contains("serving keychains") { return true }
            if !process.isRunning { return false }
            usleep(5000)
        }
        return false
    }

    package func kill(_ signal: Int32 = SIGKILL) {
        Glibc.kill(process.processIdentifier, signal)
    }

    package func waitForExit() -> Int32 {
        // `waitUntilExit` runs the thread's run loop, and was seen not to return on a thread that is not the main one.
        while process.isRunning { usleep(2000) }
        return process.terminationStatus
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
