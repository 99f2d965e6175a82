@testable import SSHAgentProtocol

/// An agent with clocks that a test sets.
struct TestAgent {
    var state = AgentState()
    var stored: [StoredKey] = []
    /// In milliseconds.
    var clock: UInt64 = 1_000
    var date: UInt64 = 1_800_000_000

    enum Outcome: Equatable {
        case reply(AgentReply)
        case signature(SigningPurpose, asks: Bool)
    }

    /// What a frame is answered with; nil where it cannot be read.
    mutating func answer(_ frame: [UInt8], on connection: inout AgentConnection) -> Outcome? {
        guard let request = try? AgentRequest(frame) else { return nil }
        let now = AgentTime(monotonic: clock, date: date)
        switch state.action(for: request, on: &connection, stored: stored, now: now) {
        case .reply(let reply, _): return .reply(reply)
        case .sign(let order):
            switch order.key {
            case .memory(_, _, let asks): return .signature(order.purpose, asks: asks)
            case .stored(let key): return .signature(order.purpose, asks: key.asksOwner)
            }
        }
    }

    /// The same on a connection of its own.
    mutating func answer(_ frame: [UInt8]) -> Outcome? {
        var connection = AgentConnection()
        return answer(frame, on: &connection)
    }

    /// The comments of the keys that are listed.
    mutating func list(on connection: AgentConnection = AgentConnection()) -> [String] {
        var connection = connection
        guard case .reply(.identities(let keys)) = answer([11], on: &connection) else { return ["no list"] }
        return keys.map(\.comment.text)
    }
}

/// Data that ssh has signed, and what surrounds them.
struct SampleSession {
    let host: SampleKey
    let identifier: [UInt8]

    init(with host: SampleKey, _ identifier: [UInt8]? = nil) {
        self.host = host
        self.identifier = identifier ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    }

    /// Request 27, session-bind.
    func bind(forwarding: Bool = false, signedBy signer: SampleKey? = nil) throws -> [UInt8] {
        [27] + string("session-bind@openssh.com") + string(host.blob) + string(identifier)
            + string(try (signer ?? host).sign(identifier)) + [forwarding ? 1 : 0]
    }

    /// What is signed to log in.
    func logIn(
        as user: String = "alice",
        with key: [UInt8],
        algorithm: String,
        bindsHost: Bool = true,
        host other: SampleKey? = nil
    ) -> [UInt8] {
        let method = bindsHost ? "publickey-hostbound-v00@openssh.com" : "publickey"
        return string(identifier) + [50] + string(user) + string("ssh-connection") + string(method) + [1]
            + string(algorithm) + string(key) + (bindsHost ? string((other ?? host).blob) : [])
    }
}
