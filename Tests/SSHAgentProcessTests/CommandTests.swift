import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The commands that look after stored keys.
@Suite("chatelaine ssh", .timeLimit(.minutes(5)))
struct CommandTests {
    @Test func `keys are made, listed, exported and deleted`() throws {
        let site = try AgentSite()
        let line = try site.createKey("laptop")
        #expect(line.hasPrefix("ecdsa-sha2-nistp256 AAAA") && line.hasSuffix(" laptop\n"))
        let list = try site.succeed("chatelaine", ["ssh", "list"])
        #expect(list.hasSuffix(" ecdsa-sha2-nistp256 (Secure Enclave, asks) laptop\n"), "\(list)")
        let fingerprint = try site.succeed("ssh-keygen", ["-l", "-f", "laptop.pub"]).split(separator: " ")[1]
        #expect(list.hasPrefix(fingerprint))
        #expect(try site.succeed("chatelaine", ["ssh", "export"]) == line)
        #expect(try site.succeed("chatelaine", ["ssh", "export", String(fingerprint)]) == line)
        let key = line.split(separator: " ").prefix(2).joined(separator: " ")
        #expect(try site.succeed("chatelaine", ["ssh", "export", "--git"]) == "key::\(key)\n")
        #expect(try site.run("chatelaine", ["ssh", "delete", "desktop"]).status == 1)
        site.allow()
        try site.succeed("chatelaine", ["ssh", "delete", "laptop"])
        #expect(site.person.shown.contains("“delete the ssh key laptop for good”"), "\(site.person.shown)")
        #expect(try site.succeed("chatelaine", ["ssh", "list"]) == "")
        #expect(try site.listed() == [])
        #expect(try site.run("chatelaine", ["ssh", "export", "--git"]).status == 1)
    }

    @Test func `what has no copy, or asks, is not deleted when its owner declines`() throws {
        let site = try AgentSite()
        _ = try site.createKey("asks")
        _ = try site.createKey("quiet", ["--no-presence"])
        for (name, options) in [("kept", []), ("guarded", ["--presence"])] {
            try site.makeKey(name)
            try site.succeed("chatelaine", ["ssh", "import"] + options + [name])
        }
        for name in ["asks", "quiet", "guarded"] {
            site.answer([.no])
            let refused = try site.run("chatelaine", ["ssh", "delete", name])
            #expect(refused.status == 1 && refused.errors.contains("the person said no"), "\(refused.errors)")
        }
        #expect(site.person.dialogs == 3)
        // The control: this key has a copy in a file.
        try site.succeed("chatelaine", ["ssh", "delete", "kept"])
        #expect(site.person.dialogs == 3)
        #expect(try Set(site.listed()) == ["asks", "quiet", "guarded"])
    }

    @Test func `without a passcode there is nothing to ask for, and a key is deleted`() throws {
        let site = try AgentSite(hasPasscode: false)
        _ = try site.createKey("laptop")
        try site.succeed("chatelaine", ["ssh", "delete", "laptop"])
        #expect(try site.listed() == [])
    }

    @Test func `two keys of one name are told apart by their fingerprints`() throws {
        let site = try AgentSite()
        _ = try site.createKey("same")
        _ = try site.createKey("same")
        let refused = try site.run("chatelaine", ["ssh", "delete", "same"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("use the fingerprint"), "\(refused.errors)")
        #expect(try site.listed() == ["same", "same"])
    }

    @Test func `a file with a passphrase is imported by ssh-add, which asks for it`() throws {
        let site = try AgentSite()
        try site.makeKey("kept", passphrase: "a passphrase")
        let wrong = try site.run("chatelaine", ["ssh", "import", "kept"], site.askpass(""))
        #expect(wrong.status == 1)
        #expect(try site.succeed("chatelaine", ["ssh", "list"]) == "")
        let imported = try site.succeed("chatelaine", ["ssh", "import", "kept"], site.askpass("a passphrase"))
        #expect(try imported == site.read("kept.pub"))
        try site.succeed("ssh-add", ["-T", "kept.pub"])
        let twice = try site.run("chatelaine", ["ssh", "import", "kept"], site.askpass("a passphrase"))
        #expect(twice.status == 1)
        #expect(twice.errors.contains("has this key already"), "\(twice.errors)")
    }

    @Test func `a PEM file is imported, under another name`() throws {
        let site = try AgentSite()
        try site.makeKey("old", ["-t", "rsa", "-b", "2048", "-m", "PEM"])
        #expect(try site.read("old").hasPrefix("-----BEGIN RSA PRIVATE KEY-----"))
        try site.succeed("chatelaine", ["ssh", "import", "--comment", "from the old machine", "old"])
        #expect(try site.listed() == ["from the old machine"])
    }

    @Test func `what is no key is not imported`() throws {
        let site = try AgentSite()
        try site.write("nothing", to: "file")
        chmod(site.folder + "/file", 0o600)
        #expect(try site.run("chatelaine", ["ssh", "import", "file"]).status == 1)
        #expect(try site.run("chatelaine", ["ssh", "import", "missing"]).status == 1)
        #expect(try site.run("chatelaine", ["ssh", "import", "--", "-D"]).status == 1)
    }

    @Test(arguments: ["two\nlines", "a\u{1b}[31m", String(repeating: "x", count: 257)])
    func `a comment that would not fit onto a line is refused`(comment: String) throws {
        let site = try AgentSite()
        #expect(try site.run("chatelaine", ["ssh", "create", "--comment", comment]).status == 2)
    }

    @Test func `without a systemd of the user's own nothing is enabled, and no file is left`() throws {
        let site = try AgentSite()
        let enabled = try site.run("chatelaine", ["ssh", "enable"])
        #expect(enabled.status == 1)
        #expect(!FileManager.default.fileExists(atPath: site.folder + "/.config"))
        let status = try site.succeed("chatelaine", ["ssh", "status"])
        #expect(status.contains("later sessions: do not use it"), "\(status)")
    }

    @Test func `an export overwrites no file`() throws {
        let site = try AgentSite()
        _ = try site.createKey()
        try site.write("precious", to: "file.pub")
        #expect(try site.run("chatelaine", ["ssh", "export", "--file", "file.pub"]).status == 1)
        #expect(try site.read("file.pub") == "precious")
    }
}
