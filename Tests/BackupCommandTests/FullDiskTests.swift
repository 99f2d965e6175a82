import Foundation
import KeychainTestSupport
import Testing

@Suite("Backups on a disk that is full")
struct FullDiskTests {
    private let command: BackupCommand
    private let recipient: String

    init() throws {
        command = BackupCommand(keychain: try TestKeychain())
        let connection = command.keychain.connection()
        for account in ["alice", "bob"] { try connection.add(account, value: "value of " + account) }
        recipient = try command.run(["backup", "keygen", command.path("identity")]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Lets a file's writes fail from one of them on.
    private func full(from call: Int, calls: String) -> [String] {
        [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e",
            "inject=\(calls):error=ENOSPC:when=\(call)+",
        ]
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func
        `a restoration whose disk is full at any write has done all or nothing, and works later (needs strace and ptrace)`()
        throws
    {
        #expect(try command.run(["backup", "create", "--recipient", recipient, command.path("b")]).status == 0)
        let restore = [
            "backup", "restore", "--identity", command.path("identity"), "--accept-origin", "--on-conflict", "replace",
            command.path("b"),
        ]
        let (before, after) = (["alice=old"], ["alice=value of alice", "bob=value of bob"])
        var survived = false
        var failures = 0
        var call = 1
        while !survived && call < 200 {
            let other = BackupCommand(keychain: try TestKeychain())
            try other.keychain.connection().add("alice", value: "old")
            let result = try other.run(restore, wrapper: full(from: call, calls: "pwrite64,ftruncate"))
            survived = result.status == 0
            let left = try other.keychain.connection().all()
            // What says that it failed may have been done, if only the journal could not be emptied.
            #expect(left == (survived ? after : before) || left == after, "full at call \(call)")
            if !survived {
                failures += 1
                #expect(try other.run(restore).status == 0)
                #expect(try other.keychain.connection().all() == after)
            }
            call += 1
        }
        #expect(survived)
        #expect(failures > 0, "the calls were not seen")
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `a backup whose disk is full at any write is not there (needs strace and ptrace)`() throws {
        for call in 1...3 {
            let result = try command.run(
                ["backup", "create", "--recipient", recipient, command.path("b")],
                wrapper: full(from: call, calls: "write")
            )
            // The last one is what the command says of itself.
            if result.status != 0 {
                let left = try FileManager.default.contentsOfDirectory(atPath: command.keychain.surroundings).sorted()
                #expect(left == ["identity", "keychain"])
            }
            if call == 1 { #expect(result.status == 1) }
            try? FileManager.default.removeItem(atPath: command.path("b"))
        }
    }
}
