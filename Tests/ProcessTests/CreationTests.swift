import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("Making a keychain")
struct CreationTests {
    private func expectUsable(_ keychain: TestKeychain, _ comment: Comment) throws {
        let connection = keychain.connection()
        let code = failure { () throws(KeychainError) in try connection.add("after") }
        #expect(code == nil, "\(comment): \(keychain.log.messages)")
        #expect(try connection.value(of: "after") == "value", comment)
        let left = try FileManager.default.contentsOfDirectory(atPath: keychain.path).sorted()
        #expect(left.filter { !$0.hasPrefix("keychain.db") } == ["device.key", "keybag", "lock"], comment)
    }

    @Test func `a process that is killed at any moment of the making leaves a folder that the next one completes`()
        throws
    {
        var interrupted = 0
        for round in 0..<50 {
            let keychain = try TestKeychain()
            let probe = try ProbeProcess(keychain, ["add", "x", "1"])
            _ = eventually { FileManager.default.fileExists(atPath: keychain.path) || !probe.isRunning }
            usleep(.random(in: 0..<40_000))
            if probe.lines.isEmpty { interrupted += 1 }
            probe.kill()
            try expectUsable(keychain, "round \(round)")
            // What was acknowledged is there.
            if probe.lines == ["0"] {
                #expect(try keychain.connection(groups: ["KeychainProbe"]).accounts() == ["x-0"])
            }
        }
        print("\(interrupted) of 50 were killed before they acknowledged")
    }

    /// The kernel's tracing stops the process before each call that touches a file, in turn.
    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `killed before any one of its writing calls, it leaves what can be completed (needs strace and ptrace)`()
        throws
    {
        let calls = "openat,pwrite64,write,fsync,fdatasync,rename,unlink,ftruncate,chmod,mkdir"
        var call = 1
        var survived = false
        while !survived && call < 400 {
            let keychain = try TestKeychain()
            let wrapper = [
                "strace", "-qq", "-o", "/dev/null", "-P", keychain.path, "-P", keychain.database, "-P", keychain.keybag,
                "-P", keychain.deviceKey, "-P", keychain.path + "/creating", "-P", keychain.path + "/creating.new",
                "-P", keychain.keybag + ".new", "-P", keychain.deviceKey + ".new", "-P", keychain.journal,
                "-P", keychain.database + "-journal", "-P", keychain.lock, "-e", "trace=" + calls,
                "-e", "inject=\(calls):signal=KILL:when=\(call)",
            ]
            let (status, lines) = try ProbeProcess.run(keychain, ["add", "x", "1"], wrapper: wrapper)
            survived = status == 0
            if FileManager.default.fileExists(atPath: keychain.path) {
                try expectUsable(keychain, "killed before call \(call), after \(lines)")
            }
            call += 1
        }
        #expect(survived)
        #expect(call > 20, "the calls were not seen")
    }

    @Test func `eight processes that make the keychain at once make one, and all succeed`() throws {
        for round in 0..<4 {
            let keychain = try TestKeychain()
            let probes = try (0..<8).map { try ProbeProcess(keychain, ["add", "process-\($0)", "3"]) }
            #expect(probes.map { $0.wait() } == [Int32](repeating: 0, count: 8), "round \(round)")
            #expect(probes.flatMap(\.lines) == [String](repeating: "0", count: 24), "round \(round)")
            #expect(try keychain.connection(groups: ["KeychainProbe"]).accounts().count == 24, "round \(round)")
        }
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `a process that looks while another one makes the keychain waits for it (needs strace and ptrace)`() throws {
        let keychain = try TestKeychain()
        func slowed(_ call: String, _ file: String, by delay: Int) -> [String] {
            ["strace", "-qq", "-o", "/dev/null", "-P", file, "-e", "trace=" + call]
                + ["-e", "inject=\(call):delay_enter=\(delay):when=1"]
        }
        // One stops between its looks at two files, the other one between the making of them.
        let looking = try ProbeProcess(
            keychain,
            ["add", "a", "1"],
            wrapper: slowed("newfstatat", keychain.deviceKey, by: 500_000)
        )
        let making = try ProbeProcess(
            keychain,
            ["add", "b", "1"],
            wrapper: slowed("openat", keychain.keybag + ".new", by: 1_000_000)
        )
        #expect(looking.wait() == 0)
        #expect(making.wait() == 0)
        #expect(looking.lines == ["0"])
        #expect(making.lines == ["0"])
    }
}
