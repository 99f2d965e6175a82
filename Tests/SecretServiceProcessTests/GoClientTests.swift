import Foundation
import Glibc
import KeychainTestSupport
import Synchronization
import Testing

/// A client that was written after the specification alone, in another language: `GoClient/main.go`.
@Suite(.enabled(if: GoClient.obstacle == nil, "\(GoClient.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct GoClientTests {
    @Test(arguments: SecretsSite.Keychain.allCases, ["plain", "dh-ietf1024-sha256-aes128-cbc-pkcs7"])
    func `it stores, reads and deletes, also after the service was started anew`(
        keychain: SecretsSite.Keychain,
        algorithm: String
    ) throws {
        let site = try SecretsSite(keychain)
        let client = try GoClient.program.get() + " " + algorithm
        // Lengths around a block of the cipher.
        for length in [0, 1, 15, 16, 17, 4_096] {
            let secret = String(repeating: "ü", count: length / 2) + String(repeating: "x", count: length % 2)
            let stored = try site.run("\(client) store 'from Go' length=\(length) kind=go", input: secret)
            #expect(stored.status == 0, "\(stored.output)")
        }
        site.stop(SIGKILL)
        try site.start()
        for length in [0, 1, 15, 16, 17, 4_096] {
            let secret = String(repeating: "ü", count: length / 2) + String(repeating: "x", count: length % 2)
            let read = try site.run("\(client) read length=\(length)")
            #expect(read.status == 0 && read.output == secret, "\(length): \(read.output)")
        }
        // What one client stored, another one reads.
        #expect(try site.lookup("length 17 kind go").output == "üüüüüüüüx")
        #expect(try site.store("by libsecret", "length 18").status == 0)
        #expect(try site.run("\(client) read length=18").output == "by libsecret")
        #expect(try site.run("\(client) delete length=17").status == 0)
        #expect(try site.run("\(client) read length=17").status == 3)
        #expect(try site.run("\(client) delete length=17").status == 3)
        #expect(try site.run("\(client) read length=16").status == 0)
    }

    @Test func `public keys that would make the session's key known are refused, and the service goes on`() throws {
        let site = try SecretsSite(.session)
        let client = try GoClient.program.get() + " dh-ietf1024-sha256-aes128-cbc-pkcs7"
        let weak = try site.run("\(client) weak")
        #expect(weak.status == 0, "\(weak.output)")
        #expect(try site.run("\(client) store label a=1", input: "geheim").status == 0)
        #expect(try site.run("\(client) read a=1").output == "geheim")
    }
}

private enum GoClient {
    static let obstacle: String? = {
        let library = "/usr/share/gocode/src/github.com/godbus/dbus"
        guard isThere("go", "version"), FileManager.default.fileExists(atPath: library) else {
            return "needs Go and its D-Bus, which scripts/setup.sh --clients installs"
        }
        return nil
    }()

    /// Removed at the end.
    private static let folder = Mutex<String?>(nil)

    /// Built once, from what Debian has, with no network.
    static let program = Result {
        let folder = FileManager.default.temporaryDirectory.path + "/go-client-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        Self.folder.withLock { $0 = folder }
        atexit {
            guard let folder = GoClient.folder.withLock({ $0 }) else { return }
            try? FileManager.default.removeItem(atPath: folder)
        }
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "GoClient/main.go").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["go", "build", "-o", folder + "/go-client", source]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "", "GOCACHE": folder + "/cache",
            "HOME": folder,
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        try process.runHearingSignals()
        guard process.waitForExit() == 0 else { throw NeverHappened(description: "go build") }
        try FileManager.default.removeItem(atPath: folder + "/cache")
        return folder + "/go-client"
    }
}
