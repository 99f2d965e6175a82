import Foundation
import KeychainTestSupport
import Synchronization
import Testing

/// A device of a person's, used by commands alone: a keychain, and the folder of its circle.
final class CommandDevice: Sendable {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        /// Each program opens the keychain itself.
        case embedded
        /// A service of the session's has it, in a process of its own.
        case service
        /// The system's service, with an enclave in a process of its own.
        case system

        var testDescription: String { rawValue }

        /// Those that can be tried here.
        static let possible: [Kind] = SystemMode.isPossible ? allCases : [.embedded, .service]
    }

    let place: String
    let folder: String
    let kind: Kind
    private let keychain: String
    private let service = Mutex<ServiceProcess?>(nil)

    /// - Parameter folder: that carries the circle, or the address of a cluster; a folder of its own where none is given.
    init(_ kind: Kind = .embedded, folder: String? = nil) throws {
        self.kind = kind
        place = FileManager.default.temporaryDirectory.path + "/chatelaine-sync-device-\(UUID().uuidString)"
        self.folder = folder ?? place + "/folder"
        keychain = place + "/keychain"
        if self.folder.hasPrefix("/") {
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try startService()
    }

    deinit {
        service.withLock { $0 = nil }
        try? FileManager.default.removeItem(atPath: place)
    }

    // MARK: - Its service

    /// Does nothing for an embedded keychain.
    func startService(wrapper: [String] = []) throws {
        guard kind != .embedded else { return }
        let started = try ServiceProcess(in: place, mode: kind == .system ? .system : .session, wrapper: wrapper)
        service.withLock { $0 = started }
        try #require(started.waitUntilReady(), "\(started.log)")
    }

    func killService() {
        service.withLock { service in
            service?.kill()
            _ = service?.waitForExit()
            service = nil
        }
    }

    /// Begins to carry what is written: as a part of a command, or in a process of its own.
    func carry() throws -> RunningCommand {
        try start(kind == .embedded ? ["chatelaine", "sync", "run"] : ["chatelaine-sync"])
    }

    /// What of it a copy of the disk has.
    private static let parts = ["keychain", "enclave"]

    /// A copy of its disk. The service must not run.
    func copy(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for part in Self.parts where FileManager.default.fileExists(atPath: place + "/" + part) {
            try Self.copy(place + "/" + part, to: folder + "/" + part)
        }
    }

    /// With owners and modes.
    private static func copy(_ source: String, to target: String) throws {
        let finished = try FinishedProgram(["cp", "-a", source, target], in: "/", environment: [:])
        try #require(finished.status == 0, "\(finished.errors)")
    }

    /// Has the disk of a copy. The service must not run.
    func setBack(to folder: String) throws {
        for part in Self.parts where FileManager.default.fileExists(atPath: folder + "/" + part) {
            try? FileManager.default.removeItem(atPath: place + "/" + part)
            try Self.copy(folder + "/" + part, to: place + "/" + part)
        }
    }

    /// What the service has written down.
    var record: String {
        let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.contains("audit") }.compactMap {
            try? String(contentsOfFile: place + "/" + $0, encoding: .utf8)
        }.joined()
    }

    private var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(
            [
                "CHATELAINE_KEYCHAIN": kind == .embedded ? "embedded:" + keychain : "unix:" + place + "/keychain.sock",
                "SWIFT_BACKTRACE": "enable=no",
            ]
        ) { $1 }
    }

    /// Runs a program of ours to its end.
    @discardableResult
    func run(_ words: [String], input: [String] = [], wrapper: [String] = []) throws -> FinishedProgram {
        try FinishedProgram(
            wrapper + [ServiceProcess.program(words[0])] + words.dropFirst(),
            in: place,
            environment: environment,
            input: Data(input.map { $0 + "\n" }.joined().utf8)
        )
    }

    /// Runs one that has to succeed.
    @discardableResult
    func done(
        _ words: [String],
        input: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let finished = try run(words, input: input)
        #expect(finished.status == 0, "\(words): \(finished.errors)", sourceLocation: sourceLocation)
        return finished.output
    }

    func start(_ words: [String]) throws -> RunningCommand {
        try RunningCommand(ServiceProcess.program(words[0]), Array(words.dropFirst()), environment, in: place)
    }

    // MARK: - Items

    func add(_ account: String, _ value: String) throws {
        try done([
            "security", "add-generic-password", "-U", "-s", "mail", "-a", account, "--synchronizable", "-w", value,
        ])
    }

    /// Nil where there is none.
    func value(_ account: String) throws -> String? {
        let finished = try run(["security", "find-generic-password", "-s", "mail", "-a", account, "-w"])
        return finished.status == 0 ? finished.lines.first : nil
    }

    // MARK: - Its circle

    @discardableResult
    func now() throws -> [String: Any] {
        let output = try done(["chatelaine", "sync", "now", "--json"])
        return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }

    func status() throws -> [String: Any] {
        let output = try done(["chatelaine", "sync", "status", "--json"])
        return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }

    /// Adds another device: the digits of each are typed at the other one.
    func approve(
        _ other: CommandDevice,
        as name: String = "another device",
        passcodes: (mine: [String], others: [String]) = ([], [])
    ) throws {
        let join = try other.start(["chatelaine", "sync", "join", other.folder, "--name", name, "--stdin"])
        let approve = try start(["chatelaine", "sync", "approve", "--stdin"])
        defer {
            join.kill()
            approve.kill()
        }
        for line in passcodes.mine { try approve.type(line) }
        for line in passcodes.others { try join.type(line) }
        try approve.type(try join.digits("Type at the other device: "))
        try join.type(try approve.digits("Type at the new device: "))
        #expect(approve.wait() == 0, "\(approve.errors)")
        #expect(join.wait() == 0, "\(join.errors)")
    }
}

/// A command that goes on while others run, and is typed at.
final class RunningCommand {
    private let process = Process()
    private let input = Pipe()
    private let files: [String]

    init(_ program: String, _ arguments: [String], _ environment: [String: String], in place: String) throws {
        files = ["out", "err"].map { place + "/running-\(UUID().uuidString).\($0)" }
        for file in files { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: files[0]))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: files[1]))
        try process.runHearingSignals()
    }

    deinit { kill() }

    private func text(_ index: Int) -> String {
        String(decoding: FileManager.default.contents(atPath: files[index]) ?? Data(), as: UTF8.self)
    }

    var output: String { text(0) }
    var errors: String { text(1) }

    func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// The digits that stand behind some words.
    func digits(_ words: String) throws -> String {
        var found = ""
        try waitUntil("the command shows digits: \(errors)") {
            found =
                output.split(separator: "\n").first { $0.hasPrefix(words) }.map { String($0.dropFirst(words.count)) }
                ?? ""
            return !found.isEmpty || !process.isRunning
        }
        try #require(!found.isEmpty, "\(errors)")
        return found
    }

    func wait() -> Int32 { process.waitForExit(patience: 60) }

    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitForExit(patience: 60)
    }
}
