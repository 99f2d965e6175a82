extension AttributeList {
    /// - Throws: `unimplemented` for the attributes of a key of which there are no objects: a symmetric one.
    package func requireAsymmetricKey() throws(KeychainError) {
        guard self[.keyClass] == .integer(2) else { return }
        throw KeychainError(.unimplemented, "there are no objects of symmetric keys")
    }

    /// Whether an item's key is in the Secure Enclave.
    package var isInEnclave: Bool { self[.tokenID] == .string(EnclaveKey.tokenID) }
}
