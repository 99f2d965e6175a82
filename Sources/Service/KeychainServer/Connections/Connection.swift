import CKeychainLinux
import KeychainEngine
import KeychainModel
import KeychainProtocol

/// One client, from its admission to its end, on one thread.
struct Connection: ~Copyable {
    let writer: SocketWriter
    let peer: AdmittedPeer
    let keychain: UserKeychain
    let share: UserShare
    let activity: ConnectionActivity
    let handler: RequestHandler
    let limits: ServiceLimits

    /// Answers requests until the client or the service ends the connection.
    ///
    /// - Throws: why the service ended it.
    func run() throws(KeychainError) {
        try writer.send(FrameCodec.encode(.welcome(peer.identity)), before: .now + limits.answerTime)
        var decoder = FrameDecoder(limit: Frame.largestRequest)
        var state = ConnectionState(peer: peer, keychain: keychain)
        while let request = try next(&decoder) {
            // What was read may have been a secret. A short message is overwritten when it is taken out of the decoder,
            // by what comes behind it; of a longer one, some may be left until its memory goes.
            let leavesTraces = request.message.count > Self.shortMessage
            activity.note(isBusy: true)
            try answer(request, state: &state, &decoder)
            activity.note(isBusy: false)
            if leavesTraces, !decoder.isMidway { decoder = FrameDecoder(limit: Frame.largestRequest) }
            clinux_wipe_stack()
        }
    }

    private static let shortMessage = 2048

    /// A message, and the memory that it has been granted.
    private struct Incoming: ~Copyable {
        let message: [UInt8]
        var memory: MemoryBudget.Grant?
    }

    /// Waits for the next message: as long as it takes until it begins, and not long until it ends.
    ///
    /// - Parameter begin: until when it has to have begun.
    /// - Returns: nil at the end of the connection.
    private func next(
        _ decoder: inout FrameDecoder,
        beginning begin: ContinuousClock.Instant? = nil
    ) throws(KeychainError) -> Incoming? {
        var deadline: ContinuousClock.Instant?
        var memory: MemoryBudget.Grant?
        var size = 0
        while true {
            if let message = try decoder.next() { return Incoming(message: message, memory: memory) }
            if decoder.isMidway, deadline == nil { deadline = .now + limits.frameTime }
            if size > limits.smallFrame, memory == nil, let deadline, let length = decoder.length {
                let need = MemoryBudgets.need(ofFrame: length)
                memory = try handler.memory.frames.take(need, for: share, before: deadline)
            }
            let remaining = (deadline ?? begin).map { max(.zero, $0 - .now) }
            let count = try unsafe decoder.fill { (room) throws(KeychainError) in
                try unsafe peer.stream.receive(into: room, within: remaining)
            }
            guard count > 0 else {
                guard !decoder.isMidway else {
                    throw KeychainError(.notAvailable, "the client is gone in the middle of a message")
                }
                return nil
            }
            size += count
        }
    }

    private func answer(
        _ incoming: consuming Incoming,
        state: inout ConnectionState,
        _ decoder: inout FrameDecoder
    ) throws(KeychainError) {
        // Kept until the answer is sent.
        let memory = incoming.memory.take()
        var fields: MemoryBudget.Grant?
        let (id, request) = try decode(incoming.message, &fields)
        switch request {
        case .success(.watch): return try watch(ofCircle: false)
        case .success(.watchCircle): return try watch(ofCircle: true)
        default: break
        }
        let pass = GatePass(keychain.gate, writer.socket)
        defer { pass.leave() }
        let visit = RequestHandler.Visit(
            peer: peer,
            keychain: keychain,
            share: share,
            deadline: .now + limits.patience,
            pass: pass
        )
        // Others may wait for that memory.
        let longest = fields == nil ? limits.answerTime : limits.largeAnswerTime
        try handler.answer(
            request,
            in: visit,
            state: &state,
            send: { (body, time) throws(KeychainError) in try send(body, id: id, within: min(time, longest)) },
            sendPart: { (body, time) throws(KeychainError) in
                try send(body, id: id, within: time, hasMore: true)
            },
            ask: { (question, end) throws(KeychainError) in try ask(question, id: id, &decoder, before: end) }
        )
        _ = consume fields
        _ = consume memory
    }

    /// Asks the client in the middle of its request.
    private func ask(
        _ question: TransportQuestion,
        id: UInt64,
        _ decoder: inout FrameDecoder,
        before end: ContinuousClock.Instant
    ) throws(KeychainError) -> TransportReply {
        try send(.question(question), id: id, within: limits.answerTime, hasMore: true)
        guard let incoming = try next(&decoder, beginning: min(end, .now + limits.carrierTime)) else {
            throw KeychainError(.notAvailable, "the client is gone in the middle of a round")
        }
        var fields: MemoryBudget.Grant?
        let (replyID, request) = try decode(incoming.message, &fields)
        _ = consume fields
        guard replyID == id, case .carried(let reply) = try request.get() else {
            throw KeychainError(.invalidParameter, "a request in the middle of a round")
        }
        return reply
    }

    /// The message itself is not kept beyond this.
    private func decode(
        _ message: consuming [UInt8],
        _ fields: inout MemoryBudget.Grant?
    ) throws(KeychainError) -> (id: UInt64, request: Result<Request, KeychainError>) {
        var taken: MemoryBudget.Grant?
        defer { fields = taken.take() }
        let received = try FrameCodec.decodeClient(message) { (count) throws(KeychainError) in
            let need = MemoryBudgets.need(ofFields: count)
            guard need > MemoryBudgets.small else { return }
            taken = try handler.memory.fields.take(need, for: share, before: .now + limits.patience)
        }
        guard case .request(let id, let request) = received else {
            throw KeychainError(.invalidParameter, "a second authentication")
        }
        return (id, request)
    }

    private func send(
        _ body: Response.Body,
        id: UInt64,
        within time: Duration,
        hasMore: Bool = false
    ) throws(KeychainError) {
        let deadline = ContinuousClock.now + time
        try FrameCodec.encodeInParts(body, id: id, hasMore: hasMore) { (frame) throws(KeychainError) in
            try writer.send(frame, before: deadline)
        }
    }

    // MARK: - Watching

    /// Sends events until the client or the service ends the connection. A client that does not read holds up no other:
    /// it is told later that it has missed something.
    private func watch(ofCircle isForCircle: Bool) throws(KeychainError) {
        let watcher = try keychain.watchers.add(for: peer.caller, ofCircle: isForCircle)
        defer { keychain.watchers.remove(watcher) }
        let state = try keychain.withEngine { (engine) throws(KeychainError) in try engine.keyState() }
        try send(.lockState(KeychainEvent.LockState(state)))
        while try watcher.waitForEvents(or: writer.socket) {
            for event in watcher.take() { try send(event) }
        }
        // Whatever has come: at the end of the connection nothing, and nothing is asked of one that watches.
        var room: [UInt8] = [0]
        let count = try unsafe room.withUnsafeMutableBytes { bytes in
            Result { () throws(KeychainError) in try unsafe peer.stream.receive(into: bytes, within: .zero) }
        }.get()
        guard count == 0 else { throw KeychainError(.invalidParameter, "a request on a connection that watches") }
    }

    private func send(_ event: KeychainEvent) throws(KeychainError) {
        try writer.send(FrameCodec.encode(.event(event)), before: .now + Self.longestSleep)
    }

    /// A program that watches may be stopped for a while.
    private static let longestSleep: Duration = .seconds(24 * 60 * 60)
}
