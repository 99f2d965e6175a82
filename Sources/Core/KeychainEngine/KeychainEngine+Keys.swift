package import EnclaveInterface
package import KeychainModel
import KeychainVault

extension KeychainEngine {
    /// Asks to be told, in the middle of each change of the keychain's keys.
    package func observeKeys(_ observer: @escaping @Sendable (EnclaveState) -> Void) {
        vault.observe(observer)
    }

    /// What the enclave says of itself now.
    package func keyState() throws(KeychainError) -> EnclaveState {
        try vault.enclaveState()
    }

    /// Lets the database follow a change of keys, as far as it can now, and leaves nothing of before in the journal.
    package func followKeyChanges() {
        try? prepare()
        checkpointIfFree()
    }

    /// Takes in a change of keys, and drops those that are no longer there.
    package func refreshKeys(to state: EnclaveState) {
        vault.refresh(to: state)
    }
}
