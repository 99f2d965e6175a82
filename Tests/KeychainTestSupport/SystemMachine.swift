import Foundation
import Glibc

/// A machine as a program sees it whose keychain service is the system's: the service listens where programs look for it, and
/// an ordinary person, alice, has programs and a home folder.
///
/// It is in namespaces of its own, of mounts and processes. Only root can make it.
package final class SystemMachine: @unchecked Sendable {
    // Unchecked: a test has one, and uses it from one thread.
    private let holder = Process()
    private var service: ServiceProcess?
    private var started: [Process] = []
    /// Where the service's files are.
    package let folder: String
    package var home: String { folder + "/home" }
    /// In the machine, where nobody but root writes.
    package static let programs = "/run/programs"

    /// - Parameter names: the programs that are installed.
    package init(installing names: [String]) throws {
        folder = FileManager.default.temporaryDirectory.path + "/machine-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        chmod(folder, 0o755)
        chown(home, SystemService.alice, SystemService.alice)
        let copies = names.map { "cp '\(ServiceProcess.program($0))' \(Self.programs)/\($0)" }
        let script = """
            set -e
            mount -t tmpfs -o mode=755 tmpfs /run
            mkdir -p /run/chatelaine \(Self.programs)
            mount --bind '\(folder)' /run/chatelaine
            cp /etc/passwd /run/passwd
            echo 'alice:x:\(SystemService.alice):\(SystemService.alice)::\(home):/bin/sh' >>/run/passwd
            mount --bind /run/passwd /etc/passwd
            \(copies.joined(separator: "\n"))
            echo made >'\(folder)/made'
            exec sleep infinity
            """
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = [
            "unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc", "sh",
            "-c", script,
        ]
        holder.standardInput = FileHandle.nullDevice
        try holder.runHearingSignals()
        try waitUntil("the machine is made") { FileManager.default.fileExists(atPath: folder + "/made") }
        let service = try ServiceProcess(in: folder, mode: .system, wrapper: entering)
        self.service = service
        guard service.waitUntilReady() else { throw NeverHappened(description: "the service did not start: \(log)") }
    }

    deinit {
        // With the machine's first process all others end.
        kill(holder.processIdentifier, SIGKILL)
        holder.waitForExit()
        _ = service?.waitForExit()
        for process in started { process.waitForExit() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    package var log: String { service?.log ?? "" }

    private var entering: [String] {
        let names = "/proc/\(holder.processIdentifier)/ns"
        return ["nsenter", "--mount=\(names)/mnt", "--pid=\(names)/pid_for_children", "--wd=.", "--"]
    }

    private var becomingAlice: [String] {
        entering
            + [
                "setpriv", "--reuid", "\(SystemService.alice)", "--regid", "\(SystemService.alice)", "--clear-groups",
                "--",
            ]
    }

    private func environment(_ variables: [String: String]) -> [String: String] {
        ["PATH": Self.programs + ":/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": home]
            .merging(QuickPasscodes.environment) { $1 }
            .merging(variables) { $1 }
    }

    /// Runs a program as alice.
    package func run(
        _ words: [String],
        input: String = "",
        _ variables: [String: String] = [:],
        asRoot: Bool = false
    ) throws -> FinishedProgram {
        try FinishedProgram(
            (asRoot ? entering : becomingAlice) + words,
            in: home,
            environment: environment(variables),
            input: Data(input.utf8),
            hasOwnSession: false
        )
    }

    /// Starts a program as alice, which runs until the machine ends. What it complains of is in a file of her home.
    package func start(_ words: [String], log: String, _ variables: [String: String] = [:]) throws {
        _ = FileManager.default.createFile(atPath: home + "/" + log, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = becomingAlice + words
        process.environment = environment(variables)
        process.currentDirectoryURL = URL(filePath: home)
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: home + "/" + log)
        try process.runHearingSignals()
        started.append(process)
    }

    /// A file of alice's home.
    package func read(_ name: String) -> String {
        (try? String(contentsOfFile: home + "/" + name, encoding: .utf8)) ?? ""
    }
}
