import KeychainTestSupport
import Testing

/// Keys that were made or imported with `--while-locked`, and others, in a keychain that is locked.
@Suite("ssh keys of a locked keychain", .timeLimit(.minutes(5)))
struct LockedKeychainTests {
    private let site: AgentSite
    private let server: SSHServer

    init() throws {
        site = try AgentSite()
        server = try SSHServer("server.example", at: site)
    }

    /// Stores the key of a file, which goes away.
    private func importKey(_ name: String, _ options: [String] = []) throws -> String {
        try site.makeKey(name)
        let line = try site.succeed("chatelaine", ["ssh", "import"] + options + [name])
        try site.succeed("rm", [name])
        return line
    }

    private func lock() throws { try site.succeed("chatelaine", ["lock"]) }

    @Test func `keys that are kept for that log in while the keychain is locked, and nobody is asked`() throws {
        let made = try site.createKey("made", ["--no-presence", "--while-locked"])
        let imported = try importKey("imported", ["--while-locked"])
        try lock()
        #expect(try site.listed() == ["made", "imported"])
        for line in [made, imported] {
            try server.authorize(line)
            #expect(try server.logIn().output == "welcome\n", "\(site.log)\(server.log)")
        }
        #expect(site.person.dialogs == 0)
    }

    @Test func `other keys beside them take nothing away from them, and are refused themselves`() throws {
        let usual = try site.createKey("usual", ["--no-presence"])
        let imported = try importKey("imported")
        let kept = try site.createKey("kept", ["--no-presence", "--while-locked"])
        #expect(try site.listed() == ["usual", "kept", "imported"])
        try lock()
        #expect(try site.listed() == ["kept"])
        for line in [usual, imported] {
            try server.authorize(line)
            #expect(try server.logIn().status == 255)
        }
        try site.write("text", to: "file")
        for name in ["usual", "imported"] {
            let signed = try site.run("ssh-keygen", ["-Y", "sign", "-q", "-f", "\(name).pub", "-n", "file", "file"])
            #expect(signed.status != 0, "\(name)")
        }
        try server.authorize(kept)
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
        #expect(site.log.contains("the keychain is locked"), "\(site.log)")
    }

    @Test func `all keys are back when the keychain is unlocked`() throws {
        try server.authorize(site.createKey("usual", ["--no-presence"]))
        try lock()
        #expect(try server.logIn().status == 255)
        try site.succeed("chatelaine", ["unlock", "--stdin"], input: AgentSite.passcode + "\n")
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
    }

    @Test func `what a person looks up says that the keychain is locked, and shows what can be used`() throws {
        _ = try site.createKey("usual", ["--no-presence"])
        let kept = try site.createKey("kept", ["--no-presence", "--while-locked"])
        try lock()
        for arguments in [["ssh", "list"], ["ssh", "export"], ["ssh", "export", "--git"]] {
            let shown = try site.run("chatelaine", arguments)
            #expect(shown.status == 0 && shown.lines.count == 1, "\(shown.output)")
            #expect(shown.errors.contains("the keychain is locked"), "\(shown.errors)")
        }
        #expect(try site.succeed("chatelaine", ["ssh", "export"]) == kept)
        #expect(try site.run("chatelaine", ["ssh", "delete", "usual"]).status == 1)
        #expect(try site.run("chatelaine", ["ssh", "create", "--comment", "another"]).status == 1)
        try site.succeed("chatelaine", ["unlock", "--stdin"], input: AgentSite.passcode + "\n")
        #expect(try site.listed() == ["usual", "kept"])
    }

    @Test func `before the keychain was unlocked for the first time no key is there`() throws {
        let kept = try site.createKey("kept", ["--no-presence", "--while-locked"])
        try server.authorize(kept)
        try site.restartService()
        #expect(try site.run("ssh-add", ["-l"]).output == "The agent has no identities.\n")
        #expect(try server.logIn().status == 255)
        try site.succeed("chatelaine", ["unlock", "--stdin"], input: AgentSite.passcode + "\n")
        try lock()
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
    }
}
