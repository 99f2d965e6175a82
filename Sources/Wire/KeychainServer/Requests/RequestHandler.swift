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
    ///   - send: called once.
    /// - Throws: what `send` throws; failures of the request are answers.
    func answer(
        _ request: Result<Request, KeychainError>,
        of peer: AdmittedPeer,
        to keychain: UserKeychain,
        share: UserShare,
        permit: consuming LargeRequestPermit?,
        before deadline: ContinuousClock.Instant,
        send: (Response.Body) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        metrics.requests.increment()
        switch request {
        case .success(.identity): try send(.identity(peer.identity))
        case .success(.status): try send(.status(status()))
        case .failure(let error):
            metrics.failures.increment()
            try send(.outcome(.failed(error)))
        case .success(.operation(let operation)):
            if permit == nil, operation.mayBeLarge {
                do throws(KeychainError) {
                    permit = try LargeRequestPermit(of: share, among: largeRequests, before: deadline)
                } catch {
                    return try send(.outcome(.failed(error)))
                }
            }
            let answer = outcome(of: operation, of: peer, to: keychain, share: share, before: deadline)
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
        }
        _ = consume permit
    }

    // MARK: - One operation

    private func outcome(
        of operation: Operation,
        of peer: AdmittedPeer,
        to keychain: UserKeychain,
        share: UserShare,
        before deadline: ContinuousClock.Instant
    ) -> (outcome: Outcome, record: AuditRecord) {
        let result: Result<OperationResult, KeychainError>
        var explanation: [String] = []
        do throws(KeychainError) {
            if operation.isSearch { try share.searches.enter(before: deadline) }
            defer { if operation.isSearch { share.searches.leave() } }
            result = .success(
                try keychain.withEngine { (engine) throws(KeychainError) in
                    let result = try engine.perform(
                        operation.itemOperation,
                        for: peer.caller,
                        answeringAtMost: limits.answerSize
                    )
                    explanation = operation.explanation(of: result, by: engine, for: peer.caller)
                    return result
                }
            )
        } catch {
            result = .failure(error)
        }
        count(result)
        let record = AuditRecord(log: keychain.audit, entries: [operation.auditEntry(of: result, by: peer)])
        return (Outcome(result, explanation: explanation), record)
    }

    // MARK: - Many

    private func outcomes(
        of operations: [Operation],
        of peer: AdmittedPeer,
        to keychain: UserKeychain
    ) -> (body: Response.Body, record: AuditRecord) {
        var explanations: [[String]] = []
        do throws(KeychainError) {
            let results = try keychain.withEngine { (engine) throws(KeychainError) in
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
