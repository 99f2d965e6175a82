import EnclaveInterface
package import KeychainModel
package import KeychainPolicy

extension KeychainVault {
    /// Has the enclave make a private key.
    ///
    /// - Throws: what the enclave refuses it with.
    package func makeKey(_ key: AuthorizedNewKey) throws(KeychainError) -> EnclaveKey {
        let control = key.protection.accessControl
        return try keys.enclave.makeKey(
            EnclaveKeyTemplate(key.algorithm, accessGroup: key.accessGroup, accessControl: control),
            with: Self.credentials(key.authentication, forUseUnder: control)
        )
    }

    /// Has the enclave use a private key.
    ///
    /// - Throws: what the enclave refuses it with.
    package func use(_ use: AuthorizedKeyUse) throws(KeychainError) -> SecretBytes {
        try keys.enclave.use(
            use.key,
            for: use.use,
            with: Self.credentials(use.authentication, forUseUnder: use.key.header.accessControl)
        )
    }

    private static func credentials(
        _ authentication: ItemAuthentication,
        forUseUnder control: AccessControl
    ) throws(KeychainError) -> ItemCredentials {
        guard control.keyUseDemand != .nothing || control.keyUseNeedsApplicationPassword else { return .none }
        var credentials = ItemCredentials(proofs: Array(authentication.proofs.suffix(ItemCredentials.mostProofs)))
        if control.keyUseNeedsApplicationPassword, let password = authentication.applicationPassword {
            credentials.applicationPassword = try ApplicationPassword(password)
        }
        return credentials
    }
}
