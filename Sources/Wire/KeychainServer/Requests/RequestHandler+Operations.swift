import CoreMetrics
import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Does one operation, and asks the keychain's owner for what it lacks.
    func perform(
        _ operation: KeychainOperation,
        in turn: Turn,
        _ state: ConnectionState,
        grant: inout MemoryBudget.Grant?,
        sendPart: Sender
    ) -> Answer {
        let keychain = turn.keychain
        let stream = turn.peer.stream
        let usesContext = operation.authentication?.usesContext ?? false
        let rounds = PresenceRounds(
            for: state.asker,
            in: usesContext ? state.session : nil,
            enclave: { () throws(KeychainError) in
                try keychain.withEngine { (engine) throws(KeychainError) in engine.enclave }
            },
            isWanted: { stream.isWaiting }
        )
        var hasAsked = false
        var pages: PagedAnswer?
        let result = Result { () throws(KeychainError) in
            try rounds.perform(
                operation,
                willAsk: { () throws(KeychainError) in
                    // Neither a lock nor anybody else waits for a person.
                    turn.pass.leave()
                    pages?.pause()
                    grant = nil
                    hasAsked = true
                    try sendPart(.prompting, limits.answerTime)
                }
            ) { (operation) throws(KeychainError) in
                let deadline = hasAsked ? .now + limits.patience : turn.deadline
                turn.pass.enter()
                if hasAsked { try stream.confirm() }
                return try attempt(operation, in: turn, before: deadline, &grant, &pages, sendPart: sendPart)
            }
        }
        turn.pass.enter()
        metrics.operations.increment()
        keychain.watchers.tell(of: operation, result)
        return Answer(
            body: .outcome(result),
            entries: [operation.auditEntry(of: result, after: pages?.sent, in: turn)],
            isLarge: grant != nil
        )
    }

    /// Does an operation as a whole or, where that is too long, in pages.
    ///
    /// - Parameter pages: how far the pages have come, also where this throws.
    private func attempt(
        _ operation: KeychainOperation,
        in turn: Turn,
        before deadline: ContinuousClock.Instant,
        _ grant: inout MemoryBudget.Grant?,
        _ pages: inout PagedAnswer?,
        sendPart: Sender
    ) throws(KeychainError) -> OperationResult {
        if pages == nil {
            var extent: MemoryAllowance.Extent?
            func isTooLong(_ found: MemoryAllowance.Extent) -> Bool {
                guard operation.isSearch, found.bytes > min(limits.pageSize, limits.answerSize) else { return false }
                extent = found
                return true
            }
            do throws(KeychainError) {
                return try withMemory(&grant, of: turn.share, before: deadline, isTooLong: isTooLong) {
                    (allowance, _) throws(KeychainError) in
                    if operation.isSearch { try turn.share.searches.enter(before: deadline) }
                    defer { if operation.isSearch { turn.share.searches.leave() } }
                    return try turn.keychain.withEngine(makesKeychain: operation.traits.makesKeychain) {
                        (engine) throws(KeychainError) in
                        try engine.perform(operation, for: turn.peer.caller, within: allowance)
                    }
                }
            } catch {
                guard let extent else { throw error }
                pages = PagedAnswer(goingThrough: extent, limits)
            }
        }
        return try sendPages(of: &pages, to: operation, in: turn, &grant, sendPart: sendPart)
    }

    /// Does many operations in one transaction.
    func perform(
        _ operations: [KeychainOperation],
        allOrNothing: Bool = false,
        in turn: Turn,
        grant: inout MemoryBudget.Grant?
    ) -> Answer {
        // An empty batch makes a keychain where there is none.
        let makesKeychain = operations.isEmpty || operations.contains(where: \.traits.makesKeychain)
        do throws(KeychainError) {
            let results = try withMemory(&grant, of: turn.share, before: turn.deadline) {
                (allowance, isLast) throws(KeychainError) in
                try turn.share.searches.enter(before: turn.deadline)
                defer { turn.share.searches.leave() }
                return try turn.keychain.withEngine(makesKeychain: makesKeychain) { (engine) throws(KeychainError) in
                    try engine.perform(
                        operations,
                        allOrNothing: allOrNothing,
                        for: turn.peer.caller,
                        within: allowance,
                        isLast: isLast
                    )
                }
            }
            for (operation, result) in zip(operations, results) {
                metrics.operations.increment()
                if case .failure = result { metrics.failures.increment() }
                turn.keychain.watchers.tell(of: operation, result)
            }
            let entries = zip(operations, results).map { $0.auditEntry(of: $1, in: turn) }
            return Answer(body: .batch(results), entries: entries, isLarge: grant != nil)
        } catch {
            let entries = operations.map { $0.auditEntry(of: .failure(error), in: turn) }
            return Answer(body: .outcome(.failure(error)), entries: entries, isLarge: grant != nil)
        }
    }
}
