package import KeychainModel

extension KeychainEngine {
    /// The keychain as one program sees it. It never prompts for a proof that an operation lacks, and keeps no record of who
    /// asked on behalf of whom.
    package func keychain(of caller: Caller) -> some KeychainService {
        CallersKeychain(engine: self, caller: caller)
    }
}

private struct CallersKeychain: KeychainService {
    let engine: KeychainEngine
    let caller: Caller

    func perform(
        _ operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult {
        try engine.perform(operation, for: caller)
    }

    func performTogether(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        onBehalfOf program: String?
    ) throws(KeychainError) -> [OperationOutcome] {
        try engine.perform(operations, allOrNothing: allOrNothing, for: caller)
    }
}
