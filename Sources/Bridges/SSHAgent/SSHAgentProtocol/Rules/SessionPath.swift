/// The way that leads to a client: the sessions that a connection is bound to, in their order.
package struct SessionPath: Sendable {
    package struct Step: Sendable {
        package let hostKey: SSHPublicKey
        let sessionIdentifier: [UInt8]
        package let isForwarding: Bool
    }

    package private(set) var steps: [Step] = []
    /// Whether a session was named that cannot be believed. Nothing that depends on the way is allowed then.
    package private(set) var isBroken = false
    /// Whether a session is with a host whose key cannot be checked. What needs no host goes on, as for a client that
    /// names no host.
    package private(set) var hasUnknownHost = false
    /// The hosts that the connection is forwarded through, in their order; nil for one whose key cannot be checked.
    package private(set) var forwarders: [SSHPublicKey?] = []

    package static let mostSteps = 16

    package init() {}

    package var isForwarded: Bool { !forwarders.isEmpty }

    /// Takes in what ssh says.
    ///
    /// - Returns: whether it is believed: the host has signed it, and nothing was said that excludes it.
    mutating func append(_ bind: SessionBind?) -> Bool {
        guard let bind else {
            isBroken = true
            return false
        }
        let hostKey: SSHPublicKey
        switch bind.verdict {
        case .signed(let key): hostKey = key
        case .forged:
            isBroken = true
            return false
        case .unknown:
            hasUnknownHost = true
            if bind.isForwarding { addForwarder(nil) }
            return false
        }
        if let known = steps.first(where: { $0.sessionIdentifier == bind.sessionIdentifier }) {
            return known.hostKey == hostKey && known.isForwarding == bind.isForwarding
        }
        // Who logs in over a connection has no other session on it.
        guard steps.allSatisfy(\.isForwarding), steps.count < Self.mostSteps else {
            isBroken = true
            return false
        }
        steps.append(
            Step(
                hostKey: hostKey,
                sessionIdentifier: bind.sessionIdentifier,
                isForwarding: bind.isForwarding
            )
        )
        if bind.isForwarding { addForwarder(hostKey) }
        return true
    }

    private mutating func addForwarder(_ host: SSHPublicKey?) {
        guard forwarders.count < Self.mostSteps else {
            isBroken = true
            return
        }
        forwarders.append(host)
    }
}

extension SessionPath {
    /// Whether a key may be seen, or used for a log-in, at the end of the way.
    ///
    /// - Parameters:
    ///   - user: who is logged in as; nil where the key is only looked for.
    ///   - date: seconds since 1970.
    func permits(_ destinations: [DestinationConstraint], as user: String?, at date: UInt64) -> Bool {
        guard !destinations.isEmpty else { return true }
        guard !isBroken, !hasUnknownHost else { return false }
        guard let last = steps.last else { return true }
        var from: SSHPublicKey?
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            // A session that forwards is none that somebody logs in by; and only what forwards leads any further.
            guard isLast ? !(step.isForwarding && user != nil) : step.isForwarding else { return false }
            guard destinations.allow(from: from, to: step.hostKey, as: isLast ? user : nil, at: date) else {
                return false
            }
            from = step.hostKey
        }
        guard last.isForwarding else { return true }
        return destinations.allow(from: last.hostKey, to: nil, as: nil, at: date)
    }

    /// Whether a restricted key may sign: only a log-in at the end of the way.
    func permits(
        _ destinations: [DestinationConstraint],
        toSign purpose: SigningPurpose,
        at date: UInt64
    ) -> Bool {
        guard !destinations.isEmpty else { return true }
        guard case .logIn(let logIn) = purpose, let last = steps.last,
            logIn.sessionIdentifier == last.sessionIdentifier, permits(destinations, as: logIn.user, at: date)
        else { return false }
        if let hostKey = logIn.hostKey { return hostKey == last.hostKey.blob }
        // Behind another host only the data themselves say where the log-in is.
        return steps.count == 1
    }
}
