import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Keys in a TPM, which is emulated.
@Suite("ssh keys in a TPM", .timeLimit(.minutes(3)))
struct TPMKeyTests {
    /// swtpm in a process of its own.
    private final class Emulator {
        private let process = Process()
        private let folder = FileManager.default.temporaryDirectory.path + "/tpm-\(UUID().uuidString.prefix(8))"
        var socket: String { folder + "/socket" }

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=unixio,path=\(socket)",
                "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
            ]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.runHearingSignals()
            try waitUntil("swtpm listens") { isListening(at: socket) }
        }

        func stop() {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitForExit()
        }

        deinit {
            stop()
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    @Test func `a key in a TPM logs in and signs, and is of no use without the TPM`() throws {
        let tpm = try Emulator()
        let site = try AgentSite(options: ["--tpm", "swtpm:path=\(tpm.socket)"])
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey())
        site.allow()
        let outcome = try server.logIn()
        #expect(outcome.output == "welcome\n", "\(outcome.errors)\(site.log)")
        tpm.stop()
        site.allow()
        #expect(try server.logIn().status == 255)
    }
}
