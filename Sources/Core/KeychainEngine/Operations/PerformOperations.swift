package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Does one operation, and tells which rows it was about.
    ///
    /// - Parameter size: the stored bytes that a search may answer with.
    /// - Throws: `dataTooLarge` where it would be more.
    package func perform(
        _ operation: ItemOperation,
        for caller: Caller,
        answeringAtMost size: Int = .max
    ) throws(KeychainError) -> OperationResult {
        if let result = try performOnKey(operation, for: caller) { return result }
        return try removingLostRows { () throws(KeychainError) in
            try performOne(operation, for: caller, answeringAtMost: size)
        }
    }

    private func performOne(
        _ operation: ItemOperation,
        for caller: Caller,
        answeringAtMost size: Int
    ) throws(KeychainError) -> OperationResult {
        guard case .find(let request) = operation else {
            return try write { () throws(KeychainError) in
                let step = try Step(operation, for: caller, engine: self)
                return { (transaction) throws(KeychainError) in
                    try step.result(in: transaction, AnswerSize(most: size))
                }
            }
        }
        return try read { () throws(KeychainError) in
            let search = try step(toFind: request, for: caller)
            return try store.read(snapshot: search.needsSnapshot) { (transaction) throws(KeychainError) in
                try Step.search(search).result(ofSearch: search, in: transaction, AnswerSize(most: size))
            }
        }
    }

    /// Does many operations in their order and in one transaction. One that fails changes nothing, and does not keep the
    /// others from being done.
    ///
    /// - Parameter size: the stored bytes that all searches together may answer with; those that would take more fail.
    /// - Returns: what came of each.
    /// - Throws: what storage fails with as a whole; then nothing was done.
    package func perform(
        _ operations: [ItemOperation],
        for caller: Caller,
        answeringAtMost size: Int = .max
    ) throws(KeychainError) -> [Result<OperationResult, KeychainError>] {
        try removingLostRows { () throws(KeychainError) in
            try performAll(operations, for: caller, answeringAtMost: size)
        }
    }

    private func performAll(
        _ operations: [ItemOperation],
        for caller: Caller,
        answeringAtMost size: Int
    ) throws(KeychainError) -> [Result<OperationResult, KeychainError>] {
        func steps() -> [Result<Step, KeychainError>] {
            operations.map { operation in
                Result { () throws(KeychainError) in try Step(operation, for: caller, engine: self) }
            }
        }
        let onlySearches = operations.allSatisfy { if case .find = $0 { true } else { false } }
        if onlySearches {
            return try read { () throws(KeychainError) in
                let steps = steps()
                return try store.read(snapshot: true) { (transaction) throws(KeychainError) in
                    let answer = AnswerSize(most: size)
                    return steps.map { step in
                        step.flatMap { step in
                            Result { () throws(KeychainError) in
                                guard case .search(let search) = step else {
                                    throw KeychainError(.internalError, "not a search")
                                }
                                return try step.result(ofSearch: search, in: transaction, answer)
                            }
                        }
                    }
                }
            }
        }
        return try write { () throws(KeychainError) in
            // What needs no transaction is done before it, since others wait for the lock.
            let steps = steps()
            return { (transaction) throws(KeychainError) in
                try Self.results(of: steps, in: transaction, answeringAtMost: size)
            }
        }
    }

    private static func results(
        of steps: [Result<Step, KeychainError>],
        in transaction: WriteTransaction,
        answeringAtMost size: Int
    ) throws(KeychainError) -> [Result<OperationResult, KeychainError>] {
        // It may run again, and counts anew then.
        let answer = AnswerSize(most: size)
        var results: [Result<OperationResult, KeychainError>] = []
        for step in steps {
            let result = step.flatMap { step in
                Result { () throws(KeychainError) in
                    try transaction.attempt { () throws(KeychainError) in try step.result(in: transaction, answer) }
                }
            }
            if case .failure(let error) = result, !transaction.isOpen { throw error }
            results.append(result)
        }
        return results
    }
}

/// An operation that policy has allowed, and whose new item is sealed.
private enum Step {
    case search(KeychainEngine.SearchStep)
    case items((WriteTransaction) throws(KeychainError) -> [FoundItem])
    case count((WriteTransaction) throws(KeychainError) -> Int)

    init(_ operation: ItemOperation, for caller: Caller, engine: KeychainEngine) throws(KeychainError) {
        switch operation {
        case .add(let request):
            let add = try engine.step(toAdd: request, for: caller)
            self = .items { (transaction) throws(KeychainError) in try add(transaction).map { [$0] } ?? [] }
        case .find(let request): self = .search(try engine.step(toFind: request, for: caller))
        case .update(let request): self = .count(try engine.step(toUpdate: request, for: caller))
        case .delete(let request): self = .count(try engine.step(toDelete: request, for: caller))
        case .makeKey, .useKey:
            throw KeychainError(
                .invalidParameter,
                "private keys are used by themselves, and not among other operations"
            )
        }
    }

    func result(in transaction: WriteTransaction, _ size: AnswerSize) throws(KeychainError) -> OperationResult {
        let before = transaction.changedRows.count
        let answer: OperationResult.Answer
        switch self {
        case .search(let search): return try result(ofSearch: search, in: transaction.reading, size)
        case .items(let body): answer = .items(try body(transaction))
        case .count(let body): answer = .count(try body(transaction))
        }
        return OperationResult(answer: answer, rows: Array(transaction.changedRows.dropFirst(before)))
    }

    func result(
        ofSearch search: KeychainEngine.SearchStep,
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
        return OperationResult(answer: .items(items), rows: rows)
    }
}

/// Counts what an answer is made of. It lives within one call.
private final class AnswerSize {
    private let most: Int
    fileprivate var size = 0

    init(most: Int) {
        self.most = most
    }

    func add(_ row: SealedRow) throws(KeychainError) {
        size += 256 + row.metadata.count + row.secret.count
        guard size <= most else {
            throw KeychainError(.dataTooLarge, "the answer would be too large; ask for less at once")
        }
    }
}
