import Glibc
import KeychainModel
import Synchronization

/// The connections that there are, and whose they are.
///
/// Where all places are taken, the user with most of them gives one up to a user with fewer; all strangers together
/// count as one user there. So each of n users can have the nth part of the places, whatever the others do
/// (docs/service.md).
final class ConnectionTable: Sendable {
    fileprivate struct Place {
        let socket: Int32
        let owner: Owner
        let activity: ConnectionActivity
        var isHandshake = true
    }

    /// Strangers stay apart from the users that they may become.
    fileprivate struct Owner: Hashable {
        let uid: UInt32
        let isStranger: Bool
    }

    fileprivate struct State {
        var places: [Int: Place] = [:]
        /// Places that were given up, and whose threads have not noticed yet.
        var leaving: [Int: Place] = [:]
        var next = 0
        var shares: [Owner: UserShare] = [:]
        var strangers = (connections: 0, handshakes: 0)
        var handshakes = 0
        var isStopping = false
        var isAborted = false
    }

    private let state = Mutex(State())
    private let limits: ServiceLimits
    private let work: StrangersWork

    init(limits: ServiceLimits) {
        self.limits = limits
        work = StrangersWork(limits: limits)
    }

    /// A place in the table; it is given back by `remove`.
    struct Entry: Sendable {
        fileprivate let number: Int
        let uid: UInt32
        let share: UserShare
        let activity: ConnectionActivity
    }

    var count: Int { state.withLock { $0.places.count } }

    func count(of uid: UInt32) -> Int {
        state.withLock { state in
            [false, true].reduce(0) { $0 + (state.shares[Owner(uid: uid, isStranger: $1)]?.connections ?? 0) }
        }
    }

    /// Takes a new connection in.
    ///
    /// - Throws: `notAvailable` over a limit, or when the service is about to end.
    func add(_ socket: Int32, uid: UInt32, isKnown: Bool) throws(KeychainError) -> Entry {
        let owner = Owner(uid: uid, isStranger: !isKnown)
        return try state.withLock { state -> Result<Entry, KeychainError> in
            Result { () throws(KeychainError) in
                guard !state.isStopping else {
                    throw KeychainError(.notAvailable, "the keychain service is stopping")
                }
                let share = state.shares[owner] ?? UserShare(limits: limits, strangers: isKnown ? nil : work)
                guard share.connections < limits.connectionsOfUser, share.handshakes < limits.handshakesOfUser,
                    makeRoom(for: owner, share, &state)
                else {
                    throw KeychainError(.notAvailable, "too many connections to the keychain service; close some")
                }
                let entry = Entry(number: state.next, uid: uid, share: share, activity: ConnectionActivity())
                state.next += 1
                state.places[entry.number] = Place(socket: socket, owner: owner, activity: entry.activity)
                state.shares[owner] = share
                state.count(share, owner, connections: 1, handshakes: 1)
                return entry
            }
        }.get()
    }

    /// Notes that the caller is known.
    func endHandshake(of entry: Entry) {
        state.withLock { state in
            guard let place = state.places[entry.number], place.isHandshake else { return }
            state.places[entry.number]?.isHandshake = false
            state.count(entry.share, place.owner, handshakes: -1)
            if state.isStopping { shutdown(place.socket, Int32(SHUT_RD)) }
        }
    }

    /// Forgets a connection, whose socket is closed after that.
    func remove(_ entry: Entry) {
        state.withLock { state in
            if let place = state.places.removeValue(forKey: entry.number) {
                state.count(entry.share, place.owner, connections: -1, handshakes: place.isHandshake ? -1 : 0)
                if entry.share.connections == 0 { state.shares[place.owner] = nil }
            } else {
                state.leaving[entry.number] = nil
            }
        }
    }

    /// Whether the service itself has ended a connection: that its handshake failed says nothing of its caller.
    func hasEnded(_ entry: Entry) -> Bool {
        state.withLock { $0.isAborted || $0.leaving[entry.number] != nil }
    }

    /// Takes no more connections, and lets those that there are read nothing but what has arrived. A handshake goes on to
    /// its end: one that is cut short looks like an attack, and its caller would be refused. What the caller asks after
    /// it is not read, so that the caller asks the next service.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            for place in state.places.values where !place.isHandshake { shutdown(place.socket, Int32(SHUT_RD)) }
        }
    }

    /// Ends all connections, even in the middle of a request.
    func abort() {
        state.withLock { state in
            state.isAborted = true
            for place in state.places.values { shutdown(place.socket, Int32(SHUT_RDWR)) }
        }
    }

    // MARK: - Giving places up

    /// - Returns: false where no user has more than the new one.
    private func makeRoom(for owner: Owner, _ share: UserShare, _ state: inout State) -> Bool {
        // Their threads end in a moment, and if not, strangers' take nothing from known users.
        let leaving = state.leaving.values.count { $0.owner.isStranger == owner.isStranger }
        guard leaving < (owner.isStranger ? limits.handshakesOfStrangers : limits.handshakes) else { return false }
        if owner.isStranger {
            if state.strangers.handshakes >= limits.handshakesOfStrangers {
                guard giveUpAmongStrangers(\.handshakes, below: share.handshakes, &state) else { return false }
            }
            if state.strangers.connections >= limits.connectionsOfStrangers {
                guard giveUpAmongStrangers(\.connections, below: share.connections, &state) else { return false }
            }
        }
        if state.handshakes >= limits.handshakes {
            let own = owner.isStranger ? state.strangers.handshakes : share.handshakes
            guard giveUp(\.handshakes, below: own, strangers: state.strangers.handshakes, &state) else { return false }
        }
        if state.places.count >= limits.connections {
            let own = owner.isStranger ? state.strangers.connections : share.connections
            guard giveUp(\.connections, below: own, strangers: state.strangers.connections, &state) else {
                return false
            }
        }
        return true
    }

    /// Has the user with most places, strangers counted as one, give up one of them.
    private func giveUp(
        _ kind: KeyPath<UserShare, Int>,
        below own: Int,
        strangers: Int,
        _ state: inout State
    ) -> Bool {
        let most = state.shares.filter { !$0.key.isStranger }.max { $0.value[keyPath: kind] < $1.value[keyPath: kind] }
        let count = most?.value[keyPath: kind] ?? 0
        guard max(count, strangers) > own else { return false }
        guard strangers < count, let most else { return giveUpAmongStrangers(kind, below: 0, &state) }
        return giveUp(kind, of: most.key, &state)
    }

    private func giveUpAmongStrangers(
        _ kind: KeyPath<UserShare, Int>,
        below own: Int,
        _ state: inout State
    ) -> Bool {
        let most = state.shares.filter(\.key.isStranger).max { $0.value[keyPath: kind] < $1.value[keyPath: kind] }
        guard let most, most.value[keyPath: kind] > own else { return false }
        return giveUp(kind, of: most.key, &state)
    }

    /// The oldest handshake, or the oldest connection on which nothing is asked.
    private func giveUp(_ kind: KeyPath<UserShare, Int>, of owner: Owner, _ state: inout State) -> Bool {
        let all = state.places.filter { $0.value.owner == owner }
        let handshakes = all.filter(\.value.isHandshake)
        let idle = all.filter { !$0.value.isHandshake && !$0.value.activity.isBusy }
        let candidates =
            if kind == \.handshakes { handshakes } else if idle.isEmpty { all } else { idle }
        guard let number = candidates.keys.min(), let place = state.places.removeValue(forKey: number),
            let share = state.shares[owner]
        else { return false }
        state.leaving[number] = place
        state.count(share, owner, connections: -1, handshakes: place.isHandshake ? -1 : 0)
        if share.connections == 0 { state.shares[owner] = nil }
        // Its thread sees the end, and closes the socket when it has left the table.
        shutdown(place.socket, Int32(SHUT_RDWR))
        return true
    }
}

extension ConnectionTable.State {
    fileprivate mutating func count(
        _ share: UserShare,
        _ owner: ConnectionTable.Owner,
        connections: Int = 0,
        handshakes: Int = 0
    ) {
        share.connections += connections
        share.handshakes += handshakes
        self.handshakes += handshakes
        guard owner.isStranger else { return }
        strangers.connections += connections
        strangers.handshakes += handshakes
    }
}

/// Whether something is asked on a connection. Its thread says so, and the table looks.
final class ConnectionActivity: Sendable {
    private let busy = Atomic<Bool>(false)

    var isBusy: Bool { busy.load(ordering: .relaxed) }

    func note(isBusy: Bool) {
        busy.store(isBusy, ordering: .relaxed)
    }
}
