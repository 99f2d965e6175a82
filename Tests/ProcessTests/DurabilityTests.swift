import Foundation
import KeychainTestSupport
import Testing

@Suite("What the kernel sees of a write")
struct DurabilityTests {
    /// The system calls of a probe, line by line.
    private func trace(_ keychain: TestKeychain, _ arguments: [String], calls: String) throws -> [String] {
        let output = keychain.surroundings + "/trace"
        let wrapper = ["strace", "-f", "-y", "-qq", "-e", "signal=none", "-e", "trace=" + calls, "-o", output]
        let (status, lines) = try ProbeProcess.run(keychain, arguments, wrapper: wrapper)
        #expect(status == 0)
        #expect(lines.allSatisfy { $0 == "0" })
        return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `each add is one fdatasync of the journal, and nothing is written back (needs strace and ptrace)`() throws {
        let keychain = try TestKeychain()
        _ = try ProbeProcess.run(keychain, ["add", "warm", "2"])
        let few = try trace(keychain, ["add", "few", "5"], calls: "fdatasync,fsync,pwrite64")
        let many = try trace(keychain, ["add", "many", "45"], calls: "fdatasync,fsync,pwrite64")
        func count(_ lines: [String], _ call: String, _ file: String) -> Int {
            lines.count { $0.contains(call + "(") && $0.contains(file + ">") }
        }
        // What opening costs is the same in both: the difference is what forty adds cost.
        #expect(count(many, "fdatasync", "keychain.db-wal") - count(few, "fdatasync", "keychain.db-wal") == 40)
        #expect(many.count { $0.contains("sync(") } - few.count { $0.contains("sync(") } == 40)
        let written = count(many, "pwrite64", "keychain.db-wal") - count(few, "pwrite64", "keychain.db-wal")
        #expect(written >= 40)
        #expect(count(many, "pwrite64", "keychain.db") == count(few, "pwrite64", "keychain.db"))
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `a find writes nothing (needs strace and ptrace)`() throws {
        let keychain = try TestKeychain()
        _ = try ProbeProcess.run(keychain, ["add", "x", "1"])
        let calls = try trace(keychain, ["find", "x-0"], calls: "fdatasync,fsync,pwrite64,ftruncate")
        // Opening empties the journal; the finding itself leaves no trace in it.
        let again = try trace(keychain, ["find", "x-0"], calls: "fdatasync,fsync,pwrite64,ftruncate")
        #expect(calls.count >= again.count)
        #expect(again.filter { $0.contains("keychain.db>") || $0.contains("keychain.db-wal>") } == [])
    }
}
