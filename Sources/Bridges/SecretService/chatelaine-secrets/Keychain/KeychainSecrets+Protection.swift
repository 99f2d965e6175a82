import KeychainModel
import SecretServiceModel

extension KeychainSecrets {
    /// Has items demand the owner's presence, or none.
    ///
    /// - Parameter context: in which the owner is asked once, where they demand it now.
    func setProtection(
        _ isProtected: Bool,
        of items: [SecretItemID],
        in context: any PresenceContext
    ) throws(KeychainError) {
        for id in items {
            var update = UpdateRequest(query: SecretLayout.query(.item(id)))
            update.changes.accessControl =
                isProtected ? try Self.presence() : AccessControl(bare: .afterFirstUnlock)
            update.authentication.context = context
            update.authentication.prompt.reason = "change what the Secret Service's items demand"
            do throws(KeychainError) {
                _ = try keychain.update(update)
            } catch  where error.code == .itemNotFound {
                // A client has deleted it meanwhile.
            }
        }
    }
}
