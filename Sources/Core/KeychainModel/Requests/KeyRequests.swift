/// A wish for a new private key that never leaves the enclave.
package struct MakeKeyRequest: Sendable {
    package var algorithm = EnclaveKeyAlgorithm.p256
    /// Nil for the caller's first.
    package var accessGroup: String?
    /// Nil for an item's default without demands.
    package var accessControl: AccessControl?
    package var authentication = ItemAuthentication()

    package init() {}
}

/// What a private key of the enclave is to do.
package struct UseKeyRequest: Sendable {
    package var key: EnclaveKey
    package var use: KeyUse
    package var authentication = ItemAuthentication()

    package init(key: EnclaveKey, use: KeyUse) {
        self.key = key
        self.use = use
    }
}
