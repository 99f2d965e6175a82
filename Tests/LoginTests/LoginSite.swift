import EnclaveClient
import EnclaveInterface
import Foundation
import Glibc
import KeychainTestSupport

/// A machine of a test's own, as far as log-ins are concerned: a user with a password, the service in system mode with its
/// enclave, a message bus, and a folder `/etc` that nobody else sees.
final class LoginSite {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
        let duration: Duration
    }

    /// Numbers that nobody has.
    static let alice: UInt32 = 64_020
    private static let service = 64_021
    private static let identify = 64_022
    static let enclave = 64_023
    private static let marker = 64_024

    static let password = "log-in Passw0rd"

    /// What stands in the way; nil where nothing does.
    static let obstacle: String? = {
        if let obstacle = SystemMode.obstacle { return obstacle }
        for tool in ["pamtester", "dbus-daemon", "gdbus", "unshare", "chpasswd"] where path(of: tool) == nil {
            return "\(tool) is not here"
        }
        return nil
    }()

    private static func path(of tool: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"].map { $0 + tool }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    let folder: String
    private var processes: [Process] = []

    var socket: String { folder + "/keychain.sock" }
    var enclaveSocket: String { folder + "/enclave.sock" }
    var bus: String { "unix:path=\(folder)/bus" }
    var bin: String { folder + "/bin" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/login-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Alice's programs have to be where she can run them.
        try prepare(
            """
            chmod 755 '\(folder)' && mkdir '\(bin)' '\(folder)/services'
            for program in chatelaine chatelained chatelaine-identify chatelaine-enclave chatelaine-prompt guarded-note security; do
                cp --reflink=auto "\(ServiceProcess.program("$program"))" '\(bin)/'
            done
            cp -a /etc '\(folder)/etc'
            # The bus takes nobody whom it does not know.
            for user in alice:\(Self.alice) service:\(Self.service); do
                echo "${user%:*}:x:${user#*:}:${user#*:}::/nonexistent:/bin/sh" >> '\(folder)/etc/passwd'
                echo "${user%:*}:*:19000:0:99999:7:::" >> '\(folder)/etc/shadow'
            done
            """
        )
        try prepare("printf '%s\\n' 'alice:\(Self.password)' | chpasswd", inOwnEtc: true)
    }

    deinit {
        for process in processes.reversed() where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for process in processes { process.waitForExit() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: - Running programs

    /// Runs a line of shell.
    ///
    /// - Parameter inOwnEtc: with the site's `/etc`, in which log-ins happen.
    func run(_ line: String, input: String = "", inOwnEtc: Bool = false) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let line = inOwnEtc ? "mount --bind '\(folder)/etc' /etc && { \(line)\n}" : line
        process.arguments = (inOwnEtc ? ["unshare", "--mount", "--propagation", "private"] : []) + ["sh", "-c", line]
        process.environment = environment
        let streams = (0..<3).map { _ in folder + "/" + UUID().uuidString }
        defer { for stream in streams { try? FileManager.default.removeItem(atPath: stream) } }
        for stream in streams { _ = FileManager.default.createFile(atPath: stream, contents: Data(input.utf8)) }
        for stream in streams.dropFirst() { truncate(stream, 0) }
        process.standardInput = FileHandle(forReadingAtPath: streams[0])
        process.standardOutput = FileHandle(forWritingAtPath: streams[1])
        process.standardError = FileHandle(forWritingAtPath: streams[2])
        let start = ContinuousClock.now
        try process.runHearingSignals()
        process.waitForExit()
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOfFile: streams[1], encoding: .utf8),
            errors: try String(contentsOfFile: streams[2], encoding: .utf8),
            duration: .now - start
        )
    }

    private var environment: [String: String] {
        [
            "PATH": "\(bin):/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
            "CHATELAINE_KEYCHAIN": "unix:\(socket)", "DBUS_SYSTEM_BUS_ADDRESS": bus,
        ]
        .merging(QuickPasscodes.environment) { $1 }
    }

    private func prepare(_ line: String, inOwnEtc: Bool = false) throws {
        let outcome = try run(line, inOwnEtc: inOwnEtc)
        guard outcome.status == 0 else { throw Failure(description: "\(line): \(outcome.errors)") }
    }

    /// Runs a command as alice, in the site's own words.
    func asAlice(_ line: String, input: String = "") throws -> Outcome {
        try run(
            "setpriv --reuid \(Self.alice) --regid \(Self.alice) --clear-groups -- sh -c '\(line)'",
            input: input
        )
    }

    /// Starts a program that ends with the site.
    func start(_ words: [String], log: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = environment
        let path = folder + "/" + log
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: path)
        process.standardError = process.standardOutput
        try process.runHearingSignals()
        processes.append(process)
        return process
    }

    func log(_ name: String) -> String { (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? "" }

    /// Waits until something is so; the test's time limit ends what never is.
    func wait(for what: String, until isSo: () throws -> Bool) throws {
        for _ in 0..<3_000 {
            if try isSo() { return }
            usleep(10_000)
        }
        throw Failure(description: "waited in vain for \(what)\n" + log("service") + log("logind"))
    }

    // MARK: - The service

    @discardableResult
    func startService(_ options: [String] = []) throws -> Process {
        let process = try start(
            [
                ServiceProcess.program("chatelained"), "--system", "--directory", folder + "/data", "--socket", socket,
                "--teams", folder, "--user", "\(Self.service)", "--identify-user", "\(Self.identify)",
                "--marker-group", "\(Self.marker)", "--enclave-user", "\(Self.enclave)",
                "--enclave-directory", folder + "/enclave", "--log-level", "debug",
            ] + options,
            log: "service"
        )
        try wait(for: "the service") {
            guard process.isRunning else { throw Failure(description: log("service")) }
            return log("service").contains("serving keychains")
        }
        return process
    }

    /// Gives alice a keychain with a passcode, which root sets: her own programs cannot.
    func setPasscode(_ passcode: String = password) throws {
        let own = try asAlice("chatelaine passcode set --stdin", input: passcode + "\n")
        let set = try run("chatelaine passcode set --stdin --uid \(Self.alice)", input: passcode + "\n")
        guard own.status == 1, set.status == 0 else {
            throw Failure(description: own.errors + set.errors + log("service"))
        }
    }

    /// What the enclave itself says.
    var lock: EnclaveState.Lock {
        get throws { try RemoteEnclaveControl(connectingTo: enclaveSocket, uid: Self.alice).state().lock }
    }

    var hasPasscode: Bool {
        get throws { try RemoteEnclaveControl(connectingTo: enclaveSocket, uid: Self.alice).state().hasPasscode }
    }

    /// Locks as root, without the passcode.
    func logOut() throws {
        try RemoteEnclaveControl(connectingTo: enclaveSocket, uid: Self.alice).logOut()
    }

    // MARK: - Somebody who listens in the enclave's place

    /// Writes down in hexadecimal what it is told, a line each, and answers that all is done.
    func startListener(at path: String? = nil, as user: UInt32 = 0, answers: Bool = true) throws {
        let path = path ?? enclaveSocket
        let process = try start(
            [
                "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "/usr/bin/python3", "-u", "-c",
                """
                import socket, sys
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                listener.bind(sys.argv[1]); listener.listen(8)
                print("ready")
                while True:
                    peer, _ = listener.accept()
                    while message := peer.recv(65536):
                        print(message.hex())
                        if not \(answers ? "True" : "False"): continue
                        header = bytes([0, 0]) + message[4:12]
                        peer.send(bytes([1, 128]) + header)
                """, path,
            ],
            log: "listener"
        )
        try wait(for: "the listener") {
            guard process.isRunning else { throw Failure(description: log("listener")) }
            return log("listener").hasPrefix("ready")
        }
    }

    /// The kinds of the messages that the listener got.
    var heard: [UInt8] {
        log("listener").split(separator: "\n").dropFirst().compactMap { UInt8($0.dropFirst(2).prefix(2), radix: 16) }
    }

    // MARK: - PAM

    /// Describes a log-in as Debian's common files do, with the module at its places.
    ///
    /// - Parameter namesSocket: where it does not, the module finds the enclave by itself.
    func writePAM(options: String = "", module: String, namesSocket: Bool = true) throws {
        // One passcode takes seconds to try where nothing is optimised.
        let own = "\(module) \(namesSocket ? "socket=" + enclaveSocket : "") timeout=10000 debug \(options)"
        try """
        auth [success=1 default=ignore] pam_unix.so
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth optional \(own)
        account required pam_unix.so
        password [success=1 default=ignore] pam_unix.so
        password requisite pam_deny.so
        password required pam_permit.so
        password optional \(own)
        session required pam_permit.so
        session optional \(own)

        """.write(toFile: folder + "/etc/pam.d/chatelaine-test", atomically: true, encoding: .utf8)
    }

    /// Describes a log-in with a finger as display managers do, with the module after the one that reads fingers. What
    /// has no finger to read is played by others that let everybody in, or nobody.
    ///
    /// - Parameter more: lines that follow.
    func writeFingerPAM(_ reader: String, options: String = "finger", module: String, more: String = "") throws {
        try """
        \(reader)
        auth optional \(module) socket=\(enclaveSocket) timeout=10000 debug \(options)
        \(more)
        account required pam_permit.so
        session required pam_permit.so
        session optional \(module) socket=\(enclaveSocket) timeout=10000 debug finger

        """.write(toFile: folder + "/etc/pam.d/chatelaine-test", atomically: true, encoding: .utf8)
    }

    /// Has pamtester go through operations of a log-in.
    func pamtester(_ operations: String, input: String, prefix: String = "") throws -> Outcome {
        try run("\(prefix) pamtester chatelaine-test alice \(operations)", input: input, inOwnEtc: true)
    }

    // MARK: - The bus

    func startBus() throws {
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>system</type><listen>\(bus)</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
        <allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/></policy></busconfig>
        """.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        _ = try start(
            [
                "unshare", "--mount", "--propagation", "private", "sh", "-c",
                "mount --bind '\(folder)/etc' /etc && exec dbus-daemon --config-file='\(folder)/bus.conf' --nofork --nopidfile",
            ],
            log: "bus.log"
        )
        try wait(for: "the bus") { takesConnections(folder + "/bus") }
    }

    func stopBus() throws {
        for process in processes
        where process.isRunning && process.arguments?.contains(where: { $0.contains("bus") }) == true {
            process.terminate()
            process.waitForExit()
        }
    }

    /// logind, acted out by python-dbusmock; with a session of alice's, `c1`.
    @discardableResult
    func startLogind() throws -> Process {
        let process = try start(
            ["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "logind"],
            log: "logind"
        )
        try wait(for: "logind") {
            try mock("/org/freedesktop/login1", "AddSession", "c1 seat0 \(Self.alice) alice true").status == 0
        }
        return process
    }

    func mock(_ path: String, _ method: String, _ arguments: String) throws -> Outcome {
        try run(
            "gdbus call --system -d org.freedesktop.login1 -o \(path) -m org.freedesktop.DBus.Mock.\(method) \(arguments)"
        )
    }

    func session(_ method: String) throws -> Outcome {
        try run(
            "gdbus call --system -d org.freedesktop.login1 -o /org/freedesktop/login1/session/c1 "
                + "-m org.freedesktop.login1.Session.\(method)"
        )
    }

    /// How many have asked logind to wait before the machine sleeps.
    var inhibitors: Int {
        get throws {
            try run(
                "gdbus call --system -d org.freedesktop.login1 -o /org/freedesktop/login1 "
                    + "-m org.freedesktop.login1.Manager.ListInhibitors"
            ).output.components(separatedBy: "'Chatelaine'").count - 1
        }
    }

    func emit(_ signal: String, _ signature: String, _ values: String) throws {
        _ = try mock(
            "/org/freedesktop/login1",
            "EmitSignal",
            "org.freedesktop.login1.Manager \(signal) \(signature) \"\(values)\""
        )
    }

    /// Waits until logind is heard.
    func waitUntilHeard() throws {
        try wait(for: "the inhibitor") { try inhibitors == 1 }
    }
}
