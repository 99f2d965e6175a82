import FuzzSupport

@testable import KeychainModel
@testable import SSHAgentProtocol

/// An agent, and what is promised of its answers.
struct FuzzedAgent {
    /// What the fuzzer itself has seen of a connection.
    private struct Connection {
        var agent = AgentConnection()
        var binds: [SessionBind] = []
        /// Whether a session was named that no host has signed.
        var isForged = false
        /// Whether it is forwarded by a host whose key cannot be checked.
        var hasUnknownForwarder = false
    }

    private var state = AgentState()
    private var connections = [Connection()]
    private var current = 0
    private var clock: UInt64 = 1_000
    private var stored: [StoredKey] = []
    /// As its answers say.
    private var isLocked = false
    /// The keys whose latest addition has restricted them.
    private var restricted: Set<SSHPublicKey> = []
    private let keychainHasKeys: Bool
    private let areInEnclave: Bool
    private let ask: Bool

    init(keychainHasKeys: Bool, areInEnclave: Bool, ask: Bool) {
        self.keychainHasKeys = keychainHasKeys
        self.areInEnclave = areInEnclave
        self.ask = ask
    }

    mutating func take(_ step: AgentStep) {
        switch step {
        case .connect:
            if connections.count < 16 { connections.append(Connection()) }
            current = connections.count - 1
        case .goBack(let number): current = Int(number) % connections.count
        case .wait(let time): pass(time)
        case .frame(let frame): answer(frame)
        }
    }

    /// The clock goes on, and never back.
    private mutating func pass(_ time: UInt64) {
        let (sum, isBeyond) = clock.addingReportingOverflow(time)
        clock = isBeyond ? .max : sum
    }

    private mutating func answer(_ frame: [UInt8]) {
        guard let request = try? AgentRequest(frame) else { return }
        // The keychain has what somebody wants to sign with.
        if case .sign(let wish) = request, keychainHasKeys, stored.count < 8,
            !stored.contains(where: { $0.publicKey == wish.key })
        {
            let key = StoredKey(publicKey: wish.key, comment: "stored", isInEnclave: areInEnclave, asksOwner: ask)
            stored.append(key)
        }
        let now = AgentTime(monotonic: clock, date: clock / 1_000)
        pass(10)
        let action = state.action(for: request, on: &connections[current].agent, stored: stored, now: now)
        switch action {
        case .reply(let reply, let delay):
            require(delay <= 10_000, "nobody waits for longer than ten seconds")
            requireWellFormed(reply)
            note(request, reply)
        case .sign(let order):
            guard case .sign(let wish) = request else { return require(false, "only who asks gets a signature") }
            judge(order, wish)
        }
        require(connections[current].agent.path.steps.count <= SessionPath.mostSteps, "a way has an end")
    }

    // MARK: - Replies

    private mutating func note(_ request: AgentRequest, _ reply: AgentReply) {
        switch request {
        case .list:
            guard case .identities(let keys) = reply else { return require(false, "a list is answered with a list") }
            require(!isLocked || keys.isEmpty, "a locked agent shows nothing")
            require(Set(keys.map(\.key)).count == keys.count, "each key is listed once")
        case .add(let new):
            require(!isLocked || reply == .failure, "a locked agent takes nothing in")
            Self.requireUsable(new.key)
            guard reply == .success else { return }
            if new.constraints.destinations.isEmpty {
                restricted.remove(new.key.publicKey)
            } else {
                restricted.insert(new.key.publicKey)
            }
        case .lock: if reply == .success { isLocked = true }
        case .unlock: if reply == .success { isLocked = false }
        case .bind(let bind):
            switch bind?.verdict {
            case .signed: if let bind, reply == .success { connections[current].binds.append(bind) }
            case .forged, nil:
                require(reply == .failure, "what no host has signed is not believed")
                connections[current].isForged = true
            case .unknown:
                require(reply == .failure, "a host that cannot be told is not believed")
                if bind?.isForwarding == true { connections[current].hasUnknownForwarder = true }
            }
        case .sign, .remove, .removeAll, .query, .other: break
        }
        require(state.isLocked == isLocked, "the agent is locked when its answers say so")
    }

    private func requireWellFormed(_ reply: AgentReply) {
        var reader = FrameReader()
        let frame = reply.frame
        let content = try? reader.receive(frame)
        require(content != nil, "an answer is a frame")
        guard case .identities(let keys) = reply, let content, content.first == 12 else { return }
        var fields = SSHReader(Array(content.dropFirst()))
        require((try? fields.uint32()) == UInt32(keys.count), "a list says how long it is")
        for listed in keys {
            guard let blob = try? fields.string(), let key = try? SSHPublicKey(blob) else {
                return require(false, "a list has keys")
            }
            require(key == listed.key && key.plain.certificate == nil, "a listed key is read as what it is")
            let comment = (try? fields.string()).flatMap { SSHComment($0) }
            require(comment == listed.comment, "a key has its comment behind it")
        }
        require(fields.isAtEnd, "nothing is behind a list")
    }

    // MARK: - Signatures

    private func judge(_ order: SigningOrder, _ wish: SigningRequest) {
        require(!isLocked, "a locked agent signs nothing")
        require(order.data == wish.data && order.flags == wish.flags, "what is signed is what was sent")
        require(!order.reason { _ in nil }.isEmpty, "the person is told what for")
        let connection = connections[current]
        if case .memory = order.key, restricted.contains(wish.key) {
            guard case .logIn(let logIn) = order.purpose, let last = connection.binds.last else {
                return require(false, "a restricted key logs in over a known way, and does nothing else")
            }
            require(logIn.sessionIdentifier == last.sessionIdentifier, "a restricted key logs in to the last session")
            require(!last.isForwarding, "a session that forwards is not logged in by")
            require(logIn.hostKey.map { $0 == last.hostKey?.blob } ?? true, "the host is the one that was bound")
            require(!connection.isForged, "a way with a forged session leads nowhere")
        }
        switch order.key {
        case .memory(let key, _, _):
            require(key.publicKey == wish.key, "the key is the one that was asked for")
            guard let signature = try? key.signature(of: order.data, flags: order.flags) else {
                guard case .rsa = key.publicKey.material else { return require(false, "a key that was taken signs") }
                return
            }
            require(key.publicKey.isValid(signature, of: order.data), "a signature is right")
        case .stored(let key):
            require(key.publicKey == wish.key, "the key is the one that was asked for")
            guard key.isInEnclave else { return }
            require(order.purpose != .unknown, "a key of the enclave signs nothing unknown")
            let isForwarded = connection.hasUnknownForwarder || connection.binds.contains { $0.isForwarding }
            require(key.asksOwner || !isForwarded && !connection.isForged, "a silent key is not used from elsewhere")
        }
    }

    /// A key that was read signs for its public half, and is written as what is read as the same key.
    static func requireUsable(_ key: SSHPrivateKey) {
        let data: [UInt8] = [1, 2, 3]
        guard let signature = try? key.signature(of: data, flags: .rsaSHA512) else {
            return require(false, "a key that was read signs")
        }
        require(key.publicKey.isValid(signature, of: data), "a key that was read belongs to its public half")
        guard let again = try? SSHPrivateKey(serialized: key.serialized) else {
            return require(false, "what is stored of a key is read again")
        }
        require(again.publicKey == key.publicKey.plain, "what is stored of a key is that key")
        require(again.serialized.withUnsafeBytes { Array($0) } == key.serialized.withUnsafeBytes { Array($0) }, "once")
    }
}
