import CKeychainLinux
import Crypto
import EnclaveInterface
import Foundation
import Glibc
import KeychainCertificates
import KeychainFiles
import KeychainModel
import KeychainTestSupport
import TPMEnclave
import Testing

@testable import EnclaveClient
@testable import KeychainSystem

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
        try waitUntil("the enclave has ended") { !process.isRunning }
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
        try waitUntil("the enclave has failed: \(enclave.said)") { enclave.failures > 0 }
        #expect(enclave.said.contains("this process has to be started anew"))
        // The sockets are there all the time: who asks waits until it has started.
        try control().unlock(secret("right"))
        #expect(try remote.state().lock == .unlocked)
        #expect(enclave.failures == 1)
    }

    // MARK: - Private keys

    private static let digest = Array(SHA256.hash(data: Array("a message".utf8)))

    private func template() throws -> EnclaveKeyTemplate {
        EnclaveKeyTemplate(
            accessGroup: "TEAM.app",
            accessControl: try AccessControl(
                protection: Accessibility.whenUnlockedThisDeviceOnly.rawValue,
                flags: .privateKeyUsage
            )
        )
    }

    private func isSignature(_ signature: SecretBytes, by key: EnclaveKey) throws -> Bool {
        let publicKey = try P256.Signing.PublicKey(x963Representation: key.publicKey.externalRepresentation)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: signature.array)
        return publicKey.isValidSignature(signature, for: Array("a message".utf8))
    }

    @Test func `a private key in the TPM is made, signs and agrees under the filter, and after a restart`() throws {
        let tpm = try EmulatedTPM()
        let process = try StartedEnclave(tpm)
        try process.folder.create()
        let enclave = try process.folder.open()
        let key = try enclave.makeKey(template(), with: .none)
        #expect(key.kind == .tpm)
        #expect(try isSignature(enclave.use(key, for: .signature(ofDigest: Self.digest), with: .none), by: key))
        // A TPM has no ML-DSA.
        let template = EnclaveKeyTemplate(.mldsa65, accessGroup: "TEAM.app", accessControl: key.header.accessControl)
        let quantum = try enclave.makeKey(template, with: .none)
        #expect(quantum.kind == .mldsa65)
        let signed = try enclave.use(quantum, for: .messageSignature(of: [1], context: []), with: .none)
        #expect(
            try MLDSA65.PublicKey(rawRepresentation: quantum.publicKey.externalRepresentation)
                .isValidSignature(signed.array, for: [1] as [UInt8])
        )
        process.stop()
        #expect(throws: KeychainError(.notAvailable, "")) {
            try enclave.use(key, for: .signature(ofDigest: Self.digest), with: .none)
        }
        let again = try StartedEnclave(tpm, in: process.directory)
        let other = P256.KeyAgreement.PrivateKey()
        let secret = try again.folder.open()
            .use(key, for: .sharedSecret(with: Array(other.publicKey.x963Representation)), with: .none)
        let expected = try other.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: key.publicKey.externalRepresentation)
        )
        #expect(secret.array == expected.withUnsafeBytes { unsafe Array($0) })
        #expect(try tpm.loaded().isEmpty)
    }

    @Test func `a TPM without room for a private key is busy under the filter too, and works once there is room`()
        throws
    {
        let tpm = try EmulatedTPM()
        let process = try StartedEnclave(tpm)
        try process.folder.create()
        let enclave = try process.folder.open()
        let key = try enclave.makeKey(template(), with: .none)
        var handles: [UInt32] = []
        while let handle = try? tpm.occupyPlaceForObject() { handles.append(handle) }
        #expect(handles.count >= 2)
        for _ in 0..<3 {
            let error = #expect(throws: KeychainError.self) {
                try enclave.use(key, for: .signature(ofDigest: Self.digest), with: .none)
            }
            #expect(error?.message.contains("is busy") == true)
            #expect(throws: KeychainError(.notAvailable, "")) { try enclave.makeKey(template(), with: .none) }
        }
        #expect(process.isRunning)
        #expect(try tpm.loaded() == handles)
        for handle in handles { try tpm.flush(handle) }
        #expect(try isSignature(enclave.use(key, for: .signature(ofDigest: Self.digest), with: .none), by: key))
    }

    @Test func `an enclave that is killed while the TPM signs is told, and its key signs on in the next one`() throws {
        let tpm = try EmulatedTPM()
        let process = try StartedEnclave(tpm)
        try process.folder.create()
        let enclave = try process.folder.open()
        let key = try enclave.makeKey(template(), with: .none)
        let held = TPMSwitch.Held()
        tpm.bus.interfere { _, command in
            // TPM2_Sign
            guard command == 0x15D else { return nil }
            process.kill()
            return .hold(held)
        }
        #expect(throws: KeychainError(.notAvailable, "")) {
            try enclave.use(key, for: .signature(ofDigest: Self.digest), with: .none)
        }
        held.release()
        tpm.bus.interfere(nil)
        let again = try StartedEnclave(tpm, in: process.directory)
        let signature = try again.folder.open().use(key, for: .signature(ofDigest: Self.digest), with: .none)
        #expect(try isSignature(signature, by: key))
    }

    // MARK: - Passcodes of the machine

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
        try waitUntil("the enclave has given up its rights") {
            try !process.isRunning || String(contentsOfFile: status, encoding: .utf8).contains("Seccomp:\t2")
        }
    }

    deinit { stop() }

    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    func stop() {
        kill()
        process.waitForExit()
    }

    private static var program: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().path + "/chatelaine-enclave"
    }

    var isRunning: Bool { process.isRunning }
    var status: Int32 { process.terminationStatus }
}
