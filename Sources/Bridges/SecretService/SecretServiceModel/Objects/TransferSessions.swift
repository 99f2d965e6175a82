import MessageBus
import SecretServiceSession

/// The sessions of clients, each with the key by which secrets are sent.
///
/// Many programs open a session for each item, and close none. So a client that has too many loses the one that it has not
/// used for the longest time; where all clients together have too many, the client with the most loses one.
struct TransferSessions {
    private struct Session {
        let cipher: TransferCipher
        /// It grows with each use of any session.
        var lastUse: UInt64
    }

    private var clients: [String: [String: Session]] = [:]
    private var count = 0
    private var uses: UInt64 = 0

    mutating func open(_ cipher: TransferCipher, id: String, of client: String) {
        if clients[client]?.count ?? 0 >= SecretLimits.sessionsOfClient {
            removeOldest(of: client)
        } else if count >= SecretLimits.sessions,
            let largest = clients.max(by: { $0.value.count < $1.value.count })?.key
        {
            removeOldest(of: largest)
        }
        uses += 1
        count += 1
        clients[client, default: [:]][id] = Session(cipher: cipher, lastUse: uses)
    }

    private mutating func removeOldest(of client: String) {
        guard let id = clients[client]?.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
        remove(id, of: client)
    }

    private mutating func remove(_ id: String, of client: String) {
        guard clients[client]?.removeValue(forKey: id) != nil else { return }
        count -= 1
        if clients[client]?.isEmpty == true { clients[client] = nil }
    }

    /// - Throws: `NoSession`, also for another client's.
    mutating func cipher(of path: String, for client: String) throws(BusError) -> TransferCipher {
        guard case .session(let id) = SecretObject(path), let session = clients[client]?[id] else { throw .noSession }
        uses += 1
        clients[client]?[id]?.lastUse = uses
        return session.cipher
    }

    /// - Throws: `NoSession`
    mutating func close(_ id: String, of client: String) throws(BusError) {
        guard contains(id, of: client) else { throw .noSession }
        remove(id, of: client)
    }

    func contains(_ id: String, of client: String) -> Bool { clients[client]?[id] != nil }

    func ids(of client: String) -> [String] { clients[client]?.keys.sorted() ?? [] }

    mutating func forget(_ client: String) {
        count -= clients.removeValue(forKey: client)?.count ?? 0
    }
}
