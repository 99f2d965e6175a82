import Crypto
import EnclaveInterface
package import KeychainModel

extension KeychainVault {
    /// Opens the secrets of items whose attributes are open, with one question to the enclave.
    ///
    /// - Returns: for each, in their order, its secret; `undecodable` where it is not as it was sealed;
    ///   `interactionNotAllowed` while its class is locked, and, with the `PresenceNeed`, where its owner has to be
    ///   asked.
    package func openSecrets(
        of items: [OpenedItem],
        with authentication: ItemAuthentication = ItemAuthentication()
    ) throws(KeychainError) -> [Result<OpenedSecrets, KeychainError>] {
        guard !items.isEmpty else { return [] }
        let wrapped = items.map { WrappedItemKey(binding: $0.row.binding, box: $0.row.wrappedKey) }
        let itemKeys = try keys.enclave.unwrap(
            wrapped,
            with: Self.credentials(authentication, for: items.map(\.accessControl))
        )
        guard itemKeys.count == items.count else {
            throw KeychainError(.internalError, "the enclave unwrapped another number of keys")
        }
        return zip(items, itemKeys).map { item, key in
            Result { () throws(KeychainError) in try open(item.row, under: key.get()) }
        }
    }

    /// A password is looked at only where an item needs one: a password that no item needs may be anything.
    static func credentials(
        _ authentication: ItemAuthentication,
        for controls: [AccessControl]
    ) throws(KeychainError) -> ItemCredentials {
        guard controls.contains(where: { !$0.isUnconstrained }) else { return .none }
        var credentials = ItemCredentials(proofs: Array(authentication.proofs.suffix(ItemCredentials.mostProofs)))
        if let password = authentication.applicationPassword, controls.contains(where: \.needsApplicationPassword) {
            credentials.applicationPassword = try ApplicationPassword(password)
        }
        return credentials
    }

    private func open(_ row: SealedRow, under key: SymmetricKey) throws(KeychainError) -> OpenedSecrets {
        let data = AssociatedData(row.binding, keychain: keys.keychain).bytes(for: .secret)
        guard let plaintext = openSecret(row, under: key, data: data), let secrets = SecretCodec.decode(plaintext)
        else { throw Self.damaged }
        return secrets
    }
}
