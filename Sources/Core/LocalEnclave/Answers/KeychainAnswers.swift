package import EnclaveInterface
package import KeychainModel

extension ServiceKeysRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> ServiceKeys {
        try visit.enclave.locking.serviceKeys()
    }
}

extension StateRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveState { try visit.enclave.state() }
}

extension LockRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.enclave.locking.lock() }
}

extension LogOutRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.enclave.locking.logOut() }
}
