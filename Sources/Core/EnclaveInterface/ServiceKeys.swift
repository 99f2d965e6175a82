package import Crypto
package import KeychainModel

/// The keys that code outside the enclave may hold: those that do not open a secret.
package struct ServiceKeys: Sendable {
    /// The keychain's UUID, keybag and generation when they were fetched, and what is locked.
    package var state: EnclaveState
    /// Present in every state.
    package let indexKey: SymmetricKey
    /// The metadata keys of the classes that are not locked: the newest, and during a rotation the one before it.
    package let metadata: [Accessibility: [SymmetricKey]]

    package init(state: EnclaveState, indexKey: SymmetricKey, metadata: [Accessibility: [SymmetricKey]]) {
        self.state = state
        self.indexKey = indexKey
        self.metadata = metadata
    }

    /// When they were fetched.
    package var epoch: UInt64 { state.epoch }
}
