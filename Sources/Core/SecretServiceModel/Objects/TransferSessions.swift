import SecretServiceSession

/// The sessions of clients, each with the key by which secrets are sent.
struct TransferSessions {
    private struct Session {
        let client: String
        let cipher: TransferCipher
    }

    private var sessions: [String: Session] = [:]
    private var counts: [String: Int] = [:]

    /// - Throws: `LimitsExceeded`
    mutating func open(_ cipher: TransferCipher, id: String, of client: String) throws(BusError) {
        let count = counts[client] ?? 0
        guard count < SecretLimits.sessionsOfClient else { throw .limit("a client has at most 64 sessions") }
        counts[client] = count + 1
        sessions[id] = Session(client: client, cipher: cipher)
    }

    /// - Throws: `NoSession`, also for another client's.
    func cipher(of path: String, for client: String) throws(BusError) -> TransferCipher {
        guard case .session(let id) = SecretObject(path), let session = sessions[id], session.client == client else {
            throw .noSession
        }
        return session.cipher
    }

    /// - Throws: `NoSession`
    mutating func close(_ id: String, of client: String) throws(BusError) {
        guard let session = sessions[id], session.client == client else { throw .noSession }
        sessions[id] = nil
        counts[client] = (counts[client] ?? 1) - 1
    }

    func contains(_ id: String, of client: String) -> Bool { sessions[id]?.client == client }

    mutating func forget(_ client: String) {
        guard counts.removeValue(forKey: client) != nil else { return }
        sessions = sessions.filter { $0.value.client != client }
    }
}
