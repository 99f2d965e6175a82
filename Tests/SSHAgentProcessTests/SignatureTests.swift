import KeychainTestSupport
import Testing

/// Files, commits and tags that keys of the agent sign.
@Suite("Signatures of files and commits", .timeLimit(.minutes(5)))
struct SignatureTests {
    private static let git = [
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_NOSYSTEM": "1",
    ]

    @Test func `ssh-keygen signs a file with a key of the enclave, and the prompt says so`() throws {
        let site = try AgentSite()
        let line = try site.createKey()
        try site.write("a text", to: "file")
        try site.write("me \(line)", to: "allowed")
        site.allow()
        try site.succeed("ssh-keygen", ["-Y", "sign", "-q", "-f", "enclave.pub", "-n", "file", "file"])
        #expect(site.person.shown.contains("“sign a file (namespace file)”"), "\(site.person.shown)")
        let verify = ["-Y", "verify", "-f", "allowed", "-I", "me", "-n", "file", "-s", "file.sig"]
        try site.succeed("ssh-keygen", verify, input: "a text")
        #expect(try site.run("ssh-keygen", verify, input: "another text").status != 0)
    }

    @Test func `a signature takes one search of the keychain and one use of the key, among many keys and certificates`()
        throws
    {
        let site = try AgentSite(hasPasscode: false)
        for name in ["first", "second", "wanted"] { _ = try site.createKey(name, ["--no-presence"]) }
        try site.makeKey("authority")
        try site.succeed("ssh-keygen", ["-q", "-s", "authority", "-I", "me", "-n", "me", "wanted.pub"])
        try site.succeed("chatelaine", ["ssh", "import", "wanted-cert.pub"])
        try site.write("a text", to: "file")
        for key in ["wanted.pub", "wanted-cert.pub"] {
            let before = try site.requests()
            try site.succeed("ssh-keygen", ["-Y", "sign", "-q", "-f", key, "-n", "file", "file"])
            // Before that, ssh-keygen has all keys listed, which is one search as well.
            #expect(try site.requests() - before == 3, "\(key)")
        }
    }

    @Test func `a signature with a key that asks nobody opens no connection to the keychain`() throws {
        let site = try AgentSite(hasPasscode: false)
        _ = try site.createKey("quiet", ["--no-presence"])
        try site.makeKey("imported")
        try site.succeed("chatelaine", ["ssh", "import", "imported"])
        try site.write("a text", to: "file")
        for key in ["quiet.pub", "imported.pub"] {
            // The agent's own connection is there after the first.
            try site.succeed("ssh-keygen", ["-Y", "sign", "-q", "-f", key, "-n", "file", "file"])
            let before = try site.connections()
            let ofStatus = try site.connections() - before
            try site.succeed("ssh-keygen", ["-Y", "sign", "-q", "-f", key, "-n", "file", "file"])
            #expect(try site.connections() - before == 2 * ofStatus, "\(key)")
        }
    }

    @Test func `ssh-keygen fails when the owner declines`() throws {
        let site = try AgentSite([.no])
        _ = try site.createKey()
        try site.write("a text", to: "file")
        let signed = try site.run("ssh-keygen", ["-Y", "sign", "-q", "-f", "enclave.pub", "-n", "file", "file"])
        #expect(signed.status != 0)
        #expect(signed.errors.contains("agent refused operation"), "\(signed.errors)")
    }

    @Test func `git signs commits and tags with the key that the command prints, and verifies them`() throws {
        let site = try AgentSite()
        let line = try site.createKey()
        try site.write("a@example.org \(line)", to: "allowed")
        try site.succeed("git", ["init", "-q", "repository"], Self.git)
        func git(_ arguments: [String]) throws -> String {
            try site.succeed("git", ["-C", "repository"] + arguments, Self.git)
        }
        for (name, value) in [
            ("gpg.format", "ssh"), ("gpg.ssh.defaultKeyCommand", "chatelaine ssh export --git"),
            ("gpg.ssh.allowedSignersFile", site.folder + "/allowed"),
        ] {
            _ = try git(["config", name, value])
        }
        site.allow()
        _ = try git(["commit", "-q", "--allow-empty", "-S", "-m", "signed"])
        #expect(site.person.shown.contains("“sign a commit or a tag (namespace git)”"), "\(site.person.shown)")
        _ = try git(["verify-commit", "HEAD"])
        #expect(try git(["log", "--format=%G?", "-1"]) == "G\n")
        site.allow()
        _ = try git(["tag", "-s", "v1", "-m", "signed"])
        _ = try git(["verify-tag", "v1"])
        site.answer([.no])
        let declined = try site.run(
            "git",
            ["-C", "repository", "commit", "-q", "--allow-empty", "-S", "-m", "declined"],
            Self.git
        )
        #expect(declined.status != 0)
        #expect(site.person.dialogs == 3)
    }
}
