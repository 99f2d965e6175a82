package import EnclaveInterface
package import KeychainModel

extension KeychainVault {
    /// Asks to be told, in the middle of each change of keys.
    package func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void) {
        keys.enclave.observe(observer)
    }

    package func enclaveState() throws(KeychainError) -> EnclaveState {
        try keys.enclave.state()
    }

    /// Takes in a change of keys. What is locked goes, whether the enclave answers or not.
    package func refresh(to state: EnclaveState) {
        keys.drop(allBut: state)
        try? keys.refresh()
    }
}
