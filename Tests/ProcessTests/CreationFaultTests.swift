import Foundation
import KeychainTestSupport
import Testing

/// The disk fails in the middle of making a keychain, whatever system call it is. The next call finds no ruin.
@Suite("A keychain that is made on a failing disk")
struct CreationFaultTests {
    /// A system call, what it fails with, and what the add may then end with.
    struct Fault: Sendable, CustomTestStringConvertible {
        let call: String
        let error: String
        let status: String

        var testDescription: String { "\(call) \(error)" }
    }

    private static let faults: [Fault] =
        ["write", "pwrite64", "?rename", "?renameat", "?mkdir", "?mkdirat", "fsync", "fdatasync"].flatMap { call in
            [
                Fault(call: call, error: "ENOSPC", status: "-34"),
                Fault(call: call, error: "EIO", status: "-36"),
            ]
        } + [
            Fault(call: "?unlink", error: "EIO", status: "-36"),
            Fault(call: "ftruncate", error: "EIO", status: "-36"),
            Fault(call: "fallocate", error: "ENOSPC", status: "-34"),
            Fault(call: "?chmod", error: "EPERM", status: "-61"),
            Fault(call: "?fchmodat", error: "EPERM", status: "-61"),
            Fault(call: "flock", error: "EIO", status: "-36"),
        ]

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"), arguments: faults)
    func `each of its system calls may fail, and then the next call makes it (needs strace and ptrace)`(
        fault: Fault
    ) throws {
        var places = 0
        // Of the many writes of the first database, a sample.
        let step = fault.call == "pwrite64" ? Campaign.step(9, sample: 36) : Campaign.step(sample: 3)
        for number in stride(from: 1, to: 200, by: step) {
            let keychain = try TestKeychain(in: TestKeychain.folderInMemory)
            let output = keychain.surroundings + "/trace"
            let wrapper = [
                "strace", "-f", "-qq", "-o", output, "-e", "trace=" + fault.call, "-e",
                "inject=\(fault.call):error=\(fault.error):when=\(number)",
            ]
            let lines = try ProbeProcess.run(keychain, ["add", "a", "1"], wrapper: wrapper).lines
            let trace = try String(contentsOfFile: output, encoding: .utf8)
            guard trace.contains("INJECTED") else { break }
            places += 1
            // A failed write of the status itself leaves no line.
            // SQLite does not tell why a sync failed, nor why there is no shared memory.
            #expect(lines.allSatisfy { [fault.status, "0", "-36", "-34"].contains($0) }, "\(number): \(lines)")
            let next = try ProbeProcess.run(keychain, ["add", "b", "1"]).lines
            #expect(next == ["0"], "\(number)")
            let found = try ProbeProcess.run(keychain, ["accounts"]).lines
            #expect(found.contains("b-0"), "\(number)")
            if lines == ["0"] { #expect(found.contains("a-0"), "\(number)") }
            #expect(try ProbeProcess.run(keychain, ["verify"]).lines == ["whole"], "\(number)")
        }
        print("\(places) calls of \(fault.call) failed with \(fault.error)")
    }
}
