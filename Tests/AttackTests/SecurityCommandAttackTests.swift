import Foundation
import Testing

/// The command `security` in the hands of malware of the victim's own user: it is a program like any other, with a keychain of
/// its own, whether it is installed or not.
@Suite(.enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"))
struct SecurityCommandAttackTests {
    private let machine: AttackedMachine
    /// What the victim keeps.
    private static let secret = "KEPT-\(UUID().uuidString)"
    private static let group = "T1TEAM.kept"

    private let victim: String
    /// The same command with the victim's group, which nobody but the team can sign: what could be had.
    private let insider: String

    init() throws {
        machine = try AttackedMachine.shared.get()
        victim = try machine.install("attacked-program", groups: ["kept"])
        insider = try machine.install("security", groups: ["kept"])
        if try !machine.run([victim, "find"]).contains(Self.secret) {
            _ = try machine.run([victim, "store", Self.secret])
        }
    }

    /// All that the victim's group has, value, dates and all.
    private func inventory() throws -> String {
        try machine.run([insider, "dump-keychain", "-d"]).everything
    }

    enum Kind: CaseIterable {
        case plain
        case installed
    }

    private func program(_ kind: Kind) throws -> String {
        switch kind {
        case .plain: try machine.plain("security")
        case .installed: try machine.install("security", groups: ["security"])
        }
    }

    private static let attempts: [[String]] = [
        ["find-generic-password", "-s", "kept", "-w"],
        ["find-generic-password", "-s", "kept", "-g"],
        ["find-generic-password", "-a", "alice", "-w", "--group", group],
        ["find-generic-password", "-s", "kept", "-w", "--group", "*"],
        ["find-generic-password", "-s", "kept", "-w", "login.keychain"],
        ["dump-keychain", "-d"], ["dump-keychain", "-d", "--json"], ["dump-keychain", "-r", "-a", "-i", "-d"],
        ["list"], ["list", "--json"], ["list", "--group", group], ["list", "--group", "*"],
        ["export", "-t", "all", "-P", "passphrase", "-f", "pkcs12"],
        ["verify-keychain"], ["repair-keychain"],
        ["delete-generic-password", "-s", "kept"],
        ["delete-generic-password", "-s", "kept", "-a", "alice", "--group", group],
        ["delete-generic-password", "--group", group],
        ["add-generic-password", "-U", "-s", "kept", "-a", "alice", "-w", "evil", "--group", group],
        ["add-generic-password", "-s", "kept", "-a", "mallory", "-w", "evil", "--group", group],
        ["add-generic-password", "-U", "-s", "kept", "-a", "alice", "-w", "evil", "-A"],
        ["add-generic-password", "-U", "-s", "kept", "-a", "alice", "-w", "evil", "-T", "/bin/cat", "-T", ""],
        ["lock-keychain"], ["unlock-keychain", "-p", "guess"], ["unlock-keychain", "-u"],
        ["set-keychain-settings", "-t", "100000"], ["show-keychain-info"],
    ]

    @Test(arguments: Kind.allCases, attempts)
    func `the command security gets, changes and deletes nothing of an installed program's (as root)`(
        _ kind: Kind,
        _ arguments: [String]
    ) throws {
        let before = try inventory()
        #expect(before.contains(Self.secret), "the victim's group has nothing: \(before)")

        let attempt = try machine.run([program(kind)] + arguments, input: "evil\nevil\n")

        #expect(!attempt.everything.contains(Self.secret))
        // It names a group that it was told itself, in a message.
        #expect(arguments.contains(Self.group) || !attempt.everything.contains(Self.group), "\(attempt.everything)")
        #expect(try inventory() == before)
        #expect(try machine.run([victim, "find"]).contains(Self.secret))
    }

    @Test(arguments: Kind.allCases)
    func `a script for the command security gets nothing of an installed program's (as root)`(_ kind: Kind) throws {
        let before = try inventory()
        let script = Self.attempts.map { $0.map { "'\($0)'" }.joined(separator: " ") + "\n" }.joined()
        let result = try machine.run([program(kind), "-i"], input: script)
        #expect(!result.everything.contains(Self.secret))
        #expect(try inventory() == before)
        // The script runs, and gets what the group may have.
        let control = try machine.run([insider, "-i"], input: "find-generic-password -s kept -w\n")
        #expect(control.everything.contains(Self.secret), "\(control.everything)")
    }

    @Test(arguments: [
        "embedded:DATA/users/\(AttackSite.user)/keychain", "embedded:DATA", "unix:/run/chatelaine/enclave.sock",
        "unix:ENCLAVE/enclave.sock", "unix:/run/chatelaine/keychain.sock", "memory:",
    ])
    func `no name of a keychain leads the command security past the service (as root)`(_ keychain: String) throws {
        let before = try inventory()
        let variable = keychain.replacing("DATA", with: machine.folder + "/data")
            .replacing("ENCLAVE", with: machine.folder + "/enclave")
        for arguments in [["dump-keychain", "-d"], ["delete-generic-password", "-s", "kept"]] {
            for kind in Kind.allCases {
                let attempt = try machine.run(
                    [program(kind)] + arguments,
                    environment: ["CHATELAINE_KEYCHAIN": variable]
                )
                #expect(!attempt.everything.contains(Self.secret))
            }
        }
        #expect(try inventory() == before)
    }

    @Test(arguments: Kind.allCases)
    func `the command security has what it stored itself, and the victim does not (as root)`(_ kind: Kind) throws {
        let program = try program(kind)
        let own = "OWN-\(UUID().uuidString)"
        let added = try machine.run([program, "add-generic-password", "-U", "-s", "own", "-a", "alice", "-w", own])
        #expect(added.status == 0, "\(added.everything)")
        #expect(try machine.run([program, "find-generic-password", "-s", "own", "-w"]).contains(own))
        #expect(try !inventory().contains(own))
        // A plain program's are its own file's, not everybody's that runs as the user.
        guard kind == .plain else { return }
        let other = machine.folder + "/other-security"
        if !FileManager.default.fileExists(atPath: other) {
            try FileManager.default.copyItem(atPath: program, toPath: other)
        }
        #expect(try !machine.run([other, "dump-keychain", "-d"]).everything.contains(own))
    }

    @Test func `the same words do all that for a command that the team has signed (as root)`() throws {
        let group = "T1TEAM.scratch"
        let program = try machine.install("security", groups: ["scratch"])
        func run(_ arguments: [String]) throws -> String { try machine.run([program] + arguments).everything }
        for secret in ["first", "second"] {
            _ = try run(["add-generic-password", "-U", "-s", "kept", "-a", "alice", "-w", secret, "--group", group])
            #expect(try run(["find-generic-password", "-s", "kept", "-w"]).contains(secret))
            #expect(try run(["dump-keychain", "-d"]).contains(secret))
            #expect(try run(["list", "--group", group]).contains(group))
        }
        _ = try run(["delete-generic-password", "-s", "kept", "-a", "alice", "--group", group])
        #expect(try !run(["dump-keychain", "-d"]).contains("second"))
    }
}
