import KeychainModel
import SecretServiceModel

extension KeychainSecrets {
    /// Has items demand the owner's presence, or none. Where they demand it now, the owner is asked once.
    func setProtection(_ isProtected: Bool, of items: [SecretItemID]) throws(KeychainError) {
        let context = try keychain.makeContext()
        for id in items {
            var update = UpdateRequest(query: SecretLayout.query(.item(id)))
            update.changes.accessControl =
                isProtected ? try Self.presence() : AccessControl(bare: .afterFirstUnlock)
            update.authentication.context = context
            update.authentication.prompt.reason = "change what the Secret Service's items demand"
            _ = try keychain.update(update)
        }
    }
}
