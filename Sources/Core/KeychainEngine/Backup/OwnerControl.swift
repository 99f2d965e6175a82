import Glibc
package import KeychainEnclave
package import KeychainModel
import KeychainVault

extension KeychainEngine {
    /// What the owner does with the enclave of a keychain that this process opens itself. Nothing keeps programs apart
    /// there, so that no passcode is asked for where none is set.
    ///
    /// - Throws: `unimplemented` where the enclave is another process's.
    package func ownerControl() throws(KeychainError) -> any EnclaveControl {
        guard let enclave = vault.enclave as? LocalEnclave else {
            throw KeychainError(.unimplemented, "the keychain's enclave is asked by way of its own socket")
        }
        return LocalControl(enclave, for: geteuid() == 0 ? .administrator : .owner, keepsProgramsApart: false)
    }
}
