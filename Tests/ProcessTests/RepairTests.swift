import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Repairs that are killed, and repairs under the feet of processes that have the keychain open.
@Suite("Repairing a keychain that is in use")
struct RepairTests {
    /// A keychain of which the schema was tampered with, so that a repair has to make a new database.
    private func tampered() throws -> TestKeychain {
        let keychain = try TestKeychain()
        #expect(try ProbeProcess.run(keychain, ["add", "a", "5"]).lines == ["0", "0", "0", "0", "0"])
        try keychain.sql("CREATE TRIGGER planted AFTER INSERT ON genp BEGIN DELETE FROM genp; END")
        return keychain
    }

    private static let accounts = (0..<5).map { "a-\($0)" }

    /// What a repair's system calls are: each, of any kind that leaves a trace on the disk, may be its last.
    @Test(
        .enabled(if: Machine.allowsTracing, "needs strace and ptrace"),
        arguments: [
            "?link", "?linkat", "?rename", "?renameat", "?unlink", "?unlinkat", "fsync", "fdatasync", "pwrite64",
        ]
    )
    func `a repair that is killed at any instant leaves the old keychain or the new one (needs strace and ptrace)`(
        call: String
    ) throws {
        var deaths = 0
        var whole = 0
        // Of the many writes into files that mean nothing yet, a sample.
        let step =
            switch call {
            case "pwrite64": Campaign.step(23, sample: 92)
            case "fdatasync": Campaign.step(3, sample: 9)
            default: Campaign.step(sample: 3)
            }
        for number in stride(from: 1, to: 400, by: step) {
            let keychain = try tampered()
            let output = keychain.surroundings + "/trace"
            let wrapper = [
                "strace", "-f", "-qq", "-o", output, "-e", "trace=" + call, "-e",
                "inject=\(call):signal=KILL:when=\(number)",
            ]
            let status = try ProbeProcess.run(keychain, ["repair"], wrapper: wrapper).status
            let state = try ProbeProcess.run(keychain, ["verify"]).lines
            // Damaged as before, or repaired; whatever else is there does not count.
            #expect(state == ["whole"] || state == ["damaged"], "\(call) \(number): \(state)")
            if state == ["whole"] { whole += 1 }
            #expect(try ProbeProcess.run(keychain, ["repair"]).status == 0, "\(call) \(number)")
            #expect(try ProbeProcess.run(keychain, ["accounts"]).lines == Self.accounts, "\(call) \(number)")
            #expect(try ProbeProcess.run(keychain, ["verify"]).lines == ["whole"], "\(call) \(number)")
            #expect(try ProbeProcess.run(keychain, ["add", "b", "1"]).lines == ["0"], "\(call) \(number)")
            let names = try FileManager.default.contentsOfDirectory(atPath: keychain.path)
            let damaged = names.filter { $0.contains("damaged") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            #expect(damaged == ["keychain.db.damaged-1"], "\(call) \(number): \(names.sorted())")
            #expect(!names.contains { $0.hasSuffix(".copy") || $0.hasSuffix(".new") || $0.hasSuffix(".repaired") })
            if status == 0 { break }
            deaths += 1
        }
        print("\(deaths) places to die in \(call), after \(whole) of which the keychain was whole")
    }

    @Test func `what other processes write during repairs is all there`() throws {
        let keychain = try TestKeychain()
        #expect(try ProbeProcess.run(keychain, ["add", "a", "1"]).lines == ["0"])
        let writers = try (0..<3).map { try ProbeProcess(keychain, ["add-forever", "w\($0)"]) }
        for (index, writer) in writers.enumerated() { #expect(writer.waitForLine("w\(index)-3")) }
        for round in 0..<8 {
            // Damage that no call looks at: they all go on until the database is another.
            try keychain.sql("DELETE FROM usage WHERE pdmn = 6")
            let (status, lines) = try ProbeProcess.run(keychain, ["repair"])
            #expect(status == 0, "\(lines)")
            #expect(lines == ["replaced"], "round \(round)")
            usleep(50_000)
        }
        for writer in writers {
            #expect(writer.isRunning, "\(writer.lines.suffix(1))")
            writer.kill()
        }
        let acknowledged = writers.flatMap(\.lines)
        #expect(acknowledged.count > 12)
        let found = try Set(ProbeProcess.run(keychain, ["accounts"]).lines)
        #expect(acknowledged.filter { !found.contains($0) } == [])
        #expect(try ProbeProcess.run(keychain, ["verify"]).lines == ["whole"])
    }

    @Test func `a reader that has the keychain open goes on finding through repairs`() throws {
        let keychain = try TestKeychain()
        let connection = keychain.connection()
        #expect(try ProbeProcess.run(keychain, ["add", "a", "3"]).lines == ["0", "0", "0"])
        let reader = try ProbeProcess(keychain, ["find-often", "a-1", "3000"])
        for _ in 0..<5 {
            try keychain.sql("DELETE FROM usage WHERE pdmn = 6")
            #expect(try connection.repair().setAside == 0)
        }
        reader.release()
        #expect(reader.wait() == 0)
        #expect(reader.lines.count == 1, "\(reader.lines)")
    }
}
