import EnclaveDesk
package import EnclaveInterface
package import KeychainModel

extension ForgetProofRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) { visit.desk.forget(proof) }
}

extension RequireProofRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        if let lack = try visit.enclave.state().lackOfOwner { throw lack }
        var credentials = credentials
        credentials.connection = visit.connection
        guard visit.desk.prove(scope, by: credentials) else {
            throw KeychainError(.interactionNotAllowed, "the owner has not agreed to it, or too long ago")
        }
    }
}

extension PresenceStatusRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PresenceStatus {
        try visit.enclave.presence.status()
    }
}

extension OpenContextRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PresenceContextID {
        // A program is told its groups in full. Within a process, groups keep nothing apart.
        guard visit.connection == 0 || !groups.contains(where: { $0.hasSuffix("*") }) else {
            throw KeychainError(.noPermission, "a context is for access groups that are named in full")
        }
        return try visit.desk.openContext(groups, on: visit.connection)
    }
}

extension CloseContextRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        visit.desk.closeContext(context, on: visit.connection)
    }
}

extension AnswerPasscodeRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer {
        try visit.desk.answer(question, typed: passcode)
    }
}

extension AnswerPasswordRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer {
        try visit.desk.answer(question, password: password)
    }
}

extension DeclineRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        visit.desk.decline(question, because: failure, of: abilities)
    }
}

extension SessionUnlockedRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) { visit.desk.sessionUnlocked() }
}

extension MatchedRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer {
        visit.desk.matched(question, by: factor)
    }
}

extension MismatchedRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer {
        visit.desk.mismatched(question, by: factor)
    }
}
