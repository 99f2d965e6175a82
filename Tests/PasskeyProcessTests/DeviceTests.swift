import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The device that browsers find, with a program in the place of systemd and the kernel. A real kernel is in the tests of a
/// whole machine.
@Suite(
    "The device of passkeys",
    .timeLimit(.minutes(5)),
    .enabled(if: PasskeyClient.isThere, PasskeyClient.reason)
)
struct DeviceTests {
    @Test func `a browser logs in over the device, which is one security key of this user's`() throws {
        let kernel = try SystemDeviceSite()
        let site = try PasskeySite(device: kernel)
        site.allow(2)
        let made = try site.client("register", "example.com", "ada")
        #expect(made.flag("verified") == true, "\(made.text)\(site.log)")
        let login = try site.client("login", "example.com", "ada")
        #expect(login.flag("verified") == true, "\(login.text)\(site.log)")

        let device = try kernel.read("device.json")
        #expect(device.contains(#""uniq": "\#(getuid())""#), "\(device)")
        #expect(device.contains(#""bus": 3"#))
        #expect(device.contains(#""descriptor": "06d0f10901a1010920150026ff00750895408102"#))
        // Questions that a security key has no answer to are refused at once, and not left to wait.
        try waitUntil("both were answered") { try kernel.read("replies.json").contains("[8, 5]") }
        #expect(try kernel.read("replies.json").contains("[7, 5]"))
    }

    @Test func `a user has one device, and it goes with the program`() throws {
        let kernel = try SystemDeviceSite()
        let site = try PasskeySite(device: kernel)
        try waitUntil("there is a device") { try !kernel.read("device.json").isEmpty }
        let second = try kernel.startSecond()
        #expect(second.status == 1)
        #expect(second.errors.contains("the user has a device already"), "\(second.errors)")
        site.stop()
        try waitUntil("the device is gone") { !kernel.isRunning }
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && FileManager.default.fileExists(atPath: "/etc/subuid"),
            "needs root and /etc/subuid, in whose place a test has another one"
        ),
        arguments: [(first: -3, isRefused: false), (first: -2, isRefused: true), (first: 1, isRefused: false)]
    )
    func `a number that is subordinate to a user gets no device`(first: Int, isRefused: Bool) throws {
        let kernel = try SystemDeviceSite()
        // Three numbers, of which the third is this user's, or that is before or after them.
        let start = Int(getuid()) + first
        try Data("# a comment\nada:4000000:65536\ngrace:\(max(0, start)):\(3 + min(0, start))\n".utf8)
            .write(to: URL(filePath: kernel.folder + "/subuid"))
        let line = "mount --bind subuid /etc/subuid && exec \"$@\""
        let second = try kernel.startSecond(
            wrapper: ["unshare", "--mount", "--propagation", "private", "sh", "-c", line, "sh"]
        )
        #expect(second.errors.contains("a subordinate user has no device") == isRefused, "\(second.errors)")
        #expect(second.status == 1)
    }

    @Test(arguments: ["a file", "a stream"])
    func `without a connection of packets no device is made`(_ input: String) throws {
        let kernel = try SystemDeviceSite()
        let script =
            input == "a file"
            ? "exec '\(kernel.program)' 3 </dev/null 3<>/dev/null"
            : "python3 -c 'import socket,subprocess,sys;a,b=socket.socketpair();"
                + "sys.exit(subprocess.run([\"\(kernel.program)\",\"3\"],stdin=b).returncode)' 3<>/dev/null"
        let outcome = try FinishedProgram(
            ["sh", "-c", script],
            in: kernel.folder,
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(outcome.status == 1 && outcome.errors.contains("standard input"), "\(outcome.errors)")
    }
}

/// Plays systemd and the kernel.
final class SystemDeviceSite: @unchecked Sendable {
    // Unchecked: a test has one, and uses it from one thread.
    let folder: String
    let program: String
    private let process = Process()

    var socket: String { folder + "/passkeys.sock" }
    /// In the place of `/dev/hidraw0`.
    var node: String { folder + "/node" }
    var isRunning: Bool { process.isRunning }

    private static let root = FileManager.default.currentDirectoryPath

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/device-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        program = folder + "/chatelaine-passkey-device"
        let built = try FinishedProgram(
            [Self.root + "/scripts/pam.sh", "--device", folder],
            in: Self.root,
            environment: ProcessInfo.processInfo.environment
        )
        try #require(built.status == 0, "\(built.errors)")
        process.executableURL = URL(filePath: PasskeyClient.python)
        let script = Self.root + "/Tests/PasskeyProcessTests/Client/uhid_kernel.py"
        process.arguments = [script, program, socket, node, folder]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.runHearingSignals()
        let node = node
        try waitUntil("the kernel is there") { FileManager.default.fileExists(atPath: node) }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitForExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func read(_ name: String) throws -> String {
        FileManager.default.fileExists(atPath: folder + "/" + name)
            ? try String(contentsOfFile: folder + "/" + name, encoding: .utf8) : ""
    }

    /// Starts the program once more for the same user.
    ///
    /// - Parameter wrapper: what it is started by.
    func startSecond(wrapper: [String] = []) throws -> FinishedProgram {
        let script =
            "import socket,subprocess,sys;a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_SEQPACKET);"
            + "sys.exit(subprocess.run(['\(program)','99'],stdin=b).returncode)"
        return try FinishedProgram(
            wrapper + ["python3", "-c", script],
            in: folder,
            environment: ["PATH": "/usr/bin:/bin", "RUNTIME_DIRECTORY": folder]
        )
    }
}
