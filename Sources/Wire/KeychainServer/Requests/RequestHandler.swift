import CoreMetrics
import KeychainEngine
import KeychainModel
import KeychainProtocol

/// Turns requests into operations on the caller's keychain, and what comes of them into answers.
struct RequestHandler: Sendable {
    let memory: MemoryBudgets
    let limits: ServiceLimits
    let metrics: ServiceMetrics
    let status: @Sendable () -> ServiceStatus

    /// Sends a part of an answer, which the client has to read within some time.
    typealias PartSender = (Response.Body, Duration) throws(KeychainError) -> Void

    /// - Parameters:
    ///   - state: the connection's.
    ///   - pass: left while a person is asked.
    ///   - send: called once, for the end of the answer, which the client has to read within some time.
    ///   - sendPart: called for what comes before that.
    /// - Throws: what `send` throws; failures of the request are answers.
    func answer(
        _ request: Result<Request, KeychainError>,
        of peer: AdmittedPeer,
        to keychain: UserKeychain,
        share: UserShare,
        state: inout ConnectionState,
        pass: GatePass,
        before deadline: ContinuousClock.Instant,
        send: (Response.Body, Duration) throws(KeychainError) -> Void,
        sendPart: PartSender
    ) throws(KeychainError) {
        metrics.requests.increment()
        let turn = Turn(peer: peer, keychain: keychain, share: share, deadline: deadline, pass: pass)
        // Kept until the answer is sent, which may be large itself.
        var grant: MemoryBudget.Grant?
        func end(
            _ answer: (body: Response.Body, record: AuditRecord?),
            within time: Duration? = nil
        ) throws(KeychainError) {
            // First, so that nobody has an answer that the record does not have.
            answer.record?.write()
            try send(answer.body, time ?? limits.answerTime)
        }
        switch request {
        case .success(.identity): try end((.identity(peer.identity), nil))
        case .success(.status): try end((.status(status().adding(keychain.storageMetrics)), nil))
        // The connection does that itself.
        case .success(.watch): try end((.outcome(.failed(KeychainError(.internalError, "a watch is no request"))), nil))
        case .failure(let error):
            metrics.failures.increment()
            try end((.outcome(.failed(error)), nil))
        case .success(.operation(let operation)):
            let answer = outcome(of: operation, in: turn, state, grant: &grant, sendPart: sendPart)
            try end((.outcome(answer.outcome), answer.record), within: time(grant == nil))
        case .success(.batch(let operations)):
            let answer = outcomes(of: operations, in: turn, grant: &grant)
            try end(answer, within: time(grant == nil))
        case .success(.rotate(let token)):
            guard try takeForAll(&grant, turn, send) else { return }
            try end(answer(rotation: token, of: peer, to: keychain))
        case .success(.backup(let request)):
            guard try takeForAll(&grant, turn, send) else { return }
            try end(answer(request, of: peer, from: keychain, sendPart: sendPart))
        case .success(.restore(let message)):
            if case .end = message { guard try takeForAll(&grant, turn, send) else { return } }
            try end(answer(message, of: peer, to: keychain, restoration: &state.restoration))
        case .success(.evaluate(let request)):
            try end(evaluate(request, of: peer, to: keychain, in: state.session, pass: pass, sendPart: sendPart))
        case .success(.presence): try end((presenceStatus(of: keychain), nil))
        }
        _ = consume grant
    }

    private func time(_ isSmall: Bool) -> Duration { isSmall ? limits.answerTime : limits.largeAnswerTime }

    /// Takes memory for what goes through a whole keychain.
    ///
    /// - Returns: false where there was none in time, and the client was told.
    private func takeForAll(
        _ grant: inout MemoryBudget.Grant?,
        _ turn: Turn,
        _ send: (Response.Body, Duration) throws(KeychainError) -> Void
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            grant = try take(MemoryBudgets.wholeKeychain, for: turn.share, before: turn.deadline)
            return true
        } catch {
            try send(.outcome(.failed(error)), limits.answerTime)
            return false
        }
    }

    private func take(
        _ size: MemoryAllowance.Size,
        for share: UserShare,
        before deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> MemoryBudget.Grant {
        try memory.answers.take(MemoryBudgets.need(of: size), for: share, before: deadline)
    }

    /// Does something with little memory, and again with more if that was too little.
    ///
    /// - Parameters:
    ///   - grant: what the last attempt had; nothing is held while more is waited for.
    ///   - isTooLong: whether what a search would go through is not to be tried as a whole.
    ///   - body: is told whether there is no more.
    private func withMemory<Value>(
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

    // MARK: - One operation

    /// Where and until when an operation is done.
    struct Turn {
        let peer: AdmittedPeer
        let keychain: UserKeychain
        let share: UserShare
        let deadline: ContinuousClock.Instant
        let pass: GatePass
    }

    private func outcome(
        of operation: Operation,
        in turn: Turn,
        _ state: ConnectionState,
        grant: inout MemoryBudget.Grant?,
        sendPart: PartSender
    ) -> (outcome: Outcome, record: AuditRecord) {
        let keychain = turn.keychain
        let stream = turn.peer.stream
        let authentication = operation.itemOperation.authentication ?? ItemAuthentication()
        let rounds = PresenceRounds(
            for: state.asker,
            in: authentication.usesContext ? state.session : nil,
            enclave: { () throws(KeychainError) in
                try keychain.withEngine { (engine) throws(KeychainError) in engine.enclave }
            },
            isWanted: { stream.isWaiting }
        )
        var explanation: [String] = []
        var hasAsked = false
        var extent: MemoryAllowance.Extent?
        var pages: PagedAnswer?
        func isTooLong(_ found: MemoryAllowance.Extent) -> Bool {
            guard operation.isSearch, found.bytes > min(limits.pageSize, limits.answerSize) else { return false }
            extent = found
            return true
        }
        let result = Result { () throws(KeychainError) in
            try rounds.perform(
                authentication,
                willAsk: { () throws(KeychainError) in
                    // Neither a lock nor anybody else waits for a person.
                    turn.pass.leave()
                    pages?.pause()
                    grant = nil
                    hasAsked = true
                    try sendPart(.prompting, limits.answerTime)
                }
            ) { (authentication) throws(KeychainError) in
                let deadline = hasAsked ? .now + limits.patience : turn.deadline
                turn.pass.enter()
                if hasAsked { try stream.confirm() }
                if pages == nil {
                    do throws(KeychainError) {
                        return try withMemory(&grant, of: turn.share, before: deadline, isTooLong: isTooLong) {
                            (allowance, _) throws(KeychainError) in
                            try attempt(
                                operation,
                                authentication,
                                in: turn,
                                within: allowance,
                                before: deadline,
                                &explanation
                            )
                        }
                    } catch {
                        pages = extent.flatMap { PagedAnswer(to: operation, goingThrough: $0, limits) }
                        guard pages != nil else { throw error }
                    }
                }
                return try sendPages(of: &pages, authentication, in: turn, &grant, &explanation, sendPart: sendPart)
            }
        }
        turn.pass.enter()
        count(result)
        keychain.watchers.tell(of: operation, result)
        let record = AuditRecord(
            log: keychain.audit,
            entries: [operation.auditEntry(of: result, after: pages?.sent, by: turn.peer)]
        )
        return (Outcome(result, explanation: explanation), record)
    }

    private func attempt(
        _ operation: Operation,
        _ authentication: ItemAuthentication,
        in turn: Turn,
        within allowance: MemoryAllowance,
        before deadline: ContinuousClock.Instant,
        _ explanation: inout [String]
    ) throws(KeychainError) -> OperationResult {
        if operation.isSearch { try turn.share.searches.enter(before: deadline) }
        defer { if operation.isSearch { turn.share.searches.leave() } }
        var itemOperation = operation.itemOperation
        itemOperation.authentication = authentication
        let caller = turn.peer.caller
        var sentences: [String] = []
        defer { explanation = sentences }
        return try turn.keychain.withEngine(makesKeychain: operation.makesKeychain) { (engine) throws(KeychainError) in
            let result = try engine.perform(itemOperation, for: caller, within: allowance)
            sentences = operation.explanation(of: result, by: engine, for: caller)
            return result
        }
    }

    // MARK: - Many

    private func outcomes(
        of operations: [Operation],
        in turn: Turn,
        grant: inout MemoryBudget.Grant?
    ) -> (body: Response.Body, record: AuditRecord?) {
        let keychain = turn.keychain
        let caller = turn.peer.caller
        var explanations: [[String]] = []
        do throws(KeychainError) {
            // Whoever asks for nothing asks for a keychain.
            let makesKeychain = operations.isEmpty || operations.contains { $0.makesKeychain }
            let results = try withMemory(&grant, of: turn.share, before: turn.deadline) {
                (allowance, isLast) throws(KeychainError) in
                try turn.share.searches.enter(before: turn.deadline)
                defer { turn.share.searches.leave() }
                return try keychain.withEngine(makesKeychain: makesKeychain) { (engine) throws(KeychainError) in
                    let results = try engine.perform(
                        operations.map(\.itemOperation),
                        for: caller,
                        within: allowance,
                        isLast: isLast
                    )
                    explanations = zip(operations, results).map { operation, result in
                        (try? result.get()).map { operation.explanation(of: $0, by: engine, for: caller) } ?? []
                    }
                    return results
                }
            }
            results.forEach(count)
            for (operation, result) in zip(operations, results) { keychain.watchers.tell(of: operation, result) }
            let entries = zip(operations, results).map { $0.auditEntry(of: $1, by: turn.peer) }
            let record = AuditRecord(log: keychain.audit, entries: entries)
            return (.batch(zip(results, explanations).map { Outcome($0, explanation: $1) }), record)
        } catch {
            metrics.failures.increment()
            let entries = operations.map { $0.auditEntry(of: .failure(error), by: turn.peer) }
            return (.outcome(.failed(error)), AuditRecord(log: keychain.audit, entries: entries))
        }
    }

    private func count(_ result: Result<OperationResult, KeychainError>) {
        metrics.operations.increment()
        if case .failure = result { metrics.failures.increment() }
    }
}

extension ServiceStatus {
    fileprivate func adding(_ more: [String: Double]) -> ServiceStatus {
        ServiceStatus(
            version: version,
            mode: mode,
            uptime: uptime,
            connections: connections,
            metrics: metrics.merging(more) { $1 }
        )
    }
}
