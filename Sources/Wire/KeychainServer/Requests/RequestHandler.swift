import CoreMetrics
import KeychainEngine
import KeychainModel
import KeychainProtocol

/// Turns requests into operations on the caller's keychain, and what comes of them into answers.
struct RequestHandler: Sendable {
    let largeRequests: Turnstile
    let limits: ServiceLimits
    let metrics: ServiceMetrics
    let status: @Sendable () -> ServiceStatus

    /// - Parameters:
    ///   - permit: the right to much memory, if the request has it already.
    ///   - state: the connection's.
    ///   - pass: left while a person is asked.
    ///   - send: called once, for the end of the answer.
    ///   - sendPart: called for what comes before that.
    /// - Throws: what `send` throws; failures of the request are answers.
    func answer(
        _ request: Result<Request, KeychainError>,
        of peer: AdmittedPeer,
        to keychain: UserKeychain,
        share: UserShare,
        permit: consuming LargeRequestPermit?,
        state: inout ConnectionState,
        pass: GatePass,
        before deadline: ContinuousClock.Instant,
        send: (Response.Body) throws(KeychainError) -> Void,
        sendPart: (Response.Body) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        metrics.requests.increment()
        switch request {
        case .success(.identity): try send(.identity(peer.identity))
        case .success(.status): try send(.status(status()))
        // The connection does that itself.
        case .success(.watch): try send(.outcome(.failed(KeychainError(.internalError, "a watch is no request"))))
        case .failure(let error):
            metrics.failures.increment()
            try send(.outcome(.failed(error)))
        case .success(.operation(let operation)):
            let needsPermit = permit == nil && operation.mayBeLarge
            let turn = Turn(peer: peer, keychain: keychain, share: share, deadline: deadline, pass: pass)
            // Kept until the answer is sent, which may be large itself.
            let answer = outcome(
                of: operation,
                in: turn,
                state,
                permit: &permit,
                needsPermit: needsPermit,
                sendPart: sendPart
            )
            // After the answer, whose receiver waits for it, and also when there is no receiver any more.
            defer { answer.record.write() }
            try send(.outcome(answer.outcome))
        case .success(.batch(let operations)):
            do throws(KeychainError) {
                if permit == nil {
                    permit = try LargeRequestPermit(of: share, among: largeRequests, before: deadline)
                }
            } catch {
                return try send(.outcome(.failed(error)))
            }
            let answer = outcomes(of: operations, of: peer, to: keychain)
            defer { answer.record.write() }
            try send(answer.body)
        case .success(.rotate(let token)):
            let answer = answer(rotation: token, of: peer, to: keychain)
            defer { answer.record.write() }
            try send(answer.body)
        case .success(.backup(let request)):
            do throws(KeychainError) {
                if permit == nil {
                    permit = try LargeRequestPermit(of: share, among: largeRequests, before: deadline)
                }
            } catch {
                return try send(.outcome(.failed(error)))
            }
            let answer = answer(request, of: peer, from: keychain, sendPart: sendPart)
            defer { answer.record.write() }
            try send(answer.body)
        case .success(.restore(let message)):
            do throws(KeychainError) {
                if case .end = message, permit == nil {
                    permit = try LargeRequestPermit(of: share, among: largeRequests, before: deadline)
                }
            } catch {
                return try send(.outcome(.failed(error)))
            }
            let answer = answer(message, of: peer, to: keychain, restoration: &state.restoration)
            defer { answer.record?.write() }
            try send(answer.body)
        case .success(.evaluate(let request)):
            let answer = evaluate(request, of: peer, to: keychain, in: state.session, pass: pass, sendPart: sendPart)
            defer { answer.record.write() }
            try send(answer.body)
        case .success(.presence): try send(presenceStatus(of: keychain))
        }
        _ = consume permit
    }

    // MARK: - One operation

    /// Where and until when an operation is done.
    private struct Turn {
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
        permit: inout LargeRequestPermit?,
        needsPermit: Bool,
        sendPart: (Response.Body) throws(KeychainError) -> Void
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
        let result = Result { () throws(KeychainError) in
            try rounds.perform(
                authentication,
                willAsk: { () throws(KeychainError) in
                    // Neither a lock nor anybody else waits for a person.
                    turn.pass.leave()
                    if needsPermit { permit = nil }
                    hasAsked = true
                    try sendPart(.prompting)
                }
            ) { (authentication) throws(KeychainError) in
                let deadline = hasAsked ? .now + limits.patience : turn.deadline
                turn.pass.enter()
                if hasAsked { try stream.confirm() }
                if needsPermit {
                    permit = try LargeRequestPermit(of: turn.share, among: largeRequests, before: deadline)
                }
                return try attempt(operation, authentication, in: turn, before: deadline, &explanation)
            }
        }
        turn.pass.enter()
        count(result)
        keychain.watchers.tell(of: operation, result)
        let record = AuditRecord(log: keychain.audit, entries: [operation.auditEntry(of: result, by: turn.peer)])
        return (Outcome(result, explanation: explanation), record)
    }

    private func attempt(
        _ operation: Operation,
        _ authentication: ItemAuthentication,
        in turn: Turn,
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
            let result = try engine.perform(itemOperation, for: caller, answeringAtMost: limits.answerSize)
            sentences = operation.explanation(of: result, by: engine, for: caller)
            return result
        }
    }

    // MARK: - Many

    private func outcomes(
        of operations: [Operation],
        of peer: AdmittedPeer,
        to keychain: UserKeychain
    ) -> (body: Response.Body, record: AuditRecord) {
        var explanations: [[String]] = []
        do throws(KeychainError) {
            // Whoever asks for nothing asks for a keychain.
            let makesKeychain = operations.isEmpty || operations.contains { $0.makesKeychain }
            let results = try keychain.withEngine(makesKeychain: makesKeychain) { (engine) throws(KeychainError) in
                let results = try engine.perform(
                    operations.map(\.itemOperation),
                    for: peer.caller,
                    answeringAtMost: limits.answerSize
                )
                explanations = zip(operations, results).map { operation, result in
                    (try? result.get()).map { operation.explanation(of: $0, by: engine, for: peer.caller) } ?? []
                }
                return results
            }
            results.forEach(count)
            for (operation, result) in zip(operations, results) { keychain.watchers.tell(of: operation, result) }
            let entries = zip(operations, results).map { $0.auditEntry(of: $1, by: peer) }
            let record = AuditRecord(log: keychain.audit, entries: entries)
            return (.batch(zip(results, explanations).map { Outcome($0, explanation: $1) }), record)
        } catch {
            metrics.failures.increment()
            let entries = operations.map { $0.auditEntry(of: .failure(error), by: peer) }
            return (.outcome(.failed(error)), AuditRecord(log: keychain.audit, entries: entries))
        }
    }

    private func count(_ result: Result<OperationResult, KeychainError>) {
        metrics.operations.increment()
        if case .failure = result { metrics.failures.increment() }
    }
}
