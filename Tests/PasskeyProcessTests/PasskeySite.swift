import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A keychain service, a security key with its passkeys, and somebody who answers what they are asked.
final class PasskeySite: @unchecked Sendable {
    // Unchecked: a test has one site, and uses it from one thread.
    static let passcode = "right"

    let person: ScriptedPinentry
    private let keychain: TestKeychain
    private let service: ServiceProcess
    private let device = Process()

    var folder: String { keychain.surroundings }
    /// What clients connect to.
    let socket: String
    var log: String { (try? String(contentsOfFile: folder + "/passkeys.log", encoding: .utf8)) ?? "" }

    /// - Parameters:
    ///   - options: of `chatelaine-passkeys serve`.
    ///   - isCopied: whether its file is a copy in the site's folder, called `serving`.
    init(
        options: [String] = [],
        hasPasscode: Bool = true,
        isCopied: Bool = false,
        device system: SystemDeviceSite? = nil
    ) throws {
        person = try ScriptedPinentry()
        keychain = try TestKeychain()
        socket = system?.node ?? keychain.surroundings + "/passkeys.sock"
        service = try ServiceProcess(in: keychain.surroundings, arguments: ["--pinentry", person.path])
        try #require(service.waitUntilReady(), "\(service.log)")
        if hasPasscode {
            let set = try run("chatelaine", ["passcode", "set", "--stdin"], input: Self.passcode + "\n")
            try #require(set.status == 0, "\(set.errors)")
        }
        _ = FileManager.default.createFile(atPath: folder + "/passkeys.log", contents: nil)
        var program = ServiceProcess.program("chatelaine-passkeys")
        if isCopied {
            try FileManager.default.copyItem(atPath: program, toPath: folder + "/serving")
            program = folder + "/serving"
        }
        device.executableURL = URL(filePath: program)
        device.arguments = ["serve"] + (system.map { ["--device", $0.socket] } ?? ["--socket", socket]) + options
        device.environment = environment
        device.standardInput = FileHandle.nullDevice
        device.standardError = FileHandle(forWritingAtPath: folder + "/passkeys.log")
        try device.runHearingSignals()
        let socket = socket
        try waitUntil("the device listens: \(log)") { FileManager.default.fileExists(atPath: socket) }
    }

    deinit {
        if device.isRunning { kill(device.processIdentifier, SIGKILL) }
        if device.processIdentifier > 0 { device.waitForExit() }
    }

    /// Waits until the security key has ended by itself.
    ///
    /// - Returns: its exit status.
    func waitForEnd() throws -> Int32 {
        try waitUntil("the security key has ended: \(log)") { !device.isRunning }
        return device.terminationStatus
    }

    /// Ends the security key.
    func stop() {
        kill(device.processIdentifier, SIGTERM)
        device.waitForExit()
    }

    // MARK: - The person

    /// The person types the passcode, so many times.
    func allow(_ count: Int = 1) {
        for _ in 0..<count { person.answer(.secret(Self.passcode)) }
    }

    // MARK: - Programs

    private var environment: [String: String] {
        [
            "PATH": ServiceProcess.program("") + ":/usr/sbin:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
            "CHATELAINE_KEYCHAIN": "unix:" + service.socket, "XDG_RUNTIME_DIR": folder,
        ]
        .merging(QuickPasscodes.environment) { $1 }
    }

    /// - Parameter variables: set beside the usual ones.
    @discardableResult
    func run(
        _ program: String,
        _ arguments: [String],
        input: String = "",
        _ variables: [String: String] = [:]
    ) throws -> FinishedProgram {
        try FinishedProgram(
            [program] + arguments,
            in: folder,
            environment: environment.merging(variables) { $1 },
            input: Data(input.utf8),
            hasOwnSession: false
        )
    }

    /// What `chatelaine-passkeys` says.
    func passkeys(_ arguments: String...) throws -> FinishedProgram { try run("chatelaine-passkeys", arguments) }

    /// What `chatelaine-passkeys list` says, which the person allows.
    func listed() throws -> String {
        allow()
        let list = try passkeys("list")
        try #require(list.status == 0, "\(list.errors)")
        return list.output
    }

    /// Plays a browser and a site, or another client of the device's.
    ///
    /// - Parameter arguments: of Client/passkey_client.py.
    func client(_ arguments: String...) throws -> ClientAnswer {
        let finished = try run(PasskeyClient.python, [PasskeyClient.program] + arguments + options)
        guard let answer = ClientAnswer(finished) else {
            throw POSIXError(.EBADMSG, userInfo: [NSLocalizedDescriptionKey: finished.output + finished.errors + log])
        }
        return answer
    }

    /// The same beside the test, which goes on.
    func startClient(_ arguments: String...) throws -> StartedClient {
        try StartedClient(PasskeyClient.python, [PasskeyClient.program] + arguments + options, environment, in: folder)
    }

    private var options: [String] { ["--socket", socket, "--state", folder + "/sites.json", "--timeout", "30"] }
}

/// Where the client of the tests is.
enum PasskeyClient {
    static let root = FileManager.default.currentDirectoryPath
    static let python = root + "/.build/passkey-client/bin/python3"
    static let program = root + "/Tests/PasskeyProcessTests/Client/passkey_client.py"
    static let isThere = FileManager.default.fileExists(atPath: root + "/.build/passkey-client/requirements.txt")
    static let reason: Comment = "needs Python's FIDO2 client, which scripts/setup.sh --tests fetches"
}

/// What the client has printed.
struct ClientAnswer {
    private let values: [String: Any]
    let text: String

    init?(_ finished: FinishedProgram) {
        guard let last = finished.lines.last,
            let values = try? JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
        else { return nil }
        self.values = values
        text = last + finished.errors
    }

    subscript(name: String) -> String? { values[name] as? String }
    func number(_ name: String) -> Int? { values[name] as? Int }
    func flag(_ name: String) -> Bool? { values[name] as? Bool }
    func list(_ name: String) -> [Any] { values[name] as? [Any] ?? [] }
    func map(_ name: String) -> [String: Any] { values[name] as? [String: Any] ?? [:] }

    /// The name of the error, or nil.
    var error: String? { self["error"] }
}

/// A client that runs beside a test.
final class StartedClient {
    private let process = Process()
    private let output: String

    init(_ program: String, _ arguments: [String], _ environment: [String: String], in folder: String) throws {
        output = folder + "/client-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
    }

    deinit { kill() }

    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitForExit()
    }

    func finish() throws -> ClientAnswer {
        process.waitForExit()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        return try #require(ClientAnswer(FinishedProgram(output: text, status: process.terminationStatus)), "\(text)")
    }
}
