package import KeychainModel

extension KeychainEngine {
    /// The keychain as one program sees it. It never prompts for a proof that an operation lacks.
    package func keychain(of caller: Caller) -> some KeychainService {
        CallersKeychain(engine: self, caller: caller)
    }

    /// Does several operations in one transaction, all of them or none.
    ///
    /// - Throws: the error of the first that fails; then nothing has changed.
    package func transact(
        _ operations: [KeychainOperation],
        for caller: Caller
    ) throws(KeychainError) -> [OperationResult] {
        try perform(operations, allOrNothing: true, for: caller).map { (outcome) throws(KeychainError) in
            try outcome.get()
        }
    }
}

private struct CallersKeychain: KeychainService {
    let engine: KeychainEngine
    let caller: Caller

    func perform(_ operation: KeychainOperation) throws(KeychainError) -> OperationResult {
        try engine.perform(operation, for: caller)
    }

    func transact(_ operations: [KeychainOperation]) throws(KeychainError) -> [OperationResult] {
        try engine.transact(operations, for: caller)
    }
}
