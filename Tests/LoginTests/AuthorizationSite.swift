import EnclaveClient
import EnclaveInterface
import Foundation
import Glibc
import KeychainModel
import KeychainTestSupport

/// A machine of a test's own, as far as chatelaine-authorize sees it: users with passwords, the system's enclave, and polkit
/// with a message bus, or none. Its folders lie over the machine's in a mount namespace.
final class AuthorizationSite {
    /// Numbers that nobody has.
    static let alice: UInt32 = 64_140
    static let bob: UInt32 = 64_141
    static let password = "owner Passw0rd"
    static let program = "/usr/libexec/chatelaine/chatelaine-authorize"

    static let obstacle: String? = {
        if let obstacle = SystemMode.obstacle { return obstacle }
        let polkitd = ["/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd"].contains {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        let tools = [
            "pkexec", "pkaction", "dbus-daemon", "unshare", "nsenter", "setsid", "setpriv", "chpasswd", "usermod",
        ]
        for tool in tools where !["/usr/bin/", "/usr/sbin/"].contains(where: { isProgram($0 + tool) }) {
            return "\(tool) is not here"
        }
        return polkitd ? nil : "polkitd is not here"
    }()

    private static func isProgram(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    struct Outcome {
        let status: Int32
        /// What came by standard output alone.
        let output: String
        /// All else: standard error, or what a terminal showed.
        let screen: String
        let duration: Duration

        /// Of the 64 digits and the end of the line, and nothing else.
        var token: AuthorizationToken? {
            guard output.utf8.count == 65, output.hasSuffix("\n"), output.dropLast().allSatisfy(\.isHexDigit) else {
                return nil
            }
            let digits = Array(output.utf8.dropLast())
            return AuthorizationToken(
                stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
                }
            )
        }
    }

    /// Which does not lie on a file system that is mounted nosuid, as /tmp can.
    let folder = "/opt/chatelaine-authorize-\(UUID().uuidString.prefix(8))"
    private var processes: [Process] = []
    private var holder: Int32 = 0
    private var enclave: SupervisedEnclave?
    /// As the keychain service asks the enclave.
    private lazy var connection = EnclaveConnection(.listener(path: folder + "/run/enclave-service.sock", uid: nil))

    init(withPolkit: Bool) throws {
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        try prepare(
            """
            chmod 755 '\(folder)' '\(folder)/run'
            cp -a /etc '\(folder)/etc'; cp -a /usr/libexec '\(folder)/libexec'; cp -a /usr/share/polkit-1 '\(folder)/polkit-1'
            for user in alice:\(Self.alice) bob:\(Self.bob); do
                echo "${user%:*}:x:${user#*:}:${user#*:}::/:/bin/sh" >> '\(folder)/etc/passwd'
                echo "${user%:*}:*:19000:0:99999:7:::" >> '\(folder)/etc/shadow'
            done
            rm -rf '\(folder)/libexec/chatelaine'; mkdir '\(folder)/libexec/chatelaine'
            cp '\(try AuthorizeProgram.program.get())' '\(folder)/libexec/chatelaine/'
            chmod 4755 '\(folder)/libexec/chatelaine/chatelaine-authorize'
            cp '\(root)/packaging/pam.d/chatelaine' '\(folder)/etc/pam.d/chatelaine'
            rm -f '\(folder)/polkit-1/actions/'org.chatelaine.*
            """
        )
        if withPolkit {
            try prepare("cp '\(root)/packaging/polkit/org.chatelaine.policy' '\(folder)/polkit-1/actions/'")
        }
        try startHolder()
        try prepare("printf 'alice:%s\\nbob:%s\\n' '\(Self.password)' '\(Self.password)' | chpasswd", inside: true)
        enclave = try SupervisedEnclave(in: folder + "/run")
        for uid in [Self.alice, Self.bob] { try service(of: uid).create() }
        if withPolkit { try startPolkit() }
    }

    deinit {
        for process in processes.reversed() where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for process in processes { process.waitForExit() }
        enclave = nil
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: - The machine

    /// Keeps the mount namespace.
    private func startHolder() throws {
        let holder = try start(
            [
                "unshare", "--mount", "--propagation", "private", "sh", "-c",
                """
                mount --bind '\(folder)/etc' /etc && mount --bind '\(folder)/libexec' /usr/libexec &&
                mount --bind '\(folder)/polkit-1' /usr/share/polkit-1 && mount -t tmpfs -o mode=755 tmpfs /run &&
                mkdir /run/chatelaine /run/dbus && mount --bind '\(folder)/run' /run/chatelaine &&
                echo ready && exec sleep infinity
                """,
            ],
            log: "holder"
        )
        self.holder = holder.processIdentifier
        try wait(for: "the namespace", of: holder) { log("holder").contains("ready") }
    }

    private func startPolkit() throws {
        let bus = try start(inside(["dbus-daemon", "--system", "--nofork", "--nopidfile"]), log: "bus")
        try wait(for: "the bus", of: bus) { try run("test -S /run/dbus/system_bus_socket", inside: true).status == 0 }
        let polkitd = try start(
            inside(["sh", "-c", "exec $(ls /usr/lib/polkit-1/polkitd /usr/libexec/polkitd 2>/dev/null) --no-debug"]),
            log: "polkitd"
        )
        try wait(for: "polkitd", of: polkitd) { try run("pkaction", inside: true).status == 0 }
    }

    private func wait(for what: String, of process: Process, until isSo: () throws -> Bool) throws {
        for _ in 0..<1_000 where process.isRunning {
            if try isSo() { return }
            usleep(20_000)
        }
        throw LoginSite.Failure(
            description: "waited in vain for \(what)\n\(log("holder"))\(log("bus"))\(log("polkitd"))"
        )
    }

    private func log(_ name: String) -> String {
        (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
    }

    private func service(of uid: UInt32) -> RemoteEnclaveFolder { RemoteEnclaveFolder(connection, uid: uid) }

    /// As the keychain service does before it begins what was authorized.
    func redeem(_ token: AuthorizationToken, for operation: GuardedOperation, of uid: UInt32 = alice) throws -> Bool {
        let enclave = try service(of: uid).open()
        do throws(KeychainError) {
            try enclave.redeem(token, for: operation)
            return true
        } catch {
            guard error.code == .authenticationFailed else { throw error }
            return false
        }
    }

    /// What runs as alice on this machine, and not on that of another test.
    func processesOfAlice() throws -> String {
        try run("pgrep --list-full --euid \(Self.alice) --ns \(holder) --nslist mnt").output
    }

    // MARK: - Running programs

    private func inside(_ words: [String]) -> [String] { ["nsenter", "--mount=/proc/\(holder)/ns/mnt", "--"] + words }

    private func start(_ words: [String], log: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        _ = FileManager.default.createFile(atPath: folder + "/" + log, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: folder + "/" + log)
        process.standardError = process.standardOutput
        try process.runHearingSignals()
        processes.append(process)
        return process
    }

    /// Runs a line of shell, as root unless it says otherwise.
    func run(_ line: String, inside: Bool = true) throws -> Outcome {
        try run(inside ? self.inside(["sh", "-c", line]) : ["sh", "-c", line])
    }

    private func prepare(_ line: String, inside: Bool = false) throws {
        let outcome = try run("set -e\n" + line, inside: inside)
        guard outcome.status == 0 else { throw LoginSite.Failure(description: "\(line): \(outcome.screen)") }
    }

    private func run(_ words: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]
        let streams = (0..<2).map { _ in folder + "/" + UUID().uuidString }
        defer { for stream in streams { try? FileManager.default.removeItem(atPath: stream) } }
        for stream in streams { _ = FileManager.default.createFile(atPath: stream, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: streams[0])
        process.standardError = FileHandle(forWritingAtPath: streams[1])
        let start = ContinuousClock.now
        try process.runHearingSignals()
        process.waitForExit()
        return Outcome(
            status: process.terminationStatus,
            output: String(decoding: FileManager.default.contents(atPath: streams[0]) ?? Data(), as: UTF8.self),
            screen: String(decoding: FileManager.default.contents(atPath: streams[1]) ?? Data(), as: UTF8.self),
            duration: .now - start
        )
    }

    /// Runs a program as alice, without a terminal.
    func withoutTerminal(_ words: [String], environment: [String: String] = [:]) throws -> Outcome {
        let variables = ["PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"].merging(environment) { $1 }
        return try run(
            inside(
                [
                    "setsid", "--wait", "setpriv", "--reuid", "\(Self.alice)", "--regid", "\(Self.alice)",
                    "--clear-groups",
                ]
                    + ["env", "-i"] + variables.map { "\($0.key)=\($0.value)" } + words
            )
        )
    }

    /// What the person does when the password is asked for.
    enum Answer: String {
        case type
        /// Ctrl-C.
        case interrupt
        case hangUp
    }

    /// Runs a program as alice on a terminal of its own, at which she answers. Its standard output goes elsewhere.
    func onTerminal(
        _ words: [String],
        _ answer: Answer = .type,
        _ password: String = password,
        environment: [String: String] = [:]
    ) throws -> Outcome {
        let driver = folder + "/terminal.py"
        try Self.driver.write(toFile: driver, atomically: true, encoding: .utf8)
        let variables = ["PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"].merging(environment) { $1 }
        return try run(
            inside(
                [
                    "python3", driver, "\(Self.alice)", answer.rawValue, password,
                    variables.map { "\($0.key)=\($0.value)" }
                        .joined(separator: "\u{1}"),
                ] + words
            )
        )
    }

    private static let driver = """
        import os, pty, signal, sys, termios, time
        signal.alarm(60)
        uid, answer, password, variables = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4].split('\\1')
        output = os.dup(1)
        child, terminal = pty.fork()
        if child == 0:
            os.dup2(output, 1)
            os.setgroups([]); os.setgid(uid); os.setuid(uid)
            os.execve(sys.argv[5], sys.argv[5:], dict(variable.split('=', 1) for variable in variables))
        os.close(output)
        screen, is_answered = b'', False
        while True:
            try: part = os.read(terminal, 4096)
            except OSError: part = b''
            if not part:
                # Nothing has the terminal open: the program has ended, or closed its streams and opens it again.
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended: break
                time.sleep(0.01)
                continue
            screen += part
            if b'assword:' in screen and not is_answered:
                is_answered = True
                # What is typed before the terminal is silent is thrown away.
                while answer == 'type' and termios.tcgetattr(terminal)[3] & termios.ECHO: time.sleep(0.01)
                if answer == 'hangUp':
                    os.close(terminal)
                    status = os.waitpid(child, 0)[1]
                    break
                os.write(terminal, b'\\x03' if answer == 'interrupt' else password.encode() + b'\\n')
        status = os.waitstatus_to_exitcode(status)
        os.write(2, screen)
        sys.exit(status if status >= 0 else 128 - status)
        """
}

/// The program, built as it is installed.
enum AuthorizeProgram {
    static let program = Result { () throws -> String in
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        let output = Pipe()
        process.executableURL = root.appending(path: "scripts/pam.sh")
        process.arguments = ["--authorize"]
        process.standardOutput = output
        try process.runHearingSignals()
        process.waitForExit()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw LoginSite.Failure(description: "scripts/pam.sh --authorize failed")
        }
        return root.appending(path: text.trimmingCharacters(in: .newlines)).path
    }
}
