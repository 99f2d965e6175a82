import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The program that serves the pages, with a keychain of a test's own, and somebody who answers what they are asked.
final class AccessProgram: @unchecked Sendable {
    // Unchecked: a test has one, and uses it from one thread.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        /// The program opens the keychain itself.
        case embedded
        /// A service of the session's has it.
        case service

        var testDescription: String { rawValue }
    }

    static let passcode = "right"

    let place: String
    let person: ScriptedPinentry
    let kind: Kind
    private var service: ServiceProcess?
    private let process = Process()

    /// - Parameters:
    ///   - items: commands of `security` that are run before it starts.
    ///   - display: whose clipboard it uses.
    ///   - more: what else is in its environment.
    init(
        _ kind: Kind = .embedded,
        hasPasscode: Bool = false,
        items: [[String]] = [],
        arguments: [String] = ["--no-browser"],
        display: TestDisplay? = nil,
        environment more: [String: String] = [:]
    ) throws {
        self.kind = kind
        place = FileManager.default.temporaryDirectory.path + "/chatelaine-access-\(UUID().uuidString)"
        person = try ScriptedPinentry()
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        if kind == .service {
            let started = try ServiceProcess(in: place, arguments: ["--pinentry", person.path])
            service = started
            try #require(started.waitUntilReady(), "\(started.log)")
        }
        for words in items { try succeed(["security"] + words) }
        if hasPasscode { try succeed(["chatelaine", "passcode", "set", "--stdin"], input: Self.passcode + "\n") }
        for file in [output, errors] { try Data().write(to: URL(filePath: file)) }
        process.executableURL = URL(filePath: ServiceProcess.program("chatelaine-access"))
        process.arguments = arguments
        process.environment = environment.merging(display?.environment ?? [:]) { $1 }.merging(more) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.runHearingSignals()
        try waitUntil("it prints its address: \(text(errors))") { [self] in
            text(output).hasSuffix("\n") || !process.isRunning
        }
        try #require(process.isRunning, "\(text(errors))")
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitForExit()
        service = nil
        try? FileManager.default.removeItem(atPath: place)
    }

    private var output: String { place + "/access.out" }
    private var errors: String { place + "/access.err" }

    private func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    /// The address that opens the pages, once.
    var address: String { text(output).split(separator: "\n").first.map(String.init) ?? "" }

    /// Such as `http://….localhost:40123`.
    var origin: String { address.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//") }
    var host: String { String(origin.dropFirst("http://".count)) }
    var port: UInt16 { host.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    private var environment: [String: String] {
        let keychain = kind == .embedded ? "embedded:" + place + "/keychain" : "unix:" + (service?.socket ?? "")
        let variables = [
            "CHATELAINE_KEYCHAIN": keychain, "CHATELAINE_PINENTRY": person.path, "SWIFT_BACKTRACE": "enable=no",
            "HOME": place, "PATH": "/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8",
        ]
        return variables.merging(QuickPasscodes.environment) { $1 }
    }

    /// Runs a command of ours with the same keychain.
    func run(_ words: [String], input: String = "") throws -> FinishedProgram {
        try FinishedProgram(
            [ServiceProcess.program(words[0])] + words.dropFirst(),
            in: place,
            environment: environment,
            input: Data(input.utf8)
        )
    }

    @discardableResult
    func succeed(_ words: [String], input: String = "") throws -> String {
        let finished = try run(words, input: input)
        try #require(finished.status == 0, "\(words): \(finished.errors)")
        return finished.output
    }

    /// The person types the passcode at the next prompt.
    func allow() { person.answer(.secret(Self.passcode)) }

    var isRunning: Bool { process.isRunning }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The status that it has ended with.
    func waitForEnd() throws -> Int32 {
        try waitUntil("it ends: \(text(errors))") { [self] in !process.isRunning }
        return process.waitForExit()
    }

    /// What it has written beside its address.
    var log: String { text(errors) }

    /// The memory that it has, in KiB.
    var residentMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
    }
}
