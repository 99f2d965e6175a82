import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

/// What an owner agrees to item by item, beside the view of all items.
extension KeychainEngine {
    /// Before secrets are opened that are another program's. What is public is seen as attributes are.
    func requireOwner(of items: [OpenedItem], toRead find: AuthorizedFind) throws(KeychainError) {
        guard find.authentication.isOwners, !find.selection.query.itemClass.dataIsPublic else { return }
        guard items.count <= 1 else {
            throw KeychainError(.unimplemented, "in an owner's view one secret is shown at a time")
        }
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
        to deed: @autoclosure () -> String,
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
            reason: Self.reason(deed(), titles)
        )
    }

    /// What the owner reads. How many items it is about comes first: of a long text the end is cut off.
    static func reason(_ deed: String, _ titles: [String]) -> String {
        let first = titles.first.flatMap(named) ?? "an item without a name"
        return titles.count < 2 ? "\(deed) \(first)" : "\(deed) \(titles.count) items, of which one is \(first)"
    }

    /// A title in quotation marks that it cannot end itself; nil for an empty one.
    private static func named(_ title: String) -> String? {
        var bytes = 0
        let kept = title.unicodeScalars.lazy.filter { !PromptPart.isQuotationMark($0) }.prefix(mostScalars)
            .prefix { scalar in
                bytes += UTF8.width(scalar)
                return bytes <= mostBytes
            }
        return kept.isEmpty ? nil : "“\(String(String.UnicodeScalarView(kept)))”"
    }

    private static let mostScalars = 64
    private static let mostBytes = 120
}

extension ItemChanges {
    /// What a change does, as its owner is asked.
    func deed(of itemClass: ItemClass) -> String {
        let isAnotherKey = attributes.entries.contains { entry in
            AttributeTable.attribute(entry.key, of: itemClass)?.flags.contains(.primaryKey) ?? false
        }
        switch (secrets.isEmpty, isAnotherKey) {
        case (false, true): return "Change the secret, and the place or account, of"
        case (false, false): return "Change the secret of"
        case (true, true): return "Change the place or account of"
        case (true, false): return "Change what describes"
        }
    }
}

extension SealedRow {
    /// Whether its owner can have it back once it was deleted: as a backup, this takes nothing that is bound to a person, to
    /// the passcode or to an enclave.
    var canComeBack: Bool {
        accessControl.isEmpty && itemClass != .key && accessibility != Accessibility.whenPasscodeSetThisDeviceOnly.code
    }
}
