package import EnclaveInterface
import Glibc
package import KeychainModel
import KeychainVault

extension KeychainEngine {
    /// What the owner does with the enclave of a keychain that this process opens itself. Nothing keeps programs apart
    /// there, so that no passcode is asked for where none is set.
    ///
    /// - Throws: `unimplemented` where the enclave is another process's.
    package func ownerControl() throws(KeychainError) -> any EnclaveControl {
        try ownEnclave().control(isRoot: geteuid() == 0)
    }

    /// Unlocks it with a passcode that nobody has typed. A wrong one is neither counted nor followed by a delay: it would be
    /// brought again and again.
    ///
    /// - Throws: as `ownerControl`; `authenticationFailed` for a wrong one.
    package func unlockUnattended(_ passcode: SecretBytes) throws(KeychainError) {
        try ownEnclave().control(isRoot: true).unlock(passcode)
    }

    private func ownEnclave() throws(KeychainError) -> any InProcessEnclave {
        guard let enclave = vault.enclave.inProcess else {
            throw KeychainError(.unimplemented, "the keychain's enclave is asked by way of its own socket")
        }
        return enclave
    }
}
