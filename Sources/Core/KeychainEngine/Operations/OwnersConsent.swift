import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

/// What an owner agrees to item by item, beside the view of all items.
extension KeychainEngine {
    /// Before secrets are opened that are another program's. What is public is seen as attributes are.
    func requireOwner(of items: [OpenedItem], toRead find: AuthorizedFind) throws(KeychainError) {
        guard find.authentication.isOwners, !find.selection.query.itemClass.dataIsPublic else { return }
        try policy.requireOwner(
            of: items.map { GuardedItem($0.row.uuid, in: $0.row.accessGroup) },
            find.authentication,
            by: vault.enclave,
            reason: Self.reason("Show the secret of", items.map(\.attributes.title))
        )
    }

    /// Before items are changed or deleted that are another program's.
    ///
    /// - Parameter deed: such as "Delete".
    func requireOwner(
        of rows: [FoundRow],
        to deed: String,
        _ selection: AuthorizedQuery,
        _ authentication: ItemAuthentication,
        in transaction: WriteTransaction
    ) throws(KeychainError) {
        guard authentication.isOwners else { return }
        var items: [GuardedItem] = []
        var titles: [String] = []
        for found in rows {
            guard let stored = try found.row(in: transaction) else { continue }
            items.append(GuardedItem(stored.row.uuid, in: stored.row.accessGroup))
            titles.append((try? vault.open(stored.row, for: selection))?.attributes.title ?? "")
        }
        try policy.requireOwner(
            of: items,
            authentication,
            by: vault.enclave,
            reason: Self.reason(deed, titles)
        )
    }

    private static func reason(_ deed: String, _ titles: [String]) -> String {
        guard let first = titles.first else { return deed }
        let others = titles.count - 1
        return "\(deed) \(first.isEmpty ? "an item without a name" : "“\(first)”")"
            + (others == 0 ? "" : others == 1 ? " and one more item" : " and \(others) more items")
    }
}

extension SealedRow {
    /// Whether its owner can have it back once it was deleted: as a backup, this takes nothing that is bound to a person, to
    /// the passcode or to an enclave.
    var canComeBack: Bool {
        accessControl.isEmpty && itemClass != .key && accessibility != Accessibility.whenPasscodeSetThisDeviceOnly.code
    }
}
