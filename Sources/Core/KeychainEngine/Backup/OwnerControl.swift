package import EnclaveInterface
import Glibc
package import KeychainModel
import KeychainVault
import LocalEnclave

extension KeychainEngine {
    /// What the owner does with the enclave of a keychain that this process opens itself. Nothing keeps programs apart
    /// there, so that no passcode is asked for where none is set.
    ///
    /// - Throws: `unimplemented` where the enclave is another process's.
    package func ownerControl() throws(KeychainError) -> any EnclaveControl {
        LocalControl(try ownEnclave(), for: geteuid() == 0 ? .administrator : .owner, keepsProgramsApart: false)
    }

    /// Unlocks it with a passcode that nobody has typed. A wrong one is neither counted nor followed by a delay: it would be
    /// brought again and again.
    ///
    /// - Throws: as `ownerControl`; `authenticationFailed` for a wrong one.
    package func unlockUnattended(_ passcode: SecretBytes) throws(KeychainError) {
        try LocalControl(try ownEnclave(), for: .administrator, keepsProgramsApart: false).unlock(passcode)
    }

    private func ownEnclave() throws(KeychainError) -> LocalEnclave {
        guard let enclave = vault.enclave as? LocalEnclave else {
            throw KeychainError(.unimplemented, "the keychain's enclave is asked by way of its own socket")
        }
        return enclave
    }
}
