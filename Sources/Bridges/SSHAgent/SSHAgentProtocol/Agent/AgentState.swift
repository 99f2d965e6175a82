/// What an agent does next.
package enum AgentAction: Sendable {
    /// - delay: milliseconds to wait before the answer is sent, so that guessing takes time.
    case reply(AgentReply, delay: UInt64 = 0)
    case sign(SigningOrder)
}

/// An agent without sockets, clocks and keychain: a request and what is stored come in, an action goes out.
package struct AgentState: Sendable {
    private struct Identity: Sendable {
        let key: SSHPrivateKey
        let comment: SSHComment
        let constraints: KeyConstraints
        /// Milliseconds of the clock; nil for a key without a limit.
        let end: UInt64?

        /// What it takes in a list, in bytes.
        var listedSize: Int { key.publicKey.blob.count + comment.bytes.count + 8 }
    }

    private var identities: [Identity] = []
    private var lock = AgentLock()

    /// What all keys in memory take in a list, in bytes: half of what a message can have.
    private static let largestList = FrameReader.largestFrame / 2
    private static let mostDestinations = 16_384

    package init() {}

    package var isLocked: Bool { lock.isLocked }

    /// How many keys are in memory.
    package var keyCount: Int { identities.count }

    /// When the next key has to be forgotten, in milliseconds of the clock; nil where none has an end.
    package var nextEnd: UInt64? { identities.compactMap(\.end).min() }

    /// Forgets the keys whose time is over.
    package mutating func forgetEnded(_ now: AgentTime) {
        identities.removeAll { $0.end.map { $0 <= now.monotonic } ?? false }
    }

    /// Forgets all keys in memory.
    package mutating func forgetAll() { identities = [] }

    /// - Parameter stored: the keys in the keychain; needed where `asksForStoredKeys`.
    package mutating func action(
        for request: AgentRequest,
        on connection: inout AgentConnection,
        stored: [StoredKey],
        now: AgentTime
    ) -> AgentAction {
        forgetEnded(now)
        switch request {
        case .lock(let passphrase): return reply(lock.lock(passphrase))
        case .unlock(let passphrase): return reply(lock.unlock(passphrase, now: now.monotonic))
        case .bind(let bind): return .reply(connection.path.append(bind) ? .success : .failure)
        case .query: return .reply(.extensions(["query", SessionBind.extensionName]))
        case .other: return .reply(.failure)
        case .list: return .reply(.identities(lock.isLocked ? [] : listed(on: connection, stored, now)))
        case .sign, .add, .remove, .removeAll:
            guard !lock.isLocked else { return .reply(.failure) }
        }
        switch request {
        case .sign(let request): return action(for: request, on: connection, stored, now)
        case .add(let new): return .reply(add(new, on: connection, now) ? .success : .failure)
        case .remove(let key): return .reply(remove(key, on: connection, now) ? .success : .failure)
        case .removeAll:
            identities = []
            return .reply(.success)
        case .lock, .unlock, .bind, .query, .other, .list: return .reply(.failure)
        }
    }

    private func reply(_ outcome: AgentLock.Outcome) -> AgentAction {
        switch outcome {
        case .done: .reply(.success)
        case .refused(let delay): .reply(.failure, delay: delay)
        }
    }

    // MARK: - Keys in memory

    private func permits(_ identity: Identity, on connection: AgentConnection, _ now: AgentTime) -> Bool {
        connection.path.permits(identity.constraints.destinations, as: nil, at: now.date)
    }

    private func listed(
        on connection: AgentConnection,
        _ stored: [StoredKey],
        _ now: AgentTime
    ) -> [AgentReply.ListedKey] {
        let own = identities.filter { permits($0, on: connection, now) }
            .map { AgentReply.ListedKey(key: $0.key.publicKey, comment: $0.comment) }
        let known = Set(own.map(\.key))
        return own
            + stored.filter { !known.contains($0.publicKey) && isUsable($0, on: connection, now) }
            .map { AgentReply.ListedKey(key: $0.publicKey, comment: $0.comment) }
    }

    private mutating func add(_ new: NewIdentity, on connection: AgentConnection, _ now: AgentTime) -> Bool {
        var others = identities
        if let index = others.firstIndex(where: { $0.key.publicKey == new.key.publicKey }) {
            // Who may not see a key does not change its constraints.
            guard permits(others[index], on: connection, now) else { return false }
            others.remove(at: index)
        }
        let end = new.constraints.lifetime.map { lifetime in
            let (end, isBeyond) = now.monotonic.addingReportingOverflow(UInt64(lifetime) * 1_000)
            return isBeyond ? .max : end
        }
        others.append(Identity(key: new.key, comment: new.comment, constraints: new.constraints, end: end))
        guard others.reduce(0, { $0 + $1.listedSize }) <= Self.largestList,
            others.reduce(0, { $0 + $1.constraints.destinations.count }) <= Self.mostDestinations
        else { return false }
        identities = others
        return true
    }

    private mutating func remove(_ key: SSHPublicKey, on connection: AgentConnection, _ now: AgentTime) -> Bool {
        guard let index = identities.firstIndex(where: { $0.key.publicKey == key }),
            permits(identities[index], on: connection, now)
        else { return false }
        identities.remove(at: index)
        return true
    }

    // MARK: - Signing

    private func action(
        for request: SigningRequest,
        on connection: AgentConnection,
        _ stored: [StoredKey],
        _ now: AgentTime
    ) -> AgentAction {
        let purpose = SigningPurpose(request.data, by: request.key)
        let key: SigningOrder.Key
        if let identity = identities.first(where: { $0.key.publicKey == request.key }) {
            guard connection.path.permits(identity.constraints.destinations, toSign: purpose, at: now.date) else {
                return .reply(.failure)
            }
            let asks = identity.constraints.needsConfirmation
            key = .memory(identity.key, comment: identity.comment, needsConfirmation: asks)
        } else if let known = stored.first(where: { $0.publicKey == request.key }) {
            guard isUsable(known, on: connection, now), mayUse(known, for: purpose, on: connection) else {
                return .reply(.failure)
            }
            key = .stored(known)
        } else {
            return .reply(.failure)
        }
        return .sign(
            SigningOrder(
                key: key,
                data: request.data,
                flags: request.flags,
                purpose: purpose,
                path: connection.path
            )
        )
    }

    /// A key of the enclave is used from another machine only where its owner is asked; a certificate, until it ends.
    private func isUsable(_ key: StoredKey, on connection: AgentConnection, _ now: AgentTime) -> Bool {
        if let certificate = key.publicKey.certificate, now.date >= certificate.validBefore { return false }
        return !key.isInEnclave || key.asksOwner || !(connection.path.isForwarded || connection.path.isBroken)
    }

    private func mayUse(_ key: StoredKey, for purpose: SigningPurpose, on connection: AgentConnection) -> Bool {
        switch purpose {
        case .unknown: return !key.isInEnclave
        case .text: return true
        case .logIn(let logIn):
            // What the session was bound to has to be what is logged in to.
            guard let last = connection.path.steps.last else {
                let namesHost = logIn.hostKey != nil
                return !connection.path.isBroken && (namesHost || !(key.isInEnclave && connection.path.isForwarded))
            }
            guard logIn.sessionIdentifier == last.sessionIdentifier, !last.isForwarding else { return false }
            // Data that name no host are good for any; another machine gets no signature of the enclave for them.
            guard let hostKey = logIn.hostKey else { return !(key.isInEnclave && connection.path.isForwarded) }
            return hostKey == last.hostKey.blob
        }
    }
}
