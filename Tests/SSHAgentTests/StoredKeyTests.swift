import Testing

@testable import SSHAgentProtocol

/// What may be done with keys that are in the keychain.
struct StoredKeyTests {
    private let key: SampleKey
    private let session: SampleSession
    private let forwarder: SampleSession

    init() throws {
        key = try SampleKey(.p256)
        session = SampleSession(with: try SampleKey())
        forwarder = SampleSession(with: try SampleKey(.p384))
    }

    private func agent(isInEnclave: Bool = true, asksOwner: Bool = true) throws -> TestAgent {
        var agent = TestAgent()
        agent.stored = [
            StoredKey(
                publicKey: try key.publicKey,
                comment: "stored",
                isInEnclave: isInEnclave,
                asksOwner: asksOwner
            )
        ]
        return agent
    }

    private func logIn(_ session: SampleSession? = nil, bindsHost: Bool = true, host: SampleKey? = nil) -> [UInt8] {
        let data = (session ?? self.session).logIn(
            with: key.blob,
            algorithm: "ecdsa-sha2-nistp256",
            bindsHost: bindsHost,
            host: host
        )
        return key.signing(data)
    }

    private var text: [UInt8] {
        key.signing(
            Array("SSHSIG".utf8) + string("git") + string("") + string("sha256")
                + string([UInt8](repeating: 0, count: 32))
        )
    }

    private func isSignature(_ outcome: TestAgent.Outcome?) -> Bool {
        if case .signature = outcome { true } else { false }
    }

    @Test func `a key of the enclave signs log-ins and files, and nothing that it cannot tell`() throws {
        var agent = try agent()
        #expect(agent.list() == ["stored"])
        #expect(isSignature(agent.answer(text)))
        #expect(isSignature(agent.answer(logIn())))
        #expect(agent.answer(key.signing([1, 2, 3])) == .reply(.failure))
    }

    @Test func `any other stored key also signs what cannot be told`() throws {
        var agent = try agent(isInEnclave: false, asksOwner: false)
        #expect(agent.answer(key.signing([1, 2, 3])) == .signature(.unknown, asks: false))
    }

    @Test func `stored keys are neither removed nor replaced by requests`() throws {
        var agent = try agent()
        #expect(agent.answer([18] + string(key.blob)) == .reply(.failure))
        #expect(agent.answer([19]) == .reply(.success))
        #expect(agent.list() == ["stored"])
    }

    @Test func `a log-in on a bound connection is that of the session, with its host`() throws {
        var agent = try agent()
        var connection = AgentConnection()
        #expect(try agent.answer(session.bind(), on: &connection) == .reply(.success))
        #expect(isSignature(agent.answer(logIn(), on: &connection)))
        #expect(isSignature(agent.answer(logIn(bindsHost: false), on: &connection)))
        #expect(agent.answer(logIn(SampleSession(with: session.host)), on: &connection) == .reply(.failure))
        #expect(agent.answer(logIn(host: forwarder.host), on: &connection) == .reply(.failure))
    }

    @Test func `a session that the host has not signed makes log-ins impossible`() throws {
        var agent = try agent()
        for bind in [try session.bind(signedBy: forwarder.host), try Array(session.bind().dropLast(2))] {
            var connection = AgentConnection()
            #expect(agent.answer(bind, on: &connection) == .reply(.failure))
            #expect(agent.answer(logIn(), on: &connection) == .reply(.failure))
        }
    }

    /// Request 27 of an old host: its key is too small, or it signs with SHA-1.
    private func oldBind(forwarding: Bool = false) throws -> [[UInt8]] {
        let small = string("ssh-rsa") + mpint([3]) + mpint([UInt8](repeating: 0xFF, count: 96))
        let old = try SampleKey(.rsa)
        return [(small, "rsa-sha2-512"), (old.blob, "ssh-rsa"), (string("ssh-dss") + string([1]), "ssh-dss")].map {
            let signature = string($1) + string([UInt8](repeating: 1, count: 256))
            return [27] + string("session-bind@openssh.com") + string($0) + string(session.identifier)
                + string(signature) + [forwarding ? 1 : 0]
        }
    }

    @Test func `a host whose key cannot be checked counts as unnamed, and log-ins that need no host go on`() throws {
        for bind in try oldBind() {
            var agent = try agent()
            var connection = AgentConnection()
            #expect(agent.answer(bind, on: &connection) == .reply(.failure))
            #expect(agent.list(on: connection) == ["stored"])
            #expect(isSignature(agent.answer(logIn(bindsHost: false), on: &connection)))
        }
    }

    @Test func `a host whose key cannot be checked and that asks for others is another machine`() throws {
        for bind in try oldBind(forwarding: true) {
            var silent = try agent(asksOwner: false)
            var connection = AgentConnection()
            #expect(silent.answer(bind, on: &connection) == .reply(.failure))
            #expect(silent.list(on: connection).isEmpty)
            var asking = try agent()
            // Data that name no host are good for any.
            #expect(asking.answer(logIn(bindsHost: false), on: &connection) == .reply(.failure))
            let order = SigningOrder(
                key: .stored(asking.stored[0]),
                data: [],
                flags: [],
                purpose: .unknown,
                path: connection.path
            )
            #expect(order.reason { _ in nil }.hasPrefix("asked from an unknown host: "))
            // It cannot hide behind a host that it has logged in to.
            #expect(try asking.answer(forwarder.bind(forwarding: true), on: &connection) == .reply(.success))
            let behind = SigningOrder(
                key: .stored(asking.stored[0]),
                data: [],
                flags: [],
                purpose: .unknown,
                path: connection.path
            )
            #expect(behind.reason { _ in "known" }.hasPrefix("asked from an unknown host and 1 behind it: "))
        }
    }

    @Test func `over a forwarded connection a key of the enclave asks, or is not there`() throws {
        for asks in [true, false] {
            var agent = try agent(asksOwner: asks)
            var connection = AgentConnection()
            #expect(try agent.answer(forwarder.bind(forwarding: true), on: &connection) == .reply(.success))
            #expect(agent.list(on: connection) == (asks ? ["stored"] : []))
            #expect(isSignature(agent.answer(text, on: &connection)) == asks)
            #expect(try agent.answer(session.bind(), on: &connection) == .reply(.success))
            #expect(isSignature(agent.answer(logIn(), on: &connection)) == asks)
        }
    }

    @Test func `a session that forwards is none to log in by`() throws {
        var agent = try agent()
        var connection = AgentConnection()
        #expect(try agent.answer(session.bind(forwarding: true), on: &connection) == .reply(.success))
        #expect(agent.answer(logIn(), on: &connection) == .reply(.failure))
    }

    @Test func `a connection is bound to sixteen sessions, and no more`() throws {
        var agent = try agent()
        var connection = AgentConnection()
        for _ in 0..<16 {
            let session = SampleSession(with: session.host)
            #expect(try agent.answer(session.bind(forwarding: true), on: &connection) == .reply(.success))
        }
        #expect(try agent.answer(session.bind(), on: &connection) == .reply(.failure))
        #expect(agent.answer(logIn(), on: &connection) == .reply(.failure))
    }

    @Test func `behind a log-in no further session comes`() throws {
        var agent = try agent()
        var connection = AgentConnection()
        #expect(try agent.answer(session.bind(), on: &connection) == .reply(.success))
        #expect(try agent.answer(session.bind(), on: &connection) == .reply(.success))
        #expect(try agent.answer(session.bind(forwarding: true), on: &connection) == .reply(.failure))
        #expect(try agent.answer(forwarder.bind(), on: &connection) == .reply(.failure))
    }

    // MARK: - What the person is told

    private func reason(_ frame: [UInt8], on path: [[UInt8]] = [], _ hosts: KnownHosts = .none) throws -> String? {
        let agent = try agent()
        var state = agent.state
        var connection = AgentConnection()
        let now = AgentTime(monotonic: 0, date: 0)
        for bind in path {
            _ = state.action(for: try AgentRequest(bind), on: &connection, stored: [], now: now)
        }
        let request = try AgentRequest(frame)
        guard case .sign(let order) = state.action(for: request, on: &connection, stored: agent.stored, now: now) else {
            return nil
        }
        return order.reason { hosts.name(of: $0) }
    }

    @Test func `the person is told what is signed, and where it is for`() throws {
        #expect(try reason(text) == "sign a commit or a tag (namespace git)")
        let fingerprint = try session.host.publicKey.fingerprint
        #expect(try reason(logIn()) == "log in to the host with the key \(fingerprint) as alice")
        #expect(try reason(logIn(bindsHost: false)) == "log in to an unknown host as alice")
    }

    /// An attacker with some host's key has it sign the identifier of a session with another host.
    @Test func `a host that signs another one's session is not named where the data name none`() throws {
        let hosts = KnownHosts("relay.example.org \(try forwarder.host.publicKey.line)\n")
        let bind = try SampleSession(with: forwarder.host, session.identifier).bind()
        #expect(try reason(logIn(bindsHost: false), on: [bind], hosts) == "log in to an unknown host as alice")
        // The control: data that name the host.
        let fingerprint = try forwarder.host.publicKey.fingerprint
        let honest = try reason(logIn(host: forwarder.host), on: [bind], hosts)
        #expect(honest == "log in to relay.example.org (\(fingerprint)) as alice")
    }

    @Test func `over a forwarded connection a key of the enclave signs no log-in that names no host`() throws {
        for isInEnclave in [true, false] {
            var agent = try agent(isInEnclave: isInEnclave)
            var connection = AgentConnection()
            #expect(try agent.answer(forwarder.bind(forwarding: true), on: &connection) == .reply(.success))
            #expect(try agent.answer(session.bind(), on: &connection) == .reply(.success))
            #expect(isSignature(agent.answer(logIn(bindsHost: false), on: &connection)) == !isInEnclave)
            #expect(isSignature(agent.answer(logIn(), on: &connection)))
        }
    }

    @Test func `no part of what the person is told pushes another out of sight`() throws {
        let long = String(repeating: "e\u{301}", count: 200)
        let hosts = KnownHosts(
            "\(long) \(try session.host.publicKey.line)\n\(long) \(try forwarder.host.publicKey.line)\n"
        )
        let data = session.logIn(as: long, with: key.blob, algorithm: "ecdsa-sha2-nistp256")
        let path = try [forwarder.bind(forwarding: true), session.bind()]
        let said = try #require(try reason(key.signing(data), on: path, hosts))
        #expect(said.hasPrefix("asked from “é"))
        #expect(said.contains(try session.host.publicKey.fingerprint))
        #expect(said.contains(" as “é"))
        #expect(said.count <= 240 && said.utf8.count <= 260, "\(said)")
    }

    @Test func `the person is told the host's name where known_hosts has it, and who asks from elsewhere`() throws {
        let hosts = KnownHosts(
            "server.example.org,192.0.2.1 \(try session.host.publicKey.line)\n"
                + "[relay.example.org]:2222 \(try forwarder.host.publicKey.line) a comment\n"
        )
        let logsIn = "log in to server.example.org (\(try session.host.publicKey.fingerprint)) as alice"
        #expect(try reason(logIn(), hosts) == logsIn)
        let forwarded = try reason(logIn(), on: [forwarder.bind(forwarding: true), session.bind()], hosts)
        #expect(forwarded == "asked from [relay.example.org]:2222: \(logsIn)")
    }

    @Test func `a relay that forwards on under another host's name is still named itself`() throws {
        let other = SampleSession(with: try SampleKey())
        let hosts = KnownHosts(
            "github.com \(try other.host.publicKey.line)\nrelay \(try forwarder.host.publicKey.line)\n"
        )
        let path = try [forwarder.bind(forwarding: true), other.bind(forwarding: true), session.bind()]
        let said = try #require(try reason(logIn(), on: path, hosts))
        #expect(said.hasPrefix("asked from relay and 1 behind it: log in to "), "\(said)")
    }

    @Test func `a name that reads on as our text stands in quotation marks`() throws {
        let data = session.logIn(as: "root at “prod”", with: key.blob, algorithm: "ecdsa-sha2-nistp256")
        let said = try #require(try reason(key.signing(data), KnownHosts("")))
        #expect(said.hasSuffix(" as “root at prod”"), "\(said)")
    }

    private func reason(_ frame: [UInt8], _ hosts: KnownHosts) throws -> String? { try reason(frame, on: [], hosts) }

    @Test func `hashed names, patterns, markers and damaged lines of known_hosts name nobody`() throws {
        let line = try session.host.publicKey.line
        for text in [
            "|1|abc=|def= \(line)", "*.example.org \(line)", "@revoked server \(line)", "@cert-authority * \(line)",
            "# server \(line)", "server", "server ssh-ed25519", "server ssh-ed25519 !!!!", "", "\u{0}", "\n\n\n",
        ] {
            #expect(KnownHosts(text).name(of: try session.host.publicKey) == nil, "\(text)")
        }
    }

    // MARK: - Certificates

    private func certified(until end: UInt64 = .max) throws -> (agent: TestAgent, certificate: SampleCertificate) {
        let certificate = try SampleCertificate(of: key, by: SampleKey(), validity: (0, end))
        var agent = try agent()
        agent.stored.append(
            StoredKey(publicKey: try certificate.publicKey, comment: "certified", isInEnclave: true, asksOwner: true)
        )
        return (agent, certificate)
    }

    private func signing(_ data: [UInt8], with certificate: SampleCertificate) -> [UInt8] {
        [13] + string(certificate.blob) + string(data) + u32(0)
    }

    @Test func `a stored certificate is listed beside its key, and logs in as the key does`() throws {
        var (agent, certificate) = try certified()
        #expect(agent.list() == ["stored", "certified"])
        let logIn = session.logIn(with: certificate.blob, algorithm: certificate.algorithm)
        #expect(isSignature(agent.answer(signing(logIn, with: certificate))))
        #expect(agent.answer(signing([1, 2, 3], with: certificate)) == .reply(.failure))
    }

    @Test func `a stored certificate that has ended is neither listed nor used, and its key still is`() throws {
        var (agent, certificate) = try certified(until: 1_800_000_001)
        #expect(agent.list() == ["stored", "certified"])
        agent.date = 1_800_000_001
        #expect(agent.list() == ["stored"])
        let data = session.logIn(with: certificate.blob, algorithm: certificate.algorithm)
        #expect(agent.answer(signing(data, with: certificate)) == .reply(.failure))
        #expect(isSignature(agent.answer(logIn())))
    }
}
