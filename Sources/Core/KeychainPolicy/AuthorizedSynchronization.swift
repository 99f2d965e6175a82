package import EnclaveInterface
package import KeychainModel

/// The authorization to share a keychain's synchronizable items with its owner's other devices, whatever their access groups.
///
/// The owner has given it to the enclave, when this device came into its circle: nothing is sealed for the circle, nor opened, without
/// the enclave.
package struct AuthorizedSynchronization: Sendable {
    fileprivate let backup: AuthorizedBackup

    fileprivate init() {
        backup = AuthorizedBackup(holdsDeviceItems: false)
    }

    /// Whether an item travels.
    package func shares(
        _ itemClass: ItemClass,
        accessGroup: String,
        isSynchronizable: Bool,
        protection: (accessibility: Accessibility, accessControl: AccessControl),
        attributes: AttributeList
    ) -> Bool {
        guard isSynchronizable else { return false }
        let share = backup.share(
            of: itemClass,
            accessGroup: accessGroup,
            protection: protection,
            isTombstone: false,
            attributes: attributes
        )
        if case .migrates = share { return true }
        return false
    }
}

extension KeychainPolicy {
    package func authorizeSynchronization() -> AuthorizedSynchronization { AuthorizedSynchronization() }

    /// What changes a circle here, and the enclave has no part in.
    ///
    /// - Parameter token: says that the owner has allowed it; it is used up.
    /// - Throws: `authenticationFailed`.
    package func requireSynchronization(
        _ token: AuthorizationToken,
        by enclave: any Enclave
    ) throws(KeychainError) {
        try enclave.redeem(token, for: .synchronize)
    }

    /// Judges an item that another device has sent as if its owner's program added it.
    ///
    /// - Throws: as for an item out of a backup; `unimplemented` for one that does not travel.
    package func authorize(
        _ item: BackupItem,
        with authorization: AuthorizedSynchronization
    ) throws(KeychainError) -> AuthorizedRestoredItem {
        let isShared = authorization.shares(
            item.itemClass,
            accessGroup: item.accessGroup,
            isSynchronizable: item.isSynchronizable,
            protection: (item.accessibility, item.accessControl),
            attributes: item.attributes
        )
        guard isShared else { throw KeychainError(.unimplemented, "another device sent an item that does not travel") }
        return try authorize(item)
    }
}
