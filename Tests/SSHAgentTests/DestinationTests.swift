import Testing

@testable import SSHAgentProtocol

/// Keys that are restricted to destinations: here → relay → target, as OpenSSH's PROTOCOL.agent describes them.
struct DestinationTests {
    private let key: SampleKey
    private let relay: SampleSession
    private let target: SampleSession
    private let elsewhere: SampleSession

    init() throws {
        key = try SampleKey()
        relay = SampleSession(with: try SampleKey())
        target = SampleSession(with: try SampleKey())
        elsewhere = SampleSession(with: try SampleKey())
    }

    private func hop(_ user: String, _ host: String, _ keys: [(blob: [UInt8], isAuthority: Bool)]) -> [UInt8] {
        string(
            string(user) + string(host) + string("")
                + keys.flatMap { string($0.blob) + [$0.isAuthority ? 1 : 0] }
        )
    }

    private func step(_ from: [UInt8], _ to: [UInt8]) -> [UInt8] { string(from + to + string("")) }

    private var here: [UInt8] { hop("", "", []) }

    private func restriction(_ steps: [[UInt8]]) -> [UInt8] {
        [255] + string("restrict-destination-v00@openssh.com") + string(steps.flatMap { $0 })
    }

    /// `ssh-add -h relay -h "relay>alice@target"`.
    private func agent() -> TestAgent {
        var agent = TestAgent()
        let toRelay = step(here, hop("", "relay", [(relay.host.blob, false)]))
        let toTarget = step(
            hop("", "relay", [(relay.host.blob, false)]),
            hop("ali*", "target", [(target.host.blob, false)])
        )
        let reply = agent.answer(key.adding(comment: "restricted", constraints: restriction([toRelay, toTarget])))
        #expect(reply == .reply(.success))
        return agent
    }

    @Test func `a session with a host whose key cannot be checked has no restricted key`() throws {
        var agent = agent()
        var connection = AgentConnection()
        #expect(agent.list(on: connection) == ["restricted"])
        let unknown = string("ssh-dss") + string([1])
        let bind =
            [27] + string("session-bind@openssh.com") + string(unknown) + string(relay.identifier)
            + string(string("ssh-dss") + string([1])) + [0]
        #expect(agent.answer(bind, on: &connection) == .reply(.failure))
        #expect(agent.list(on: connection).isEmpty)
        #expect(!mayLogIn(&agent, connection, to: relay))
    }

    private func bound(_ agent: inout TestAgent, _ binds: [UInt8]...) -> AgentConnection {
        var connection = AgentConnection()
        for bind in binds { #expect(agent.answer(bind, on: &connection) == .reply(.success)) }
        return connection
    }

    private func mayLogIn(
        _ agent: inout TestAgent,
        _ connection: AgentConnection,
        to session: SampleSession,
        as user: String = "alice",
        bindsHost: Bool = true
    ) -> Bool {
        var connection = connection
        let data = session.logIn(as: user, with: key.blob, algorithm: "ssh-ed25519", bindsHost: bindsHost)
        if case .signature = agent.answer(key.signing(data), on: &connection) { return true }
        return false
    }

    @Test func `at home the key is listed, and signs nothing`() throws {
        var agent = agent()
        #expect(agent.list() == ["restricted"])
        #expect(agent.answer(key.signing([1])) == .reply(.failure))
        #expect(!mayLogIn(&agent, AgentConnection(), to: relay))
    }

    @Test func `it logs in to its first destination as anybody, and to no other host`() throws {
        var agent = agent()
        let toRelay = bound(&agent, try relay.bind())
        #expect(mayLogIn(&agent, toRelay, to: relay))
        #expect(mayLogIn(&agent, toRelay, to: relay, as: "bob", bindsHost: false))
        for session in [target, elsewhere] {
            let connection = bound(&agent, try session.bind())
            #expect(agent.list(on: connection) == [])
            #expect(!mayLogIn(&agent, connection, to: session))
        }
        #expect(!mayLogIn(&agent, toRelay, to: target))
    }

    @Test func `through the relay it logs in to the target, as the users who are allowed`() throws {
        var agent = agent()
        let connection = bound(&agent, try relay.bind(forwarding: true), try target.bind())
        #expect(agent.list(on: connection) == ["restricted"])
        #expect(mayLogIn(&agent, connection, to: target))
        #expect(!mayLogIn(&agent, connection, to: target, as: "bob"))
        // What is signed behind another host has to name its own.
        #expect(!mayLogIn(&agent, connection, to: target, bindsHost: false))
    }

    @Test func `through the relay it is not seen elsewhere, and not at the target's own programs`() throws {
        var agent = agent()
        let atRelay = bound(&agent, try relay.bind(forwarding: true))
        #expect(agent.list(on: atRelay) == ["restricted"])
        let atElsewhere = bound(&agent, try relay.bind(forwarding: true), try elsewhere.bind())
        #expect(agent.list(on: atElsewhere) == [])
        #expect(!mayLogIn(&agent, atElsewhere, to: elsewhere))
        let behindTarget = bound(&agent, try relay.bind(forwarding: true), try target.bind(forwarding: true))
        #expect(agent.list(on: behindTarget) == [])
    }

    @Test func `a host that lies about its key gets nothing`() throws {
        var agent = agent()
        var connection = AgentConnection()
        #expect(try agent.answer(relay.bind(signedBy: elsewhere.host), on: &connection) == .reply(.failure))
        #expect(agent.list(on: connection) == [])
        #expect(!mayLogIn(&agent, connection, to: relay))
    }

    @Test func `who may not see the key cannot remove it, or lift its restriction`() throws {
        var agent = agent()
        var connection = bound(&agent, try elsewhere.bind(forwarding: true))
        #expect(agent.answer([18] + string(key.blob), on: &connection) == .reply(.failure))
        #expect(agent.answer(key.adding(comment: "free"), on: &connection) == .reply(.failure))
        #expect(agent.list() == ["restricted"])
    }

    @Test func `a file is never signed by a restricted key`() throws {
        var agent = agent()
        var connection = bound(&agent, try relay.bind())
        let text =
            Array("SSHSIG".utf8) + string("git") + string("") + string("sha256")
            + string([UInt8](repeating: 0, count: 32))
        #expect(agent.answer(key.signing(text), on: &connection) == .reply(.failure))
    }

    // MARK: - Hosts that an authority certifies

    private func agent(trusting authority: SampleKey) -> TestAgent {
        var agent = TestAgent()
        let destination = step(here, hop("", "db.example.org", [(authority.blob, true)]))
        #expect(agent.answer(key.adding(constraints: restriction([destination]))) == .reply(.success))
        return agent
    }

    /// Whether a host with such a certificate is the destination.
    private func isDestination(
        _ authority: SampleKey,
        subject: Int = 2,
        principals: [String] = ["db.example.org"],
        validity: (after: UInt64, before: UInt64) = (0, .max),
        criticalOptions: [UInt8] = [],
        certifiedBy other: SampleKey? = nil,
        signedBy signer: SampleKey? = nil
    ) throws -> Bool {
        var agent = agent(trusting: authority)
        let host = try SampleKey()
        let certificate = try SampleCertificate(
            of: host,
            by: other ?? authority,
            subject: subject,
            principals: principals,
            validity: validity,
            criticalOptions: criticalOptions,
            signedBy: signer
        )
        var connection = AgentConnection()
        let identifier = [UInt8](repeating: 9, count: 32)
        let bind =
            [27] + string("session-bind@openssh.com") + string(certificate.blob) + string(identifier)
            + string(try host.sign(identifier)) + [0]
        #expect(agent.answer(bind, on: &connection) == .reply(.success))
        return agent.list(on: connection) == ["a key"]
    }

    @Test func `a host is a destination by a certificate of the authority that names it`() throws {
        let authority = try SampleKey()
        #expect(try isDestination(authority))
        #expect(try isDestination(authority, principals: ["other", "*.example.org"]))
        #expect(try isDestination(authority, principals: []))
    }

    @Test func `a certificate for another host, user, time or by another authority makes none`() throws {
        let (authority, other) = (try SampleKey(), try SampleKey())
        #expect(try !isDestination(authority, principals: ["web.example.org"]))
        #expect(try !isDestination(authority, subject: 1))
        #expect(try !isDestination(authority, validity: (0, 1_700_000_000)))
        #expect(try !isDestination(authority, validity: (1_900_000_000, .max)))
        #expect(try !isDestination(authority, criticalOptions: string("force-command") + string("x")))
        #expect(try !isDestination(authority, certifiedBy: other))
        #expect(try !isDestination(authority, signedBy: other))
    }

    // MARK: - Restrictions that are not as they have to be

    @Test func `a restriction that is incomplete refuses the key`() throws {
        let known = [(blob: relay.host.blob, isAuthority: false)]
        for steps in [
            // To nowhere; to a host without keys; from a user; from a host without keys; with more parts.
            step(here, here), step(here, hop("", "relay", [])), step(hop("alice", "", []), hop("", "relay", known)),
            step(hop("", "relay", []), hop("", "target", known)),
            string(here + hop("", "relay", known) + string("more")),
            string(here + hop("", "relay", known)), string(here), string([]), [0, 0, 0, 9],
        ] {
            var agent = TestAgent()
            #expect(agent.answer(key.adding(constraints: restriction([steps]))) == nil)
        }
    }

    @Test func `too many destinations refuse the key`() throws {
        let one = step(here, hop("", "relay", [(relay.host.blob, false)]))
        var agent = TestAgent()
        let most = restriction([[UInt8]](repeating: one, count: 1_024))
        #expect(agent.answer(key.adding(constraints: most)) == .reply(.success))
        let more = restriction([[UInt8]](repeating: one, count: 1_025))
        #expect(agent.answer(key.adding(constraints: more)) == nil)
    }
}
