package import KeychainModel

/// A private key that its caller may have the enclave make: group and protection are decided.
package struct AuthorizedNewKey: Sendable {
    package let algorithm: EnclaveKeyAlgorithm
    package let accessGroup: String
    package let protection: Protection
    package let authentication: ItemAuthentication
}

/// What a caller may have a private key of the enclave's do.
package struct AuthorizedKeyUse: Sendable {
    package let key: EnclaveKey
    package let use: KeyUse
    package let authentication: ItemAuthentication
}

extension KeychainPolicy {
    /// - Throws: `missingEntitlement` for a group that is not the caller's; `invalidParameter` for an access control with
    ///   demands that are not for key use: they would guard nothing; `authenticationFailed` where a passcode would be
    ///   needed; `notAvailable` for what cannot be proved here.
    package func authorize(_ request: MakeKeyRequest, for caller: Caller) throws(KeychainError) -> AuthorizedNewKey {
        let group = try group(for: caller, requested: request.accessGroup)
        let control = request.accessControl ?? AccessControl(bare: ItemClass.key.defaultAccessibility(in: group))
        guard control.isForKeyUse || control.isUnconstrained else {
            throw KeychainError(
                .invalidParameter,
                "the access control of a key in the Secure Enclave needs privateKeyUsage beside its constraints"
            )
        }
        guard group.utf8.count <= EnclaveKey.longestGroup else {
            throw KeychainError(.dataTooLarge, "the access group is too long for a key in the Secure Enclave")
        }
        return AuthorizedNewKey(
            algorithm: request.algorithm,
            accessGroup: group,
            protection: try protection(
                accessibility: nil,
                accessControl: control,
                default: ItemClass.key.defaultAccessibility,
                of: .key,
                isSynchronizable: false,
                isEnclaveKey: true
            ),
            authentication: request.authentication
        )
    }

    /// - Throws: `missingEntitlement` for a key of a group that is not the caller's; `invalidParameter` for what no such key
    ///   can do; `dataTooLarge` for a message that is too long.
    package func authorize(_ request: UseKeyRequest, for caller: Caller) throws(KeychainError) -> AuthorizedKeyUse {
        guard caller.groups.contains(request.key.header.accessGroup) else {
            throw KeychainError(.missingEntitlement, "the key is of an access group that is not among the program's")
        }
        try request.use.require(of: request.key.kind.algorithm)
        return AuthorizedKeyUse(key: request.key, use: request.use, authentication: request.authentication)
    }

    /// What is stored of a key of the enclave's: a reference to it, with the key's own protection in the key's own group.
    ///
    /// - Throws: `invalidParameter` for anything else that says that it is in the Secure Enclave.
    func enclaveKey(in request: AddRequest, for group: String) throws(KeychainError) -> EnclaveKey {
        guard let value = request.secrets[.valueData],
            let key = unsafe value.withUnsafeBytes({ unsafe EnclaveKey(Array($0)) })
        else {
            throw KeychainError(.invalidParameter, "an item with the Secure Enclave's token needs a key of it")
        }
        guard key.kind.algorithm == .p256 else {
            throw KeychainError(.invalidParameter, "the keys in the Secure Enclave that are items are P-256")
        }
        guard key.header.accessGroup.utf8.elementsEqual(group.utf8) else {
            throw KeychainError(
                .invalidParameter,
                "a key in the Secure Enclave is stored in the access group that it was made for"
            )
        }
        guard !request.isSynchronizable,
            (request.accessControl ?? key.header.accessControl) == key.header.accessControl,
            (request.accessibility ?? key.header.accessibility) == key.header.accessibility
        else {
            throw KeychainError(
                .invalidParameter,
                "a key in the Secure Enclave is stored as it was made to be protected"
            )
        }
        return key
    }
}
