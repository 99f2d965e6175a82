import Foundation
import Glibc
import KeychainTestSupport

/// A session of a test's own: a message bus, a home folder, a keychain, and the Secret Service on it.
final class SecretsSite {
    enum Keychain: Sendable, CaseIterable {
        case embedded
        case session
    }

    typealias Outcome = FinishedProgram

    let folder: String
    let environment: [String: String]
    let keychain: Keychain
    private var bus: Process
    private var service: ServiceProcess?
    private var secrets: Process?
    private var others: [Process] = []
    private var ownRequests = 1

    /// - Parameters:
    ///   - pinentry: by which a session's service asks.
    ///   - passcode: of the keychain.
    init(_ keychain: Keychain, pinentry: ScriptedPinentry? = nil, starts: Bool = true) throws {
        self.keychain = keychain
        folder = FileManager.default.temporaryDirectory.path + "/secrets-\(UUID().uuidString)"
        for name in ["home", "run"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        let address = "unix:path=\(folder)/bus"
        var environment = ProcessInfo.processInfo.environment.merging([
            "HOME": folder + "/home", "DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": folder + "/run",
            "XDG_DATA_HOME": folder + "/home/.local/share", "XDG_CONFIG_HOME": folder + "/home/.config",
            "LC_ALL": "C.UTF-8",
            "PROGRAMS": (ServiceProcess.program("chatelaine-secrets") as NSString)
                .deletingLastPathComponent,
        ]) { $1 }
        switch keychain {
        case .embedded: environment["CHATELAINE_KEYCHAIN"] = "embedded:\(folder)/keychain"
        case .session:
            let started = try Self.startKeychain(in: folder, pinentry)
            environment["CHATELAINE_KEYCHAIN"] = "unix:" + started.socket
            service = started
        }
        self.environment = environment
        bus = try Self.startBus(at: folder, environment)
        try waitUntil("the bus listens") { isListening(at: self.folder + "/bus") }
        if starts { try start() }
    }

    deinit {
        for process in others.reversed() {
            kill(process.processIdentifier, SIGKILL)
            process.waitForExit()
        }
        stop()
        bus.terminate()
        bus.waitForExit()
        service?.kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func startBus(at folder: String, _ environment: [String: String]) throws -> Process {
        let bus = Process()
        bus.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        bus.arguments = ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus"]
        bus.environment = environment
        bus.standardError = FileHandle.nullDevice
        try bus.runHearingSignals()
        return bus
    }

    /// Logs out and in: the bus ends, and with it what it has started, and another one takes its place.
    func logInAgain() throws {
        stop()
        bus.terminate()
        bus.waitForExit()
        try? FileManager.default.removeItem(atPath: folder + "/bus")
        bus = try Self.startBus(at: folder, environment)
        try waitUntil("the bus listens") { isListening(at: self.folder + "/bus") }
    }

    private static func startKeychain(in folder: String, _ pinentry: ScriptedPinentry?) throws -> ServiceProcess {
        let started = try ServiceProcess(in: folder, arguments: pinentry.map { ["--pinentry", $0.path] } ?? [])
        guard started.waitUntilReady() else { throw POSIXError(.ETIMEDOUT) }
        return started
    }

    /// Ends a session's keychain service, and starts it again: one with a passcode is locked then.
    func restartKeychain() throws {
        service?.kill()
        _ = service?.waitForExit()
        try? FileManager.default.removeItem(atPath: folder + "/keychain.sock")
        try? FileManager.default.removeItem(atPath: folder + "/log")
        service = try Self.startKeychain(in: folder, nil)
    }

    /// Starts the Secret Service, and waits until it has the name.
    func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: ServiceProcess.program("chatelaine-secrets"))
        process.arguments = ["serve"]
        process.environment = environment
        process.standardError = try FileHandle(forWritingTo: log())
        try process.runHearingSignals()
        secrets = process
        try waitUntil("the Secret Service has its name") {
            guard process.isRunning else { return false }
            return try self.hasOwner("org.freedesktop.secrets")
        }
    }

    func stop(_ signal: Int32 = SIGTERM) {
        guard let secrets else { return }
        kill(secrets.processIdentifier, signal)
        secrets.waitForExit()
        self.secrets = nil
    }

    /// Starts another program of the session, which ends with it.
    ///
    /// - Returns: its process, and the file that its output goes to.
    func launch(_ words: [String], _ more: [String: String] = [:]) throws -> (process: Process, log: String) {
        let log = folder + "/\(others.count).log"
        try Data().write(to: URL(filePath: log))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = environment.merging(more) { $1 }
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.runHearingSignals()
        others.append(process)
        return (process, log)
    }

    /// Keeps the bus from starting programs by these names, such as the portal of documents, which mounts a file system.
    func neverStart(_ names: String...) throws {
        let services = folder + "/home/.local/share/dbus-1/services"
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        for name in names {
            try "[D-BUS Service]\nName=\(name)\nExec=/bin/false\n".write(
                toFile: "\(services)/\(name).service",
                atomically: true,
                encoding: .utf8
            )
        }
        try reloadBus()
    }

    /// Has the bus read its files again, as it does at a log-in.
    func reloadBus() throws {
        try run(
            "gdbus call --session --dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.ReloadConfig"
        )
    }

    /// Waits until a name on the bus has an owner.
    func waitForName(_ name: String) throws {
        try waitUntil("\(name) has an owner") { try self.hasOwner(name) }
    }

    func hasOwner(_ name: String) throws -> Bool {
        try run(
            "gdbus call --session --dest org.freedesktop.DBus --object-path / --method "
                + "org.freedesktop.DBus.NameHasOwner \(name)"
        ).output.contains("true")
    }

    var processIdentifier: Int32 { secrets?.processIdentifier ?? -1 }

    private func log() throws -> URL {
        let url = URL(filePath: folder + "/secrets.log")
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        return url
    }

    /// Runs a line of bash, without a terminal. Its output has both streams.
    ///
    /// - Parameter seconds: after which `timeout` ends it, with the status 124.
    @discardableResult
    func run(_ line: String, input: String = "", seconds: Int = 60) throws -> Outcome {
        let words = ["bash", "-c", "exec 2>&1; PATH=$PROGRAMS:$PATH; \(line)"]
        return try FinishedProgram(
            words,
            in: folder,
            environment: environment,
            input: Data(input.utf8),
            seconds: seconds
        )
    }

    /// How many requests others have made of the keychain service.
    func requests() throws -> Int {
        let status = try run("chatelaine status").output
        // A status asks twice, and the second time comes after the count.
        defer { ownRequests += 2 }
        return try ServiceProcess.requests(inStatus: status) - ownRequests
    }

    func python(_ script: String, seconds: Int = 120) throws -> Outcome {
        try Data(script.utf8).write(to: URL(filePath: folder + "/script.py"))
        return try run("/usr/bin/python3 script.py", seconds: seconds)
    }

    func store(_ secret: String, label: String = "label", _ attributes: String) throws -> Outcome {
        try run("secret-tool store --label='\(label)' \(attributes)", input: secret)
    }

    func lookup(_ attributes: String) throws -> Outcome { try run("secret-tool lookup \(attributes)") }
}
