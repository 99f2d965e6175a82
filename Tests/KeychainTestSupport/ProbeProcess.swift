package import Foundation

/// Another process that uses a keychain: `KeychainProbe`, whose arguments say what it does.
package final class ProbeProcess {
    private let process = Process()
    private let input = Pipe()
    private let output: String
    private var isWaitedFor = false

    /// - Parameters:
    ///   - wrapper: a program and its arguments that start the probe, such as `strace -f`.
    ///   - environment: variables on top of this process's own.
    package init(
        _ keychain: TestKeychain,
        _ arguments: [String],
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        output = keychain.surroundings + "/output-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let command = wrapper + [Self.executable] + arguments
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment
            .merging(["CHATELAINE_KEYCHAIN": keychain.variable, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
    }

    deinit {
        if !isWaitedFor { kill() }
        try? FileManager.default.removeItem(atPath: output)
    }

    /// The probe lies beside the tests.
    package static let executable: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/KeychainProbe"
    }()

    package var identifier: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }

    /// What it has printed, line by line; a line without its end is left out.
    package var lines: [String] {
        let text = String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Waits until it has printed a line.
    package func waitForLine(_ line: String, patience: TimeInterval = 30) -> Bool {
        let deadline = Date() + patience
        while Date() < deadline {
            if lines.contains(line) { return true }
            if !process.isRunning { return lines.contains(line) }
            usleep(2000)
        }
        return false
    }

    /// Lets a probe that waits for its input go on.
    package func release() {
        // A byte, and not only the end of the pipe, which another child may have inherited.
        try? input.fileHandleForWriting.write(contentsOf: Data([10]))
        try? input.fileHandleForWriting.close()
    }

    package func signal(_ number: Int32) {
        Foundation.kill(process.processIdentifier, number)
    }

    package func kill() {
        signal(SIGKILL)
        signal(SIGCONT)
        _ = wait()
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit status; a signal counts as 128 and its number.
    @discardableResult
    package func wait() -> Int32 {
        process.waitForExit()
        isWaitedFor = true
        return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }

    /// Runs a probe to its end and returns what it printed.
    package static func run(
        _ keychain: TestKeychain,
        _ arguments: [String],
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws -> (status: Int32, lines: [String]) {
        let probe = try ProbeProcess(keychain, arguments, wrapper: wrapper, environment: environment)
        probe.release()
        let status = probe.wait()
        return (status, probe.lines)
    }
}

/// What this machine allows tests to do.
package enum Machine {
    /// Whether a process may trace another, as strace does.
    package static let allowsTracing = succeeds(["strace", "-f", "-e", "trace=none", "true"])
    /// Whether a process may have a mount namespace of its own.
    package static let allowsMounting = succeeds(
        ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt && umount /mnt"]
    )
    /// Whether files can be given to another user, and a process to another user's identity,
    /// and that one can run what lies beside the tests.
    package static let allowsOtherUsers =
        geteuid() == 0 && succeeds(nobody + ["test", "-x", ProbeProcess.executable])
    /// What starts a program as a user without rights.
    package static let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    package static let nobodyIdentifier: uid_t = 65534

    package static func succeeds(_ command: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.runHearingSignals()) != nil else { return false }
        process.waitForExit()
        return process.terminationStatus == 0
    }
}
