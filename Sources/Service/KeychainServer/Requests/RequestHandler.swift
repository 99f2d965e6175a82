import KeychainEngine
import KeychainModel
import KeychainProtocol

/// Turns requests into operations on the caller's keychain, and what comes of them into answers.
struct RequestHandler: Sendable {
    let memory: MemoryBudgets
    let limits: ServiceLimits
    let counter: ServiceCounter
    let status: @Sendable () -> ServiceStatus

    /// Sends a part of an answer, which the client has to read within some time.
    typealias Sender = (Response.Body, Duration) throws(KeychainError) -> Void

    /// Asks the program that has a transport. What it throws ends the connection.
    typealias Asker = (TransportQuestion, ContinuousClock.Instant) throws(KeychainError) -> TransportReply

    /// Whose request it is, on which keychain, and until when it has to have begun.
    struct Visit {
        let peer: AdmittedPeer
        let keychain: UserKeychain
        let share: UserShare
        let deadline: ContinuousClock.Instant
        /// Left while a person is asked.
        let pass: GatePass
        /// The program for which the caller says that it asks.
        var onBehalfOf: String?

        func onBehalf(of program: String) -> Visit {
            var visit = self
            visit.onBehalfOf = program
            return visit
        }
    }

    /// The end of an answer, and what the record says of the request.
    struct Answer {
        let body: Response.Body
        var entries: [AuditEntry] = []
        /// Whether it was granted more memory than most, and its client more time.
        var isLarge = false
    }

    /// - Parameters:
    ///   - state: the connection's.
    ///   - send: called once, for the end of the answer.
    ///   - sendPart: called for what comes before that.
    ///   - ask: called in rounds of synchronization.
    /// - Throws: what `send` throws; failures of the request are answers.
    func answer(
        _ request: Result<Request, KeychainError>,
        in visit: Visit,
        state: inout ConnectionState,
        send: Sender,
        sendPart: Sender,
        ask: Asker
    ) throws(KeychainError) {
        counter.count { $0.requests += 1 }
        // Kept until the answer is sent, which may be large itself.
        var grant: MemoryBudget.Grant?
        var answer: Answer
        var broken: KeychainError?
        do throws(KeychainError) {
            let request = try request.get()
            if request.traits.goesThroughAll {
                grant = try take(MemoryBudgets.wholeKeychain, for: visit.share, before: visit.deadline)
            }
            if case .synchronize(let takesSeveral, let place) = request {
                answer = try synchronize(in: visit, takesSeveral, ifAt: place, asking: ask, broken: &broken)
            } else {
                answer = try self.answer(request, in: visit, &state, &grant, sendPart)
            }
        } catch {
            answer = Answer(body: .outcome(.failure(error)))
        }
        if let broken { throw broken }
        if case .outcome(.failure) = answer.body { counter.count { $0.failures += 1 } }
        // First, so that no client has an answer that the record lacks.
        visit.keychain.audit.append(answer.entries)
        try send(answer.body, answer.isLarge ? limits.largeAnswerTime : limits.answerTime)
        _ = consume grant
    }

    /// The requests, each with what answers it.
    private func answer(
        _ request: Request,
        in visit: Visit,
        _ state: inout ConnectionState,
        _ grant: inout MemoryBudget.Grant?,
        _ sendPart: Sender
    ) throws(KeychainError) -> Answer {
        switch request {
        case .operation(let operation): perform(operation, in: visit, state, grant: &grant, sendPart: sendPart)
        case .batch(let operations): perform(operations, in: visit, grant: &grant)
        case .transaction(let operations): perform(operations, allOrNothing: true, in: visit, grant: &grant)
        case .identity: Answer(body: .identity(visit.peer.identity))
        case .status: Answer(body: .status(visit.keychain.completed(status())))
        case .circle(let request): try self.answer(request, in: visit, state, sendPart)
        case .carried: throw KeychainError(.invalidParameter, "what a transport has, and no round asks for it")
        // The connection does that itself, or has to ask in between.
        case .watch, .watchCircle, .synchronize: throw KeychainError(.internalError, "this is no request by itself")
        case .rotate(let token): rotateKeys(token, in: visit)
        case .backup(let request): backup(request, in: visit, sendPart: sendPart)
        case .restore(let message): try restore(message, in: visit, restoration: &state.restoration)
        case .evaluate(let request): evaluate(request, in: visit, state.session, sendPart: sendPart)
        case .presence: Answer(body: .presence(try visit.keychain.presenceStatus()))
        case .onBehalf(let program, let request):
            try answer(request, in: visit.onBehalf(of: program), &state, &grant, sendPart)
        }
    }

    /// Does what the record names, whether it fails or not.
    ///
    /// - Parameter body: gives the answer, and how many items it was about.
    func recorded(
        as name: String,
        in visit: Visit,
        _ body: () throws(KeychainError) -> (answer: Response.Body, count: Int)
    ) -> Answer {
        let result = Result { () throws(KeychainError) in try body() }
        let entry = AuditEntry(name, of: result.map(\.count), by: visit.peer)
        switch result {
        case .success(let done): return Answer(body: done.answer, entries: [entry])
        case .failure(let error): return Answer(body: .outcome(.failure(error)), entries: [entry])
        }
    }

    // MARK: - Memory

    /// Does something with little memory, and again with more if that was too little.
    ///
    /// - Parameters:
    ///   - grant: what the last attempt had; nothing is held while more is waited for.
    ///   - isTooLong: whether what a search would go through is not to be tried as a whole.
    ///   - body: is told whether there is no more.
    func withMemory<Value>(
        _ grant: inout MemoryBudget.Grant?,
        of share: UserShare,
        before deadline: ContinuousClock.Instant,
        isTooLong: (MemoryAllowance.Extent) -> Bool = { _ in false },
        _ body: (MemoryAllowance, _ isLast: Bool) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        grant = nil
        var size = MemoryAllowance.Size(
            answer: min(limits.smallAnswer, limits.answerSize),
            row: MemoryBudgets.smallRow
        )
        while true {
            let allowance = MemoryAllowance(size)
            let isLast = size == MemoryBudgets.last(limits.answerSize)
            do throws(KeychainError) {
                return try body(allowance, isLast)
            } catch {
                if let extent = allowance.extent, isTooLong(extent) { throw error }
                guard error.code == .dataTooLarge,
                    let next = MemoryBudgets.size(after: size, lacking: allowance.lacking, most: limits.answerSize)
                else { throw error }
                size = next
            }
            grant = nil
            grant = try take(size, for: share, before: deadline)
        }
    }

    private func take(
        _ size: MemoryAllowance.Size,
        for share: UserShare,
        before deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> MemoryBudget.Grant {
        try memory.answers.take(MemoryBudgets.need(of: size), for: share, before: deadline)
    }
}
