package import KeychainModel

extension OperationOutcome {
    package static func items(_ items: [FoundItem], explanation: [String] = []) -> OperationOutcome {
        .success(OperationResult(.items(items), explanation: explanation))
    }

    package static func count(_ count: Int, explanation: [String] = []) -> OperationOutcome {
        .success(OperationResult(.count(count), explanation: explanation))
    }

    package static func key(_ key: EnclaveKey) -> OperationOutcome { .success(OperationResult(.key(key))) }

    package static func secret(_ secret: SecretBytes) -> OperationOutcome { .success(OperationResult(.secret(secret))) }

    package static func failed(_ error: KeychainError) -> OperationOutcome { .failure(error) }

    /// Nil where it has none.
    package var answer: OperationResult.Answer? { try? get().answer }

    /// Nil where it is no failure.
    package var error: KeychainError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension KeychainOperation {
    /// The same operation, which asks why nothing matched.
    package var explained: KeychainOperation {
        var operation = self
        operation.query?.wantsExplanation = true
        return operation
    }
}
