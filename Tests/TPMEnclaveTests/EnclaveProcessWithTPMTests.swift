import CLinux
import Foundation
import KeychainEnclave
import KeychainModel
import KeychainTestSupport
import TPMEnclave
import Testing

@testable import EnclaveProtocol

/// The service's enclave as a process of its own, with its filter of system calls, and a TPM.
@Suite(.enabled(if: geteuid() == 0, "only root starts the enclave as another user"))
struct EnclaveProcessWithTPMTests {
    @Test func `keychains of the service are bound to the TPM, and survive its restart`() throws {
        let tpm = try EmulatedTPM()
        try tpm.limitGuesses(tries: 32, interval: 7200)
        let folder: String
        do {
            let process = try StartedEnclave(tpm)
            folder = process.directory
            try process.folder.create()
            #expect(try process.folder.open().state().binding == .tpm)
            try process.control.changePasscode(from: nil, to: secret("right"))
            try process.control.lock()
            #expect(throws: KeychainError(.authenticationFailed, "")) { try process.control.unlock(secret("wrong")) }
            try process.control.unlock(secret("right"))
            #expect(try process.folder.open().state().lock == .unlocked)
        }
        let again = try StartedEnclave(tpm, in: folder)
        let enclave = try again.folder.open()
        #expect(try enclave.state().lock == .beforeFirstUnlock)
        try again.control.unlock(secret("right"))
        #expect(try enclave.state().lock == .unlocked)
    }

    @Test func `a TPM that goes away under the filter is told to whoever needs it, and the process ends`() throws {
        let tpm = try EmulatedTPM()
        let process = try StartedEnclave(tpm)
        try process.folder.create()
        try process.control.changePasscode(from: nil, to: secret("right"))
        let enclave = try process.folder.open()
        tpm.bus.hangUp()
        // What needs no TPM goes on.
        #expect(try enclave.state().lock == .unlocked)
        #expect(process.isRunning)
        try process.control.lock()
        let error = #expect(throws: KeychainError.self) { try process.control.unlock(secret("right")) }
        #expect(error?.code == .notAvailable)
        #expect(error?.message.contains("the connection to the TPM") == true)
        while process.isRunning { usleep(10_000) }
        #expect(process.status == 1)
    }

    @Test(.timeLimit(.minutes(3)))
    func `after a TPM that was started anew the enclave is too, and its service goes on`() throws {
        let keychain = try TestKeychain()
        chmod(keychain.surroundings, 0o755)
        let folder = keychain.surroundings + "/tpm"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var tpm = try EmulatorProcess(in: folder, name: "a")
        defer { tpm.kill() }
        tpm.waitUntilListening()
        let enclave = try SupervisedEnclave(
            in: keychain.surroundings,
            options: ["--tpm", "swtpm:path=\(tpm.socket)"]
        )
        let service = RemoteEnclaveFolder(
            EnclaveConnection(.listener(path: enclave.servicePath, uid: nil)),
            uid: StartedEnclave.owner
        )
        let control = {
            try RemoteEnclaveControl(connectingTo: enclave.controlPath, uid: StartedEnclave.owner)
        }
        try service.create()
        let remote = try service.open()
        #expect(try remote.state().binding == .tpm)
        try control().changePasscode(from: nil, to: secret("right"))
        try control().lock()
        tpm.kill()
        unlink(tpm.socket)
        tpm = try EmulatorProcess(in: folder, name: "a")
        tpm.waitUntilListening()
        #expect(throws: KeychainError(.notAvailable, "")) { try control().unlock(secret("right")) }
        while enclave.failures == 0 { usleep(10_000) }
        #expect(enclave.said.contains("this process has to be started anew"))
        // The sockets are there all the time: who asks waits until it has started.
        try control().unlock(secret("right"))
        #expect(try remote.state().lock == .unlocked)
        #expect(enclave.failures == 1)
    }

    @Test func `a passcode from systemd unlocks a user's keychain in the enclave`() throws {
        let tpm = try EmulatedTPM()
        let folder: String
        do {
            let process = try StartedEnclave(tpm)
            folder = process.directory
            try process.folder.create()
            try process.control.changePasscode(from: nil, to: secret("of the machine"))
        }
        let credentials = tpm.surroundings + "/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        chmod(credentials, 0o755)
        let file = credentials + "/chatelaine.passcode.\(StartedEnclave.owner)"
        try SecureFile.write(secret("of the machine\n"), to: file)
        chown(file, StartedEnclave.user, StartedEnclave.user)
        let again = try StartedEnclave(tpm, in: folder, credentials: credentials)
        #expect(try again.folder.open().state().lock == .unlocked)
    }

    @Test func `where no TPM is to be used, keychains are bound to files`() throws {
        let tpm = try EmulatedTPM()
        let process = try StartedEnclave(tpm, setting: "none")
        try process.folder.create()
        #expect(try process.folder.open().state().binding == .file)
    }
}

/// chatelaine-enclave, started on a pair of sockets and with one for owners.
private final class StartedEnclave: @unchecked Sendable {
    // Unchecked: `process` is started in the initialiser and killed at the end.
    private let process = Process()
    let directory: String
    let folder: RemoteEnclaveFolder
    /// Root's, whose wrong passcodes the TPM alone counts.
    let control: RemoteEnclaveControl
    private let ours: PacketSocket

    /// Numbers of nobody's.
    static let user: UInt32 = 64_133
    static let owner: UInt32 = 64_134

    init(_ tpm: EmulatedTPM, in directory: String? = nil, setting: String? = nil, credentials: String? = nil) throws {
        self.directory = directory ?? tpm.surroundings + "/enclave"
        let socket = tpm.surroundings + "/owners-\(UUID().uuidString.prefix(4))"
        let listener = clinux_packet_socket()
        guard clinux_bind_path(listener, socket) == 0, listen(listener, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
        defer { close(listener) }
        let (ours, theirs) = try PacketSocket.pair()
        self.ours = ours
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // A process is handed its standard descriptors alone.
        process.arguments = [
            "-c", "exec 3<&0 4>&1 0</dev/null 1>/dev/null; exec \"$0\" \"$@\"", Self.program,
            "--user", String(Self.user), "--directory", self.directory, "--descriptor", "3", "--owners", "4",
            "--tpm", setting ?? tpm.setting.description,
        ]
        process.environment = credentials.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]
        process.standardInput = FileHandle(fileDescriptor: theirs.number, closeOnDealloc: false)
        process.standardOutput = FileHandle(fileDescriptor: listener, closeOnDealloc: false)
        try process.runHearingSignals()
        folder = RemoteEnclaveFolder(EnclaveConnection(.connected(ours)), uid: Self.owner)
        control = try RemoteEnclaveControl(connectingTo: socket, uid: Self.owner)
        // On a busy machine its start takes longer than the service waits for an answer.
        let status = "/proc/\(process.processIdentifier)/status"
        while process.isRunning, try !String(contentsOfFile: status, encoding: .utf8).contains("Seccomp:\t2") {
            usleep(20_000)
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        while process.isRunning { usleep(1000) }
    }

    private static var program: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().path + "/chatelaine-enclave"
    }

    var isRunning: Bool { process.isRunning }
    var status: Int32 { process.terminationStatus }
}
