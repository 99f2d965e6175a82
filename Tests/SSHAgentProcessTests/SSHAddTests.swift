import Foundation
import KeychainTestSupport
import Testing

/// What people do with ssh-add.
@Suite("ssh-add", .timeLimit(.minutes(5)))
struct SSHAddTests {
    @Test func `ssh-add lists, shows, tries, removes one and removes all`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.makeKey("two", ["-t", "ecdsa", "-b", "384"])
        try site.succeed("ssh-add", ["-q", "one", "two"])
        #expect(try site.listed() == ["one", "two"])
        #expect(try site.succeed("ssh-add", ["-L"]) == site.read("one.pub") + site.read("two.pub"))
        try site.succeed("ssh-add", ["-T", "one.pub", "two.pub"])
        try site.succeed("ssh-add", ["-q", "-d", "one"])
        #expect(try site.listed() == ["two"])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        try site.succeed("ssh-add", ["-D"])
        #expect(try site.run("ssh-add", ["-l"]).output == "The agent has no identities.\n")
    }

    @Test func `keys of the keychain are listed beside, and survive what removes all`() throws {
        let site = try AgentSite()
        _ = try site.createKey()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        #expect(try site.listed() == ["one", "enclave"])
        try site.succeed("ssh-add", ["-q", "-D"])
        #expect(try site.listed() == ["enclave"])
        #expect(try site.run("ssh-add", ["-d", "enclave.pub"]).status == 1)
        #expect(try site.listed() == ["enclave"])
        // What is tried says nothing of itself.
        #expect(try site.run("ssh-add", ["-T", "enclave.pub"]).status == 1)
        #expect(site.person.dialogs == 0)
    }

    @Test func `a key with a lifetime is gone after it`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "-t", "3", "one"])
        #expect(try site.listed() == ["one"])
        try waitUntil("the key is gone", patience: 20) { try site.listed() == [] }
    }

    @Test func `a key with confirmation asks the owner, and is refused when they decline`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "-c", "one"])
        site.allow()
        try site.succeed("ssh-add", ["-T", "one.pub"])
        #expect(site.person.shown.contains("“use the key one to sign data of an unknown kind”"), "\(site.person.shown)")
        site.answer([.no])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        #expect(site.person.dialogs == 2)
    }

    @Test func `a locked agent shows and does nothing until its passphrase comes, and wrong ones take longer`() throws {
        let site = try AgentSite()
        _ = try site.createKey()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        try site.succeed("ssh-add", ["-x"], site.askpass("open"))
        #expect(try site.listed() == [])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        #expect(try site.run("ssh-add", ["one"]).status == 1)
        let wrong = try site.askpass("wrong")
        var durations: [Double] = []
        for _ in 0..<3 {
            let start = Date()
            #expect(try site.run("ssh-add", ["-X"], wrong).status == 1)
            durations.append(Date().timeIntervalSince(start))
        }
        #expect(durations[0] >= 0.1 && durations[1] >= 0.2 && durations[2] >= 0.3, "\(durations)")
        try site.succeed("ssh-add", ["-X"], site.askpass("open"))
        #expect(try site.listed() == ["one", "enclave"])
    }

    /// Has a file signed with a key of the enclave, in the background, and waits for the question.
    private func startSigning(at site: AgentSite) throws -> Process {
        _ = try site.createKey()
        try site.write("text", to: "file")
        let waiting = Process()
        waiting.executableURL = URL(filePath: "/usr/bin/env")
        // It may close what it inherits, from which Foundation would conclude that it has ended: timeout does not.
        waiting.arguments = [
            "timeout", "60", "ssh-keygen", "-Y", "sign", "-q", "-f", "enclave.pub", "-n", "file", "file",
        ]
        waiting.currentDirectoryURL = URL(filePath: site.folder)
        waiting.environment = ["PATH": "/usr/bin:/bin", "SSH_AUTH_SOCK": site.socket]
        waiting.standardInput = FileHandle.nullDevice
        waiting.standardError = FileHandle.nullDevice
        try waiting.runHearingSignals()
        #expect(site.person.waitForDialog())
        return waiting
    }

    @Test func `a key of the enclave waits for its owner, and others go on meanwhile`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        let waiting = try startSigning(at: site)
        try site.succeed("ssh-add", ["-T", "one.pub"])
        #expect(try site.listed() == ["one", "enclave"])
        site.allow()
        #expect(waiting.waitForExit() == 0)
    }

    @Test func `the question is taken back when the program that asked goes away`() throws {
        let site = try AgentSite()
        let waiting = try startSigning(at: site)
        kill(waiting.processIdentifier, SIGTERM)
        waiting.waitForExit()
        #expect(site.person.allClose())
    }
}
