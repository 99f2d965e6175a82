import EnclaveInterface
import EnclaveMessages
import KeychainModel
import Presence

extension ForgetProofRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.enclave.forget(proof) }
}

extension PresenceStatusRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PresenceStatus {
        try visit.table.presenceStatus(of: visit.uid)
    }
}

extension OpenContextRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PresenceContextID {
        // A program is told its groups in full.
        guard !groups.contains(where: { $0.hasSuffix("*") }) else {
            throw KeychainError(.noPermission, "a context is for access groups that are named in full")
        }
        return try visit.desk.openContext(groups, on: visit.connection)
    }
}

extension CloseContextRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.desk.closeContext(context, on: visit.connection)
    }
}

extension AnswerPasscodeRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer {
        try visit.desk.answer(question, typed: passcode)
    }
}

extension AnswerPasswordRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer {
        try visit.desk.answer(question, password: password)
    }
}

extension DeclineRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.desk.decline(question, because: failure, of: abilities)
    }
}

extension SessionUnlockedRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.desk.sessionUnlocked() }
}

extension FingerMatchedRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer { try visit.desk.matched(question) }
}

extension FingerMismatchedRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> PromptAnswer { try visit.desk.mismatched(question) }
}
