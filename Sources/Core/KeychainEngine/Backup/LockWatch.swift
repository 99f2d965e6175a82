import EnclaveInterface
import KeychainModel
import KeychainVault

/// Ends what takes long and is about all items, once the keychain is locked, whichever classes it still needs: a lock does
/// not wait for a backup, and nothing that was open before goes out behind it.
struct LockWatch {
    private let vault: KeychainVault
    private let begun: EnclaveState

    init(_ vault: KeychainVault) {
        self.vault = vault
        begun = vault.state
    }

    /// Asks the enclave too.
    ///
    /// - Throws: `interactionNotAllowed` where a class has been locked since the beginning.
    func checkAnew() throws(KeychainError) {
        try vault.refresh()
        try check()
    }

    /// Goes by what is known here.
    func check() throws(KeychainError) {
        guard !vault.state.isLocked(since: begun) else {
            throw KeychainError(
                .interactionNotAllowed,
                "the keychain was locked meanwhile, and nothing was done; unlock it and begin again"
            )
        }
    }
}
