package import KeychainModel

extension KeychainEngine {
    /// The keychain as one program sees it. It never prompts for a proof that an operation lacks.
    package func keychain(of caller: Caller) -> some KeychainService {
        CallersKeychain(engine: self, caller: caller)
    }
}

private struct CallersKeychain: KeychainService {
    let engine: KeychainEngine
    let caller: Caller

    func perform(_ operation: KeychainOperation) throws(KeychainError) -> OperationResult {
        try engine.perform(operation, for: caller)
    }
}
