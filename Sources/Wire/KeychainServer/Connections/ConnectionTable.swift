import Glibc
import KeychainModel
import Synchronization

/// The connections that there are, and whose they are.
final class ConnectionTable: Sendable {
    private struct State {
        var sockets: [Int: Int32] = [:]
        var next = 0
        var handshakes = 0
        var users: [UInt32: UserShare] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())
    private let limits: ServiceLimits

    init(limits: ServiceLimits) {
        self.limits = limits
    }

    /// A place in the table; it is given back by `remove`.
    struct Entry: Sendable {
        fileprivate let number: Int
        let uid: UInt32
        let share: UserShare
    }

    var count: Int { state.withLock { $0.sockets.count } }

    /// Takes a new connection in.
    ///
    /// - Throws: `notAvailable` over a limit, or when the service is about to end.
    func add(_ socket: Int32, uid: UInt32) throws(KeychainError) -> Entry {
        try state.withLock { state -> Result<Entry, KeychainError> in
            Result { () throws(KeychainError) in
                guard !state.isStopping else {
                    throw KeychainError(.notAvailable, "the keychain service is stopping")
                }
                let share = state.users[uid] ?? UserShare(limits: limits)
                guard state.sockets.count < limits.connections, state.handshakes < limits.handshakes,
                    share.connections < limits.connectionsOfUser, share.handshakes < limits.handshakesOfUser
                else {
                    throw KeychainError(.notAvailable, "too many connections to the keychain service; close some")
                }
                let entry = Entry(number: state.next, uid: uid, share: share)
                state.next += 1
                state.sockets[entry.number] = socket
                state.handshakes += 1
                share.connections += 1
                share.handshakes += 1
                state.users[uid] = share
                return entry
            }
        }.get()
    }

    /// Notes that the caller is known.
    func endHandshake(of entry: Entry) {
        state.withLock { state in
            state.handshakes -= 1
            entry.share.handshakes -= 1
        }
    }

    /// Forgets a connection, whose socket is closed after that.
    ///
    /// - Returns: whether it was the user's last.
    func remove(_ entry: Entry, duringHandshake: Bool) -> Bool {
        state.withLock { state in
            state.sockets[entry.number] = nil
            if duringHandshake {
                state.handshakes -= 1
                entry.share.handshakes -= 1
            }
            entry.share.connections -= 1
            guard entry.share.connections == 0 else { return false }
            state.users[entry.uid] = nil
            return true
        }
    }

    /// Takes no more connections, and lets those that there are read nothing but what has arrived.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            for socket in state.sockets.values { shutdown(socket, Int32(SHUT_RD)) }
        }
    }

    /// Ends all connections, whatever they are about.
    func abort() {
        state.withLock { state in
            for socket in state.sockets.values { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }
}
