import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainFiles
@testable import LocalEnclave
@testable import TPMEnclave

/// Keychains of machines that nobody sits at, with systemd's own tool.
@Suite
final class UnattendedUnlockTests: Sendable {
    private let folder: String
    private let keychain: String
    private let credentials: String
    private let complaints = Mutex<[String]>([])

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/unattended-\(UUID().uuidString.prefix(8))"
        (keychain, credentials) = (folder + "/keychain", folder + "/credentials")
        for path in [folder, keychain, credentials] {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        let place = LocalEnclaveFolder(path: keychain, cost: .uncheckedLeast)
        try place.create()
        try place.openLocal().owner.changePasscode(from: nil, to: secret("of the machine"))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// As the service opens it after its start.
    private func open(owner: UInt32? = nil, hasCredentials: Bool = true) throws -> LocalEnclave {
        try LocalEnclaveFolder(
            path: keychain,
            credentials: hasCredentials ? credentials : nil,
            owner: owner,
            cost: .uncheckedLeast,
            log: { [self] message in complaints.withLock { $0.append(message) } }
        ).openLocal()
    }

    private func hand(_ name: String, _ text: String) throws {
        try SecureFile.write(secret(text), to: credentials + "/" + name)
    }

    @Test func `a passcode among the credentials unlocks the keychain, and another user's does not`() throws {
        #expect(try open().state().lock == .beforeFirstUnlock)
        try hand("chatelaine.passcode.1000", "of the machine\n")
        #expect(try open(owner: 1000).state().lock == .unlocked)
        #expect(try open(owner: 1001).state().lock == .beforeFirstUnlock)
        #expect(try open(owner: 1000, hasCredentials: false).state().lock == .beforeFirstUnlock)
        try hand("chatelaine.passcode", "of the machine")
        #expect(try open(owner: 1001).state().lock == .unlocked)
        // A user's own comes first.
        try hand("chatelaine.passcode.1000", "of somebody")
        #expect(try open(owner: 1000).state().lock == .beforeFirstUnlock)
    }

    @Test func `it does not undo a lock`() throws {
        try hand("chatelaine.passcode", "of the machine")
        let enclave = try open()
        try enclave.lock()
        #expect(try enclave.state().lock == .locked)
    }

    @Test func `a wrong one is told, without it, and keeps nobody waiting`() throws {
        try hand("chatelaine.passcode", "of another machine")
        for _ in 0..<8 { #expect(try open().state().lock == .beforeFirstUnlock) }
        let told = complaints.withLock { $0 }
        #expect(told.count == 8)
        #expect(told.allSatisfy { $0.contains("wrong") && !$0.contains("of another machine") })
        try open(hasCredentials: false).owner.unlock(secret("of the machine"))
    }

    @Test func `one that others can read is not taken`() throws {
        try hand("chatelaine.passcode", "of the machine")
        chmod(credentials + "/chatelaine.passcode", 0o644)
        #expect(try open().state().lock == .beforeFirstUnlock)
        #expect(complaints.withLock { $0 }.count == 1)
    }

    // MARK: - systemd-creds

    private static let hasTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-creds")

    @Test(.enabled(if: hasTool, "needs systemd-creds"))
    func `what systemd has encrypted for the host unlocks on this host alone`() throws {
        try encrypt(["--with-key=host"], host: "here")
        #expect(try decrypt([], host: "there") != 0)
        #expect(try open().state().lock == .beforeFirstUnlock)
        #expect(try decrypt([], host: "here") == 0)
        #expect(try open().state().lock == .unlocked)
    }

    @Test(.enabled(if: hasTool, "needs systemd-creds"))
    func `what systemd has encrypted with the TPM unlocks with this TPM alone`() throws {
        var devices: [(String, EmulatorProcess)] = []
        for name in ["here", "there"] {
            let place = folder + "/" + name
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let process = try EmulatorProcess(in: place, name: "s")
            devices.append(("--tpm2-device=swtpm:path=\(process.socket)", process))
        }
        defer { for (_, process) in devices { process.kill() } }
        for (_, process) in devices { process.waitUntilReady() }
        try encrypt([devices[0].0, "--with-key=tpm2"], host: "here.key")
        #expect(try decrypt([devices[1].0], host: "here.key") != 0)
        #expect(try open().state().lock == .beforeFirstUnlock)
        #expect(try decrypt([devices[0].0], host: "here.key") == 0)
        #expect(try open().state().lock == .unlocked)
    }

    private func encrypt(_ options: [String], host: String) throws {
        try secret("of the machine\n").array.withUnsafeBytes {
            try Data($0).write(to: URL(fileURLWithPath: folder + "/plain"))
        }
        #expect(
            try run(
                options + ["encrypt", "--name=chatelaine.passcode", folder + "/plain", folder + "/encrypted"],
                host
            ) == 0
        )
    }

    /// As systemd does before it starts the service.
    private func decrypt(_ options: [String], host: String) throws -> Int32 {
        let target = credentials + "/chatelaine.passcode"
        let status = try run(
            options + ["decrypt", "--name=chatelaine.passcode", folder + "/encrypted", target],
            host
        )
        chmod(target, 0o400)
        if status != 0 { unlink(target) }
        return status
    }

    private func run(_ arguments: [String], _ host: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-creds")
        process.arguments = arguments
        process.environment = [
            "SYSTEMD_CREDENTIAL_SECRET": folder + "/" + host + ".secret", "TSS2_LOG": "all+NONE",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
        return process.waitForExit()
    }
}
