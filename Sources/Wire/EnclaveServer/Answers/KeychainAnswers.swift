import EnclaveInterface
import EnclaveMessages
import KeychainModel

extension KeychainPresenceRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclavePresence {
        try visit.table.presence(of: visit.uid)
    }
}

extension CreateKeychainRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.table.create(for: visit.uid) }
}

extension ServiceKeysRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> ServiceKeys { try visit.enclave.serviceKeys() }
}

extension SleepRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { visit.table.lockForSleep() }
}

extension StateRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveState { try visit.enclave.state() }
}

extension LockRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.enclave.lock() }
}

extension LogOutRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.enclave.logOut() }
}
