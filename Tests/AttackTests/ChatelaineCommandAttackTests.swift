import CodeSignature
import Foundation
import KeychainTestSupport
import Testing

/// The command `chatelaine` in the hands of malware of the victim's own user, where no passcode is set.
@Suite(.enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"))
struct ChatelaineCommandAttackTests {
    private let machine: AttackedMachine
    private static let secret = "KEPT-\(UUID().uuidString)"

    private let victim: String
    private let command: String
    /// The same command with the victim's group, which nobody but the team can sign: what could be had.
    private let insider: String

    init() throws {
        machine = try AttackedMachine.shared.get()
        victim = try machine.install("attacked-program", groups: ["watched"])
        command = try machine.plain("chatelaine")
        insider = try machine.install("chatelaine", groups: ["watched"])
        if try !machine.run([victim, "find"]).contains(Self.secret) {
            _ = try machine.run([victim, "store", Self.secret])
        }
    }

    private func folder() throws -> String {
        let path = machine.home + "/own-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.ownerAccountID: AttackSite.user, .groupOwnerAccountID: AttackSite.user]
        )
        return path
    }

    /// A team of the attacker's own, with the name of one that is trusted.
    private func team(in folder: String) throws -> String {
        let key = folder + "/team.pem"
        let made = try machine.run([command, "team", "new", "T1TEAM", "--out", key])
        guard made.status == 0 else { throw AttackFailure(made.everything) }
        return key
    }

    // MARK: - Trust

    @Test func `nobody but root says which teams are trusted (as root)`() throws {
        let key = try team(in: folder())
        let teams = machine.folder + "/teams"
        func listing() throws -> [String: Data] {
            try Dictionary(
                uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: teams).map {
                    ($0, FileManager.default.contents(atPath: teams + "/" + $0) ?? Data())
                }
            )
        }
        let before = try listing()
        for arguments in [
            ["team", "trust", "--teams", teams, key], ["team", "trust", key],
            ["team", "revoke", "--teams", teams, "T0TEAM"], ["team", "revoke", "--teams", teams, "T1TEAM"],
        ] {
            let attempt = try machine.run([command] + arguments)
            #expect(attempt.status != 0, "\(arguments): \(attempt.everything)")
        }
        #expect(try listing() == before)
        #expect(try machine.run([victim, "find"]).contains(Self.secret))

        let other = machine.folder + "/other-teams"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        #expect(try machine.run([command, "team", "trust", "--teams", other, key], as: nil).status == 0)
    }

    @Test func `nobody but root installs, uninstalls and signs what is installed (as root)`() throws {
        let folder = try folder()
        let key = try team(in: folder)
        let list = """
            <plist version="1.0"><dict><key>keychain-access-groups</key><array><string>T1TEAM.watched</string></array></dict></plist>
            """
        try Data(list.utf8).write(to: URL(filePath: folder + "/entitlements"))
        let own = folder + "/attacked-program"
        try FileManager.default.copyItem(atPath: machine.plain("attacked-program"), toPath: own)
        chown(own, AttackSite.user, AttackSite.user)
        let copy = folder + "/copy"
        try FileManager.default.copyItem(atPath: victim, toPath: copy)
        chown(copy, AttackSite.user, AttackSite.user)
        chmod(copy, 0o755)
        let before = FileManager.default.contents(atPath: victim)

        let signing = ["sign", "--team", key, "--entitlements", folder + "/entitlements"]
        #expect(try machine.run([command] + signing + [own]).status == 0)
        let ownTeams = folder + "/teams"
        let marker = ["--marker-group", "\(AttackSite.markerGroup)"]
        for arguments in [
            signing + [victim], ["uninstall-app", victim],
            ["install-app", "--teams", machine.folder + "/teams"] + marker + [own],
            ["install-app", "--teams", machine.folder + "/teams"] + marker + [copy],
            ["install-app", "--teams", ownTeams] + marker + [own],
        ] {
            let attempt = try machine.run([command] + arguments)
            #expect(attempt.status != 0, "\(arguments): \(attempt.everything)")
        }
        #expect(FileManager.default.contents(atPath: victim) == before)
        for program in [own, copy] {
            #expect(try !machine.run([program, "find"]).contains(Self.secret), "\(program)")
        }
        #expect(try machine.run([victim, "find"]).contains(Self.secret))
    }

    // MARK: - What is said

    @Test func `who watches hears nothing of an installed program's groups (as root)`() throws {
        let watching = try RunningProgram(machine.command([command, "watch"]), in: machine.folder, until: "passcode")
        let inside = try RunningProgram(machine.command([insider, "watch"]), in: machine.folder, until: "passcode")
        let other = try machine.install("security", groups: ["watched"])
        let add = [other, "add-generic-password", "-U", "-s", "noise", "-a", "alice", "-w"]
        for number in 1...3 {
            #expect(try machine.run(add + ["\(number)"]).status == 0)
        }
        #expect(eventually { inside.text.split(separator: "\n").count >= 4 }, "\(inside.text)")
        #expect(inside.text.contains("T1TEAM.watched"))
        #expect(watching.text.split(separator: "\n").count == 1, "\(watching.text)")
    }

    @Test func `nobody but root reads who asked for what (as root)`() throws {
        #expect(try machine.run([victim, "find"]).contains(Self.secret))
        let arguments = ["audit", "--system", "--directory", machine.folder + "/data", "--uid", "\(AttackSite.user)"]
        for words in [
            [command] + arguments, [insider] + arguments, [command, "audit", "--system"], [command, "audit"],
        ] {
            let attempt = try machine.run(words)
            #expect(attempt.status != 0 && !attempt.everything.contains("T1TEAM"), "\(words): \(attempt.everything)")
        }
        #expect(try machine.run([command] + arguments, as: nil).contains("T1TEAM.watched"))
    }

    @Test(arguments: [["status"], ["doctor"]])
    func `how the service is doing names no groups of other programs (as root)`(_ arguments: [String]) throws {
        let said = try machine.run([command] + arguments)
        #expect(said.contains("system") && !said.everything.contains("T1TEAM"), "\(said.everything)")
        #expect(!said.everything.contains("T0TEAM"))
        let inside = try machine.run([insider] + arguments)
        #expect(inside.everything.contains("T1TEAM"), "\(inside.everything)")
    }

    @Test func `a log of everything names no groups of other programs (as root)`() throws {
        let verbose = ["CHATELAINE_LOG": "debug"]
        let program = try machine.plain("attacked-program")
        let failed = try machine.run([program, "find"], environment: verbose)
        #expect(failed.everything.contains("debug") || failed.errors.count > 20, "\(failed.everything)")
        #expect(!failed.everything.contains("T1TEAM"), "\(failed.everything)")
        let installed = try machine.run([victim, "find"], environment: verbose)
        #expect(installed.contains(Self.secret) && installed.errors.isEmpty, "\(installed.errors)")
        // The service's own log has no groups, values or attributes at any level that is asked of clients.
        #expect(!machine.logText.contains(Self.secret))
    }

    // MARK: - Without a passcode

    @Test(arguments: [
        ["backup", "create", "--stdin", "FOLDER/keychain.backup"], ["export", "--stdin", "FOLDER/export.csv"],
        ["rotate-keys", "--stdin"],
    ])
    func `without a passcode nobody but root has all items written or renewed (as root)`(_ words: [String]) throws {
        let folder = try folder()
        let arguments = words.map { $0.replacing("FOLDER", with: folder) }
        for program in [command, insider] {
            let attempt = try machine.run([program] + arguments, input: "one two three\none two three\n")
            #expect(attempt.status != 0, "\(attempt.everything)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try machine.run([victim, "find"]).contains(Self.secret))
    }

    @Test func `a backup of the attacker's own making is not put into others' groups (as root)`() throws {
        let folder = try folder()
        let backup = folder + "/evil.backup"
        let own = ["CHATELAINE_KEYCHAIN": "embedded:\(folder)/keychain"]
        let security = try machine.plain("security")
        let add = ["add-generic-password", "-s", "kept", "-a", "alice", "-w", "evil", "--group", "T1TEAM.watched"]
        #expect(try machine.run([security] + add, environment: own).status == 0)
        let passphrase = "correct horse battery\n"
        let made = try machine.run(
            [command, "backup", "create", "--stdin", backup],
            environment: own,
            input: passphrase + passphrase
        )
        #expect(made.status == 0, "\(made.everything)")

        let restoring = ["backup", "restore", "--stdin", "--accept-origin", "--on-conflict", "replace", backup]
        for program in [command, insider] {
            let attempt = try machine.run([program] + restoring, input: passphrase)
            #expect(attempt.status != 0, "\(attempt.everything)")
        }
        #expect(try machine.run([victim, "find"]).contains(Self.secret))

        // The file is in order.
        let other = ["CHATELAINE_KEYCHAIN": "embedded:\(folder)/other"]
        let restored = try machine.run([command] + restoring, environment: other, input: passphrase)
        #expect(restored.status == 0, "\(restored.everything)")
        let found = try machine.run([security, "find-generic-password", "-s", "kept", "-w"], environment: other)
        #expect(found.contains("evil"), "\(found.everything)")
    }
}
