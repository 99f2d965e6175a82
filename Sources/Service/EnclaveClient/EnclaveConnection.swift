import CKeychainLinux
import EnclaveDesk
import EnclaveInterface
import Glibc
package import KeychainModel
package import KeychainSystem
import Synchronization

/// The keychain service's connection to the enclave's process, for any number of threads and users.
///
/// Each question goes over a connection of its own, which the first one opens by passing a descriptor: so that no
/// caller waits for another's answer, and a late answer reaches no other caller. What the enclave has to tell comes
/// over the first one, to a thread that does nothing else, and is acknowledged there.
package final class EnclaveConnection: Sendable {
    /// How a lost connection is made again.
    package enum Source: Sendable {
        /// A pair of sockets that was made when the enclave was started. Once it is lost, it stays so.
        case connected(PacketSocket)
        /// Where the enclave listens, and who it has to be.
        case listener(path: String, uid: UInt32?)
    }

    /// Tells one user's part of the service of a change. It returns once nothing is there any more that the change took
    /// away; false if that part has gone itself.
    typealias Observer = @Sendable (Change) -> Bool

    enum Change: Sendable {
        case state(EnclaveEvent)
        /// There is another enclave, or none: what was known of the old one is worth nothing.
        case lost
        /// Only who is still there is wanted to know.
        case nothing
        /// There is one again, and changes of the keys meanwhile are unknown.
        case reconnected
    }

    private struct State {
        var first: PacketSocket?
        var idle: [Channel] = []
        /// Grows with each connection that is lost.
        var generation: UInt64 = 1
        var observers: [UInt32: [Observer]] = [:]
    }

    /// One more connection, with room for an answer.
    ///
    /// Unchecked, since only the one thread uses it that has taken it out of the idle ones, or made it.
    private final class Channel: @unchecked Sendable {
        let socket: PacketSocket
        var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)

        init(_ socket: PacketSocket) {
            self.socket = socket
        }
    }

    private let source: Source
    private let state: Mutex<State>
    /// Changes when a connection is lost, without a lock for those who look.
    private let latestGeneration = Atomic<UInt64>(1)
    private let ids = Atomic<UInt32>(1)
    private let asking = Atomic<Int>(0)

    /// How long an answer may take; the enclave answers all but changes of keys within a few microseconds.
    private static let patience: Duration = .seconds(10)
    private static let mostIdle = 16
    /// How often is looked whether an answer is still wanted.
    private static let glance: Duration = .milliseconds(200)
    /// Each has a connection of its own, of which the enclave takes so many.
    private static let mostAsking = 128

    package init(_ source: Source) {
        self.source = source
        state = Mutex(State())
    }

    /// The first connection where it was made before this process had threads; to see when it ends.
    package var connectedSocket: PacketSocket? {
        if case .connected(let socket) = source { socket } else { nil }
    }

    /// Begins to hear of changes of keys, with an enclave that was started for this service: it tells of each, and
    /// waits for the service, also before the service has asked for anything. An enclave that the service connects to
    /// later has nobody to tell so far.
    package func start() throws(KeychainError) {
        guard case .connected = source else { return }
        _ = try state.withLock { state in Result { () throws(KeychainError) in try connected(&state) } }.get()
    }

    var generation: UInt64 { latestGeneration.load(ordering: .acquiring) }

    func observe(_ uid: UInt32, _ observer: @escaping Observer) {
        state.withLock { $0.observers[uid, default: []].append(observer) }
    }

    /// Forgets a user whose observers are gone. Each is asked, since it alone knows; it does nothing about it.
    func forgetObservers(of uid: UInt32) {
        tell(.nothing, to: uid)
    }

    /// Of how many users somebody is told.
    var observedUsers: Int { state.withLock { $0.observers.count } }

    // MARK: - Questions

    /// Asks, once more where the enclave has ended in between and asking twice does no harm.
    func ask<Request: EnclaveRequest>(
        _ request: Request,
        about uid: UInt32
    ) throws(KeychainError) -> Request.Answer {
        let id = ids.wrappingAdd(1, ordering: .relaxed).newValue
        var message = try request.encoded(id: id, uid: uid)
        defer { wipe(&message) }
        var exchange: Exchange<Request> = try self.exchange(message, id: id, uid: uid)
        if case .lost(let wasSent) = exchange, !wasSent || Request.isRepeatable {
            exchange = try self.exchange(message, id: id, uid: uid)
        }
        guard case .reply(let reply) = exchange else { throw Self.isGone }
        return try request.completing(reply.result).get()
    }

    /// Has an owner asked, and waits for as long as somebody wants to know: whoever closes the connection takes the
    /// question back.
    func ask(
        _ question: PresenceQuestion,
        about uid: UInt32,
        isWanted: () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        guard asking.add(1, ordering: .relaxed).newValue <= Self.mostAsking else {
            asking.subtract(1, ordering: .relaxed)
            throw PresenceFailure.tooMany.error
        }
        defer { asking.subtract(1, ordering: .relaxed) }
        let id = ids.wrappingAdd(1, ordering: .relaxed).newValue
        let message = try AskOwnerRequest(question).encoded(id: id, uid: uid)
        let (channel, generation) = try channel()
        channel.socket.limit(receiving: Self.glance, sending: Self.patience)
        guard channel.socket.send(message) == .done else {
            lose(generation)
            throw Self.isGone
        }
        let deadline = ContinuousClock.now + PresenceDesk.patience
        while isWanted(), .now < deadline {
            let (outcome, count, _) = channel.socket.receive(into: &channel.buffer)
            switch outcome {
            case .late: continue
            case .gone:
                lose(generation)
                throw Self.isGone
            case .done: break
            }
            let reply = try EnclaveReply(channel.buffer[..<count], to: AskOwnerRequest.self)
            guard reply.header.id == id, reply.header.uid == uid else { throw EnclaveFailure.otherAnswer }
            return try reply.result.get()
        }
        throw PresenceFailure.interrupted.error
    }

    static let isGone = KeychainError(.notAvailable, "the enclave has ended; its service has to be started again")
    private static let isLate = KeychainError(.notAvailable, "the enclave has not answered in time")

    private enum Exchange<Request: EnclaveRequest> {
        case reply(EnclaveReply<Request>)
        case lost(wasSent: Bool)
    }

    private func exchange<Request: EnclaveRequest>(
        _ message: [UInt8],
        id: UInt32,
        uid: UInt32
    ) throws(KeychainError) -> Exchange<Request> {
        let (channel, generation) = try channel()
        switch channel.socket.send(message) {
        case .done: break
        case .late: throw Self.isLate
        case .gone:
            lose(generation)
            return .lost(wasSent: false)
        }
        let (outcome, count, _) = channel.socket.receive(into: &channel.buffer)
        switch outcome {
        case .done: break
        // The answer may come later: the channel is not used again.
        case .late: throw Self.isLate
        case .gone:
            lose(generation)
            return .lost(wasSent: true)
        }
        let read = Result { () throws(KeychainError) in try EnclaveReply(channel.buffer[..<count], to: Request.self) }
        wipe(&channel.buffer, count)
        let reply = try read.get()
        guard reply.header.id == id, reply.header.uid == uid else { throw EnclaveFailure.otherAnswer }
        state.withLock { state in
            if state.generation == generation, state.idle.count < Self.mostIdle { state.idle.append(channel) }
        }
        return .reply(reply)
    }

    /// A connection of one user at a time.
    private func channel() throws(KeychainError) -> (Channel, UInt64) {
        let (idle, first, generation) = try state.withLock { state in
            Result { () throws(KeychainError) in
                let first = try connected(&state)
                return (state.idle.popLast(), first, state.generation)
            }
        }.get()
        if let idle { return (idle, generation) }
        let (own, others) = try KeychainError.translating { try PacketSocket.pair() }
        own.limit(receiving: Self.patience, sending: Self.patience)
        let message = try OpenChannelRequest().encoded(id: 0, uid: 0)
        // Where the enclave is gone, the channel's first question finds it out.
        guard first.send(message, passing: others.number) != .late else { throw Self.isLate }
        return (Channel(own), generation)
    }

    /// The first connection, made where there is none. Under the lock.
    private func connected(_ state: inout State) throws(KeychainError) -> PacketSocket {
        if let first = state.first { return first }
        let socket: PacketSocket
        switch source {
        case .connected(let existing):
            guard state.generation == 1 else { throw Self.isGone }
            socket = existing
        case .listener(let path, let uid):
            socket = try KeychainError.translating("the enclave cannot be reached at \(path)") {
                try PacketSocket(connectingTo: path, within: Self.patience)
            }
            if let uid, socket.peer?.uid != uid, socket.peer?.uid != 0 {
                throw KeychainError(.notAvailable, "the process that listens at \(path) is not the enclave")
            }
        }
        // Events are waited for without an end; an enclave that reads nothing holds no caller up for ever.
        socket.limit(receiving: .zero, sending: Self.patience)
        let generation = state.generation
        try KeychainError.translating {
            try DetachedThread.start { [weak self] in Self.listen(to: socket, generation) { self } }
        }
        // Not before a listener exists: a connection whose events are not acknowledged would hold up each lock.
        state.first = socket
        return socket
    }

    private func lose(_ generation: UInt64) {
        let users = state.withLock { state -> [UInt32] in
            guard state.generation == generation else { return [] }
            state.first = nil
            state.idle = []
            state.generation += 1
            latestGeneration.store(state.generation, ordering: .releasing)
            return Array(state.observers.keys)
        }
        for uid in users { tell(.lost, to: uid) }
    }

    // MARK: - Events

    /// Waits for events until the connection is lost, and then for another enclave.
    private static func listen(to socket: PacketSocket, _ generation: UInt64, for owner: () -> EnclaveConnection?) {
        hear(socket, generation, for: owner)
        owner()?.lose(generation)
        // Whoever watches a keychain, or has keys of it in memory, asks for nothing before something has happened.
        while let isOver = owner()?.connectAgain(), !isOver { usleep(Self.pause) }
    }

    /// In microseconds, between attempts to reach another enclave.
    private static let pause: UInt32 = 500_000

    /// - Returns: false where it has to be tried again.
    private func connectAgain() -> Bool {
        guard case .listener = source else { return true }
        return state.withLock { state in
            state.observers.isEmpty || (try? connected(&state)) != nil
        }
    }

    private static func hear(_ socket: PacketSocket, _ generation: UInt64, for owner: () -> EnclaveConnection?) {
        if generation > 1 { owner()?.tellOfReconnection() }
        var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)
        while true {
            let (outcome, count, _) = socket.receive(into: &buffer)
            guard outcome == .done, let owner = owner() else { break }
            guard let event = try? EnclaveEvent(buffer[..<count]) else { break }
            owner.tell(.state(event), to: event.uid)
            guard let message = try? AcknowledgeRequest().encoded(id: event.id, uid: event.uid),
                socket.send(message) == .done
            else { break }
        }
    }

    private func tellOfReconnection() {
        for uid in state.withLock({ Array($0.observers.keys) }) { tell(.reconnected, to: uid) }
    }

    /// Not under the lock: those who are told ask the enclave.
    private func tell(_ change: Change, to uid: UInt32) {
        let told = state.withLock { $0.observers[uid] ?? [] }
        let isThere = told.map { $0(change) }
        guard isThere.contains(false) else { return }
        state.withLock { state in
            let new = state.observers[uid]?.dropFirst(told.count) ?? []
            let left = zip(told, isThere).filter(\.1).map(\.0) + new
            state.observers[uid] = left.isEmpty ? nil : left
        }
    }
}
