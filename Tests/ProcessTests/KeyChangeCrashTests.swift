import EnclaveInterface
import Foundation
import KeychainEngine
import KeychainModel
import KeychainTestSupport
import Logging
import Testing

/// Processes that are killed in the middle of a change of keys.
@Suite("Changes of keys that are cut short")
struct KeyChangeCrashTests {
    /// What is killed, what the passcode is before it, and what it may be after it.
    struct Change: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let before: String?
        let after: String?

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let changes: [Change] = [
        Change(arguments: ["passcode", "-", "new"], before: nil, after: "new"),
        Change(arguments: ["passcode", "old", "new"], before: "old", after: "new"),
        Change(arguments: ["passcode", "old", "-"], before: "old", after: nil),
        Change(arguments: ["rotate", "old"], before: "old", after: "old"),
    ]

    private static let accounts = ["a", "b", "c"]
    private static let caller = Caller(name: "test", groups: AccessGroups(["test.default"]))

    private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    private func open(_ keychain: TestKeychain) throws -> (engine: KeychainEngine, control: any EnclaveControl) {
        let directory = KeychainDirectory(path: keychain.path, cost: .uncheckedLeast)
        let engine = try directory.open(log: keychain.log.logger(.warning))
        return (engine, try engine.ownerControl())
    }

    /// A keychain with some items and a passcode that was given, or none.
    private func prepare(passcode: String?) throws -> TestKeychain {
        let keychain = try TestKeychain(in: TestKeychain.folderInMemory)
        let (engine, control) = try open(keychain)
        if let passcode { try control.changePasscode(from: nil, to: Self.secret(passcode)) }
        for account in Self.accounts {
            var request = AddRequest(itemClass: .genericPassword)
            request.attributes["acct"] = .string(account)
            request.secrets[.valueData] = Self.secret(account)
            _ = try engine.keychain(of: Self.caller).add(request)
        }
        try control.logOut()
        engine.close()
        return keychain
    }

    /// That one of both passcodes works and brings back every item, and that nothing is left to be done then.
    private func check(_ keychain: TestKeychain, _ change: Change, _ comment: Comment) throws {
        let (engine, control) = try open(keychain)
        defer { try? control.logOut() }
        try control.logOut()
        if try control.state().hasPasscode {
            let working = Set([change.before, change.after].compactMap(\.self)).filter { passcode in
                (try? control.unlock(Self.secret(passcode))) != nil
            }
            #expect(working.count == 1, comment)
        } else {
            #expect(change.before == nil || change.after == nil, comment)
        }
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.limit = .all
        request.returns = [.data]
        let found = try engine.keychain(of: Self.caller).find(request).map(\.value).sorted()
        #expect(found == Self.accounts, comment)
        #expect(try !control.state().isRotating, comment)
        #expect(keychain.log.messages == [], comment)
        engine.close()
    }

    private func run(_ change: Change, in keychain: TestKeychain, wrapper: [String]) throws -> [String] {
        let arguments = [change.arguments[0], keychain.path] + change.arguments.dropFirst()
        return try ProbeProcess.run(keychain, arguments, wrapper: wrapper).lines
    }

    /// All that changes what is on the disk.
    private static let calls = ["write", "pwrite64", "fsync", "fdatasync", "?rename", "?unlink", "ftruncate"]

    private func files(of keychain: TestKeychain) -> [String] {
        let names = [
            "", "/keybag", "/keybag.new", "/keybag.lock", "/attempts", "/attempts.new", "/keychain.db",
            "/keychain.db-wal",
            "/lock",
        ]
        return names.flatMap { ["-P", keychain.path + $0] }
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"), arguments: changes)
    func `killed at any call that touches its files, one passcode works and no item is lost (needs strace and ptrace)`(
        change: Change
    ) throws {
        var kills = 0
        // strace counts each call by itself.
        for call in Self.calls {
            var number = 1
            var isDone = false
            while !isDone && number < 100 {
                let keychain = try prepare(passcode: change.before)
                let wrapper =
                    ["strace", "-f", "-qq", "-o", "/dev/null"] + files(of: keychain)
                    + ["-e", "trace=" + call, "-e", "inject=\(call):signal=KILL:when=\(number)"]
                isDone = try run(change, in: keychain, wrapper: wrapper) == ["done"]
                try check(keychain, change, "killed at \(call) number \(number)")
                number += Campaign.step(sample: 3)
                if !isDone { kills += 1 }
            }
            #expect(isDone, "\(call)")
        }
        #expect(kills > Campaign.rounds(20, sample: 6), "the calls were not seen")
    }

    @Test(
        .enabled(if: Machine.allowsTracing, "needs strace and ptrace"),
        arguments: changes,
        ["ENOSPC", "EIO"]
    )
    func `a disk that fails at any write leaves what was, or what was to be (needs strace and ptrace)`(
        change: Change,
        error: String
    ) throws {
        let step = Campaign.step(3, sample: 9)
        var number = 1
        var isDone = false
        while !isDone && number < 100 {
            let keychain = try prepare(passcode: change.before)
            let calls = "write,pwrite64,fsync,fdatasync,?rename"
            let trace = keychain.surroundings + "/trace"
            let wrapper =
                ["strace", "-f", "-qq", "-o", trace] + files(of: keychain)
                + ["-e", "trace=" + calls, "-e", "inject=\(calls):error=\(error):when=\(number)"]
            _ = try run(change, in: keychain, wrapper: wrapper)
            isDone = try !String(contentsOfFile: trace, encoding: .utf8).contains("INJECTED")
            try check(keychain, change, "\(error) at call \(number)")
            number += step
        }
        #expect(isDone)
        #expect(number > 2 * step, "the calls were not seen")
    }
}
