package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Does one operation. Every caller's request comes in here, or in the two that do several at once and one in pages.
    ///
    /// - Parameter allowance: what rows may take in memory; nil for as much as they do.
    /// - Throws: `dataTooLarge` where they would take more; then nothing has changed, and the allowance knows how much.
    package func perform(
        _ operation: KeychainOperation,
        for caller: Caller,
        within allowance: MemoryAllowance? = nil
    ) throws(KeychainError) -> OperationResult {
        var result = try removingLostRows { () throws(KeychainError) in
            try performOne(operation, for: caller, within: allowance)
        }
        explain(&result, of: operation, for: caller)
        return result
    }

    private func performOne(
        _ operation: KeychainOperation,
        for caller: Caller,
        within allowance: MemoryAllowance?
    ) throws(KeychainError) -> OperationResult {
        let traits = operation.traits
        guard traits.change != nil else {
            return try read { () throws(KeychainError) in
                switch try Step(operation, for: caller, engine: self) {
                case .key(let body): return try body()
                case .search(let search):
                    return try store.read(snapshot: search.needsSnapshot, within: allowance) {
                        (transaction) throws(KeychainError) in
                        try Step.result(of: search, in: transaction, AnswerSize(allowance))
                    }
                case .add, .change: throw Step.isMisplaced
                }
            }
        }
        return try write(usesReserve: traits.makesRoom) { () throws(KeychainError) in
            let step = try Step(operation, for: caller, engine: self)
            return { (transaction) throws(KeychainError) in
                transaction.allowance = allowance
                defer { transaction.allowance = nil }
                return try step.result(in: transaction, AnswerSize(allowance))
            }
        }
    }

    /// Does many operations in their order and in one transaction. One that fails changes nothing, and does not keep the
    /// others from being done, unless all are to be done or none.
    ///
    /// - Parameters:
    ///   - allOrNothing: whether one that fails undoes the others, and its error is thrown.
    ///   - allowance: what rows may take in memory, those of all answers together; nil for as much as they do.
    ///   - isLast: whether operations that would take more fail, and not all of them.
    /// - Returns: what came of each.
    /// - Throws: what storage fails with as a whole, and `dataTooLarge`; then nothing was done.
    package func perform(
        _ operations: [KeychainOperation],
        allOrNothing: Bool = false,
        for caller: Caller,
        within allowance: MemoryAllowance? = nil,
        isLast: Bool = true
    ) throws(KeychainError) -> [OperationOutcome] {
        let results = try removingLostRows { () throws(KeychainError) in
            try performAll(operations, allOrNothing: allOrNothing, for: caller, allowance, isLast: isLast)
        }
        return zip(operations, results).map { operation, result in
            result.map { result in
                var result = result
                explain(&result, of: operation, for: caller)
                return result
            }
        }
    }

    private func performAll(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        for caller: Caller,
        _ allowance: MemoryAllowance?,
        isLast: Bool
    ) throws(KeychainError) -> [OperationOutcome] {
        // A failure that is everybody's.
        func endsAll() -> Bool { allOrNothing || (!isLast && allowance?.lacking != nil) }
        func steps() -> [Result<Step, KeychainError>] {
            operations.map { operation in
                Result { () throws(KeychainError) in try Step(operation, for: caller, engine: self) }
            }
        }
        let onlySearches = operations.allSatisfy(\.traits.isSearch)
        if onlySearches {
            return try read { () throws(KeychainError) in
                let steps = steps()
                return try store.read(snapshot: true, within: allowance) { (transaction) throws(KeychainError) in
                    let answer = AnswerSize(allowance)
                    var results: [OperationOutcome] = []
                    for step in steps {
                        let result = step.flatMap { step in
                            Result { () throws(KeychainError) in
                                guard case .search(let search) = step else { throw Step.isMisplaced }
                                return try Step.result(of: search, in: transaction, answer)
                            }
                        }
                        if endsAll() { _ = try result.get() }
                        results.append(result)
                    }
                    return results
                }
            }
        }
        // Each has to fit by itself, and what makes room may always be done.
        return try write(usesReserve: true) { () throws(KeychainError) in
            // What needs no transaction is done before it, since others wait for the lock.
            let steps = zip(steps(), operations.map(\.traits.makesRoom)).map { ($0, usesReserve: $1) }
            return { (transaction) throws(KeychainError) in
                transaction.allowance = allowance
                defer { transaction.allowance = nil }
                return try Self.results(of: steps, in: transaction, AnswerSize(allowance), endsAll: endsAll)
            }
        }
    }

    private static func results(
        of steps: [(step: Result<Step, KeychainError>, usesReserve: Bool)],
        in transaction: WriteTransaction,
        _ answer: AnswerSize,
        endsAll: () -> Bool
    ) throws(KeychainError) -> [OperationOutcome] {
        var results: [OperationOutcome] = []
        for (step, usesReserve) in steps {
            let result = step.flatMap { step in
                Result { () throws(KeychainError) in
                    try transaction.attempt { () throws(KeychainError) in
                        try transaction.limited(usesReserve: usesReserve) { () throws(KeychainError) in
                            try step.result(in: transaction, answer)
                        }
                    }
                }
            }
            if case .failure(let error) = result, !transaction.isOpen || endsAll() { throw error }
            results.append(result)
        }
        return results
    }
}

/// An operation that policy has allowed, and whose new item is sealed.
private enum Step {
    case search(KeychainEngine.SearchStep)
    case add((WriteTransaction) throws(KeychainError) -> FoundItem?)
    /// Gives the number of items that match.
    case change((WriteTransaction) throws(KeychainError) -> Int)
    /// Needs no transaction, and is no part of one.
    case key(() throws(KeychainError) -> OperationResult)

    static let isMisplaced = KeychainError(
        .invalidParameter,
        "private keys are used by themselves, and not among other operations"
    )

    /// The one place where the engine tells operations apart.
    init(_ operation: KeychainOperation, for caller: Caller, engine: KeychainEngine) throws(KeychainError) {
        let caller = try engine.policy.caller(of: operation, caller, by: engine.enclave)
        switch operation.action {
        case .add(let request): self = .add(try engine.step(toAdd: request, for: caller))
        case .find(let request): self = .search(try engine.step(toFind: request, for: caller))
        case .update(let request): self = .change(try engine.step(toUpdate: request, for: caller))
        case .delete(let request): self = .change(try engine.step(toDelete: request, for: caller))
        case .makeKey(let request):
            self = .key { () throws(KeychainError) in try engine.makeKey(request, for: caller) }
        case .useKey(let request):
            self = .key { () throws(KeychainError) in try engine.useKey(request, for: caller) }
        }
    }

    func result(in transaction: WriteTransaction, _ size: AnswerSize) throws(KeychainError) -> OperationResult {
        let before = transaction.changedRows.count
        let answer: OperationResult.Answer
        switch self {
        case .search(let search): return try Self.result(of: search, in: transaction.reading, size)
        case .add(let body): answer = .items(try body(transaction).map { [$0] } ?? [])
        case .change(let body): answer = .count(try body(transaction))
        case .key: throw Self.isMisplaced
        }
        return OperationResult(answer, rows: Array(transaction.changedRows.dropFirst(before)))
    }

    static func result(
        of search: KeychainEngine.SearchStep,
        in transaction: ReadTransaction,
        _ size: AnswerSize
    ) throws(KeychainError) -> OperationResult {
        var rows: [AffectedRow] = []
        let before = size.size
        var isAnswered = false
        // What is not answered with takes no room of the others'.
        defer { if !isAnswered { size.size = before } }
        let items = try search.body(transaction) { (row) throws(KeychainError) in
            try size.add(row)
            rows.append(AffectedRow(row))
        }
        isAnswered = true
        return OperationResult(.items(items), rows: rows)
    }
}

/// Counts what an answer is made of. It lives within one call.
private final class AnswerSize {
    private let allowance: MemoryAllowance?
    fileprivate var size = 0

    init(_ allowance: MemoryAllowance?) {
        self.allowance = allowance
    }

    func add(_ row: SealedRow) throws(KeychainError) {
        size += MemoryAllowance.rowOverhead + row.metadata.count + row.secret.count
        try allowance?.admit(answer: size)
    }
}
