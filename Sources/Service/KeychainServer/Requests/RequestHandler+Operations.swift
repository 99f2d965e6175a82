import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Does one operation, and asks the keychain's owner for what it lacks.
    func perform(
        _ operation: KeychainOperation,
        in visit: Visit,
        _ state: ConnectionState,
        grant: inout MemoryBudget.Grant?,
        sendPart: Sender
    ) -> Answer {
        var pages: PagedAnswer?
        let result = Result { () throws(KeychainError) in
            try performAsking(operation, in: visit, state, &grant, &pages, sendPart)
        }
        visit.pass.enter()
        counter.count { $0.operations += 1 }
        visit.keychain.watchers.tell(of: operation, result)
        return Answer(
            body: .outcome(result),
            entries: [operation.auditEntry(of: result, after: pages?.sent, in: visit)],
            isLarge: grant != nil
        )
    }

    private func performAsking(
        _ operation: KeychainOperation,
        in visit: Visit,
        _ state: ConnectionState,
        _ grant: inout MemoryBudget.Grant?,
        _ pages: inout PagedAnswer?,
        _ sendPart: Sender
    ) throws(KeychainError) -> OperationResult {
        let (keychain, stream) = (visit.keychain, visit.peer.stream)
        var rounds = PresenceRounds(
            operation,
            of: state.asker,
            in: operation.authentication.usesContext ? state.session : nil,
            enclave: { () throws(KeychainError) in
                try keychain.withEngine { (engine) throws(KeychainError) in engine.enclave }
            },
            isWanted: { stream.isWaiting }
        )
        var deadline = visit.deadline
        visit.pass.enter()
        while true {
            do throws(KeychainError) {
                return try attempt(rounds.operation, in: visit, before: deadline, &grant, &pages, sendPart: sendPart)
            } catch {
                let question = try rounds.question(after: error)
                // Neither a lock nor anybody else waits for a person.
                visit.pass.leave()
                pages?.pause()
                grant = nil
                try sendPart(.prompting, limits.answerTime)
                try rounds.ask(question)
                deadline = .now + limits.patience
                visit.pass.enter()
                try stream.confirm()
            }
        }
    }

    /// Does an operation as a whole or, where that is too long, in pages.
    ///
    /// - Parameter pages: how far the pages have come, also where this throws.
    private func attempt(
        _ operation: KeychainOperation,
        in visit: Visit,
        before deadline: ContinuousClock.Instant,
        _ grant: inout MemoryBudget.Grant?,
        _ pages: inout PagedAnswer?,
        sendPart: Sender
    ) throws(KeychainError) -> OperationResult {
        if pages == nil {
            var extent: MemoryAllowance.Extent?
            func isTooLong(_ found: MemoryAllowance.Extent) -> Bool {
                guard operation.traits.isSearch, found.bytes > min(limits.pageSize, limits.answerSize) else {
                    return false
                }
                extent = found
                return true
            }
            do throws(KeychainError) {
                return try withMemory(&grant, of: visit.share, before: deadline, isTooLong: isTooLong) {
                    (allowance, _) throws(KeychainError) in
                    if operation.traits.isSearch { try visit.share.searches.enter(before: deadline) }
                    defer { if operation.traits.isSearch { visit.share.searches.leave() } }
                    return try visit.keychain.withEngine(makesKeychain: operation.traits.makesKeychain) {
                        (engine) throws(KeychainError) in
                        try engine.perform(operation, for: visit.peer.caller, within: allowance)
                    }
                }
            } catch {
                guard let extent else { throw error }
                pages = PagedAnswer(goingThrough: extent, limits)
            }
        }
        return try sendPages(of: &pages, to: operation, in: visit, &grant, sendPart: sendPart)
    }

    /// Does many operations in one transaction.
    func perform(
        _ operations: [KeychainOperation],
        allOrNothing: Bool = false,
        in visit: Visit,
        grant: inout MemoryBudget.Grant?
    ) -> Answer {
        // An empty batch makes a keychain where there is none.
        let makesKeychain = operations.isEmpty || operations.contains(where: \.traits.makesKeychain)
        do throws(KeychainError) {
            let results = try withMemory(&grant, of: visit.share, before: visit.deadline) {
                (allowance, isLast) throws(KeychainError) in
                try visit.share.searches.enter(before: visit.deadline)
                defer { visit.share.searches.leave() }
                return try visit.keychain.withEngine(makesKeychain: makesKeychain) { (engine) throws(KeychainError) in
                    try engine.perform(
                        operations,
                        allOrNothing: allOrNothing,
                        for: visit.peer.caller,
                        within: allowance,
                        isLast: isLast
                    )
                }
            }
            for (operation, result) in zip(operations, results) {
                counter.count { $0.operations += 1 }
                if case .failure = result { counter.count { $0.failures += 1 } }
                visit.keychain.watchers.tell(of: operation, result)
            }
            let entries = zip(operations, results).map { $0.auditEntry(of: $1, in: visit) }
            return Answer(body: .batch(results), entries: entries, isLarge: grant != nil)
        } catch {
            let entries = operations.map { $0.auditEntry(of: .failure(error), in: visit) }
            return Answer(body: .outcome(.failure(error)), entries: entries, isLarge: grant != nil)
        }
    }
}
