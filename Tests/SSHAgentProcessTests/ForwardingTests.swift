import KeychainTestSupport
import Testing

/// Connections of the agent that lead through other machines.
@Suite("Forwarded agents", .timeLimit(.minutes(5)))
struct ForwardingTests {
    private let site: AgentSite
    private let relay: SSHServer
    private let target: SSHServer

    init() throws {
        site = try AgentSite()
        relay = try SSHServer("relay", at: site)
        target = try SSHServer("target", at: site)
    }

    private func authorize(_ line: String) throws {
        try relay.authorize(line)
        try target.authorize(line)
    }

    /// Logs in to the relay, and from there to the target.
    private func logInByRelay(_ options: [String] = []) throws -> AgentSite.Outcome {
        let further = try (["ssh"] + target.arguments(options) + ["echo", "arrived"]).joined(separator: " ")
        return try relay.logIn(["-A"], command: further)
    }

    @Test func `an added key logs in over two hops`() throws {
        try site.makeKey("added")
        try authorize(site.read("added.pub"))
        try site.succeed("ssh-add", ["-q", "added"])
        #expect(try logInByRelay().output == "arrived\n", "\(target.log)")
    }

    @Test func `a key of the enclave asks at each hop, and says from where`() throws {
        try authorize(site.createKey())
        site.allow(2)
        let outcome = try logInByRelay()
        #expect(outcome.output == "arrived\n", "\(outcome.errors)\(site.log)\(target.log)")
        #expect(site.person.dialogs == 2)
        let shown = site.person.shown
        #expect(try shown.contains("“log in to \(relay.inPrompt()) as root”"), "\(shown)")
        #expect(try shown.contains("“asked from relay: log in to \(target.inPrompt()) as root”"), "\(shown)")
    }

    /// What an older ssh signs, and a newer one for an older server.
    @Test func `a key of the enclave signs for another machine no log-in that names no host`() throws {
        try authorize(site.createKey())
        site.allow(1)
        let outcome = try logInByRelay(["-o", "PubkeyAuthentication=unbound"])
        #expect(outcome.status == 255)
        #expect(outcome.errors.contains("agent refused operation"), "\(outcome.errors)")
        #expect(site.person.dialogs == 1)
        // The control: the same with what names the host.
        site.allow(2)
        #expect(try logInByRelay(["-o", "PubkeyAuthentication=host-bound"]).output == "arrived\n", "\(site.log)")
        #expect(site.person.dialogs == 3)
    }

    @Test func `an imported key that asks signs such a log-in, and the prompt names no host`() throws {
        try site.makeKey("kept")
        try authorize(site.read("kept.pub"))
        try site.succeed("chatelaine", ["ssh", "import", "--presence", "kept"])
        site.allow(2)
        #expect(try logInByRelay(["-o", "PubkeyAuthentication=unbound"]).output == "arrived\n", "\(site.log)")
        let shown = site.person.shown
        #expect(shown.contains("“asked from relay: log in to an unknown host as root”"), "\(shown)")
    }

    @Test func `a key of the enclave that does not ask is not there for other machines`() throws {
        try authorize(site.createKey("quiet", ["--no-presence"]))
        #expect(try relay.logIn(["-A"]).output == "welcome\n")
        #expect(try relay.logIn(["-A"], command: "ssh-add -l").output == "The agent has no identities.\n")
        #expect(try logInByRelay().status == 255)
    }

    // MARK: - ssh-add -h

    private func add(_ destinations: String...) throws {
        try site.makeKey("restricted")
        try authorize(site.read("restricted.pub"))
        let hosts = ["-H", site.folder + "/.ssh/known_hosts"] + destinations.flatMap { ["-h", $0] }
        try site.succeed("ssh-add", ["-q"] + hosts + ["restricted"])
    }

    @Test func `a restricted key logs in where it may, and signs nothing else`() throws {
        try add("relay")
        #expect(try relay.logIn().output == "welcome\n", "\(relay.log)")
        #expect(try target.logIn().status == 255)
        #expect(try logInByRelay().status == 255)
        #expect(try site.listed() == ["restricted"])
        #expect(try site.run("ssh-add", ["-T", "restricted.pub"]).status == 1)
        #expect(try relay.logIn(["-A"], command: "ssh-add -l").output == "The agent has no identities.\n")
    }

    @Test func `a restricted key goes on from a host to the next that it names`() throws {
        try add("relay", "relay>target")
        let outcome = try logInByRelay()
        #expect(outcome.output == "arrived\n", "\(outcome.errors)\(target.log)")
        #expect(try target.logIn().status == 255)
    }

    @Test func `a restricted key logs in as the user that it names alone`() throws {
        try add("relay", "relay>nobody@target")
        #expect(try relay.logIn().output == "welcome\n")
        #expect(try logInByRelay().status == 255)
    }
}
