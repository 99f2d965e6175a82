import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A keychain service, the ssh agent with keys in it, and somebody who answers what they are asked.
final class AgentSite: SSHSite, @unchecked Sendable {
    // Unchecked: a test has one site, and uses it from one thread.
    static let passcode = "right"

    let person: ScriptedPinentry
    private let keychain: TestKeychain
    private var service: ServiceProcess
    private let options: [String]
    /// Set for the agent beside the usual ones.
    private let variables: [String: String]
    /// Where the user database has the test's folder as the home of the user of the tests; nil where a manager has it.
    private let mounts: OwnMounts?
    /// What the site's programs are started by.
    private let wrapper: [String]
    private var agent = Process()
    private var ownRequests = 1

    /// Where a test's files are; the agent's home too.
    var folder: String { keychain.surroundings + "/home" }
    var runtimeFolder: String { keychain.surroundings }
    /// What HOME says to the agent. Its `known_hosts` names keys as a test has it.
    var decoy: String { keychain.surroundings + "/decoy" }
    var socket: String { folder + "/run/ssh.sock" }
    var log: String { (try? String(contentsOfFile: folder + "/agent.log", encoding: .utf8)) ?? "" }

    /// - Parameters:
    ///   - options: of the keychain service.
    ///   - hasPasscode: whether there is something to tell the owner by.
    ///   - manager: where the agent is a unit; it is not started then.
    init(
        _ answers: [ScriptedPinentry.Answer] = [],
        options: [String] = [],
        hasPasscode: Bool = true,
        variables: [String: String] = [:],
        inside manager: UserManager? = nil
    ) throws {
        person = try ScriptedPinentry()
        keychain = try TestKeychain()
        self.options = ["--pinentry", person.path] + options
        self.variables = variables
        try FileManager.default.createDirectory(
            atPath: keychain.surroundings + "/home/.ssh",
            withIntermediateDirectories: true
        )
        if manager == nil, geteuid() == 0 {
            let passwords = try Self.passwords(withHome: keychain.surroundings + "/home")
            mounts = try OwnMounts("mount --bind '\(passwords)' /etc/passwd", sign: passwords + ".mounted")
        } else {
            mounts = nil
        }
        wrapper = manager?.wrapper ?? mounts?.wrapper ?? []
        service = try ServiceProcess(in: keychain.surroundings, arguments: self.options, wrapper: wrapper)
        try #require(service.waitUntilReady(), "\(service.log)")
        if hasPasscode {
            let set = try run("chatelaine", ["passcode", "set", "--stdin"], input: Self.passcode + "\n")
            try #require(set.status == 0, "\(set.errors)")
        }
        answer(answers)
        if manager == nil { try start() }
    }

    deinit {
        if agent.isRunning { kill(agent.processIdentifier, SIGKILL) }
        if agent.processIdentifier > 0 { agent.waitForExit() }
    }

    private func start() throws {
        _ = FileManager.default.createFile(atPath: folder + "/agent.log", contents: nil)
        agent.executableURL = URL(filePath: "/usr/bin/env")
        agent.arguments = wrapper + [ServiceProcess.program("chatelaine-ssh-agent"), "serve", "--socket", socket]
        // The agent's home is the user database's, whatever this says.
        agent.environment = environment.merging(["HOME": decoy]) { $1 }.merging(variables) { $1 }
        agent.standardInput = FileHandle.nullDevice
        agent.standardError = FileHandle(forWritingAtPath: folder + "/agent.log")
        try agent.runHearingSignals()
        try waitUntil("the agent listens: \(log)") { isListening(at: socket) }
    }

    /// A file for `/etc/passwd` in which the user of the tests has another home folder.
    static func passwords(withHome folder: String) throws -> String {
        let lines = try String(contentsOfFile: "/etc/passwd", encoding: .utf8).split(separator: "\n").map { line in
            var fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            if fields.count == 7, fields[2] == "\(geteuid())" { fields[5] = folder }
            return fields.joined(separator: ":") + "\n"
        }
        try Data(lines.joined().utf8).write(to: URL(filePath: folder + "/passwd"))
        return folder + "/passwd"
    }

    /// Ends the agent, and starts another one at the same place.
    func restart() throws {
        kill(agent.processIdentifier, SIGTERM)
        agent.waitForExit()
        agent = Process()
        try start()
        try waitUntil("the new agent answers: \(log)") { try run("ssh-add", ["-l"]).status != 2 }
    }

    /// Ends the keychain service, and starts another one at the same place.
    func restartService() throws {
        service.kill()
        _ = service.waitForExit()
        try FileManager.default.removeItem(atPath: service.errors)
        service = try ServiceProcess(in: keychain.surroundings, arguments: options, wrapper: wrapper)
        try #require(service.waitUntilReady(), "\(service.log)")
    }

    var isRunning: Bool { agent.isRunning }

    func signal(_ number: Int32) { kill(agent.processIdentifier, number) }

    /// The memory that the agent has, in KiB.
    var residentMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(agent.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
    }

    /// What the person does at the next prompts.
    func answer(_ answers: [ScriptedPinentry.Answer]) {
        for answer in answers { person.answer(answer) }
    }

    /// The person types the passcode, so many times.
    func allow(_ count: Int = 1) { answer([ScriptedPinentry.Answer](repeating: .secret(Self.passcode), count: count)) }

    var environment: [String: String] {
        [
            "PATH": ServiceProcess.program("") + ":/usr/sbin:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
            "CHATELAINE_KEYCHAIN": "unix:" + service.socket, "SSH_AUTH_SOCK": socket,
            "XDG_RUNTIME_DIR": runtimeFolder,
        ]
        .merging(QuickPasscodes.environment) { $1 }
    }

    typealias Outcome = FinishedProgram

    /// Runs a program that uses the agent, for a minute at most.
    ///
    /// - Parameter variables: set beside the usual ones.
    @discardableResult
    func run(
        _ program: String,
        _ arguments: [String],
        input: String = "",
        _ variables: [String: String] = [:]
    ) throws -> Outcome {
        try FinishedProgram(
            wrapper + [program] + arguments,
            in: folder,
            environment: environment.merging(variables) { $1 },
            input: Data(input.utf8),
            hasOwnSession: false
        )
    }

    func run(words: [String]) throws -> FinishedProgram { try run(words[0], Array(words.dropFirst())) }

    /// The same, where it has to succeed.
    @discardableResult
    func succeed(
        _ program: String,
        _ arguments: [String],
        input: String = "",
        _ variables: [String: String] = [:]
    ) throws -> String {
        let outcome = try run(program, arguments, input: input, variables)
        try #require(outcome.status == 0, "\(program) \(arguments): \(outcome.output)\(outcome.errors)\(log)")
        return outcome.output
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }

    /// How many requests others have made of the keychain service.
    func requests() throws -> Int {
        let status = try succeed("chatelaine", ["status"])
        // A status asks twice, and the second time comes after the count.
        defer { ownRequests += 2 }
        return try ServiceProcess.requests(inStatus: status) - ownRequests
    }

    /// How many connections the keychain service has taken, that of the question among them.
    func connections() throws -> Int {
        try ServiceProcess.count("chatelained_connections_accepted", inStatus: succeed("chatelaine", ["status"]))
    }

    // MARK: - Keys

    /// Makes a key pair in files.
    func makeKey(_ name: String, _ options: [String] = ["-t", "ed25519"], passphrase: String = "") throws {
        try succeed("ssh-keygen", ["-q", "-N", passphrase, "-C", name, "-f", name] + options)
    }

    /// Makes a key in the enclave, with its public half in a file.
    ///
    /// - Returns: the line of `authorized_keys`.
    func createKey(_ name: String = "enclave", _ options: [String] = []) throws -> String {
        let line = try succeed("chatelaine", ["ssh", "create", "--comment", name] + options)
        try write(line, to: name + ".pub")
        return line
    }

    /// The comments of the keys that `ssh-add -l` shows.
    func listed() throws -> [String] {
        let outcome = try run("ssh-add", ["-l"])
        guard outcome.status == 0 else { return [] }
        return outcome.lines.map { $0.split(separator: " ").dropFirst(2).dropLast().joined(separator: " ") }
    }

    /// A program that types a passphrase for ssh-add.
    func askpass(_ text: String) throws -> [String: String] {
        let path = folder + "/askpass-\(UUID().uuidString.prefix(6))"
        try writeProgram("#!/bin/sh\nprintf '%s\\n' '\(text)'\n", to: path)
        return ["SSH_ASKPASS": path, "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":none"]
    }
}
