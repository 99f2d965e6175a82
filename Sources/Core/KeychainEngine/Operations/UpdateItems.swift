import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Changes the items that match, as many as the limit allows, or none: decides, which needs no transaction; what is
    /// returned does the rest in one, and says how many matched.
    ///
    /// - Throws: `duplicateItem` where a changed primary key is that of a live item, or of two of the changed ones;
    ///   `interactionNotAllowed` if a match is locked; what policy refuses. Then nothing has changed.
    func step(
        toUpdate request: UpdateRequest,
        for caller: Caller
    ) throws(KeychainError) -> (WriteTransaction) throws(KeychainError) -> Int {
        if request.query.itemClass == .identity {
            return try step(toUpdateIdentities: request, for: caller)
        }
        let authorized = try policy.authorize(request, for: caller)
        return { (transaction) throws(KeychainError) in try self.update(authorized, in: transaction) }
    }

    /// Changes the items that match, as many as the limit allows, as part of a transaction.
    ///
    /// - Returns: how many matched.
    func update(_ authorized: AuthorizedUpdate, in transaction: WriteTransaction) throws(KeychainError) -> Int {
        var count = 0
        let rows = try rows(of: authorized.selection, in: transaction)
        try requireOwner(
            of: rows,
            to: authorized.changes.deed(of: authorized.selection.query.itemClass),
            authorized.selection,
            authorized.authentication,
            in: transaction
        )
        for found in rows {
            guard count < authorized.limit.maximum else { break }
            guard let stored = try found.row(in: transaction),
                let item = try openOrReport(stored, for: authorized.selection),
                try matchesDigest(item, in: authorized.selection, with: authorized.authentication),
                let sealed = try reseal(item, for: authorized)
            else { continue }
            try settle(sealed, among: authorized.surroundings, in: transaction) { () throws(KeychainError) in
                transaction.keepsUnshared = authorized.keepsEarlier && stored.row.canComeBack
                defer { transaction.keepsUnshared = false }
                try transaction.replace(stored, with: sealed)
            }
            if stored.row.isSynchronizable, !sealed.row.hasPrimaryKey(of: stored.row) {
                // Other devices know the item by its old primary key, and have to hear that it is gone.
                let tombstone = try vault.sealTombstone(of: item, uuid: ItemUUID(), now: Self.now)
                try transaction.insert(tombstone)
            }
            count += 1
        }
        return count
    }

    private func reseal(_ item: OpenedItem, for update: AuthorizedUpdate) throws(KeychainError) -> SealedItem? {
        try reportingDamage(of: item.row, for: update.selection) { () throws(KeychainError) in
            try vault.seal(update, of: item, now: Self.now)
        }
    }

    /// The rows that a change or deletion is about, as they were before it.
    func rows(
        of selection: AuthorizedQuery,
        in transaction: WriteTransaction
    ) throws(KeychainError) -> [FoundRow] {
        var rows: [FoundRow] = []
        var size = 0
        let queries = try vault.blind(selection) { () throws(KeychainError) in
            try transaction.reading.groups(of: selection.query.itemClass)
        }
        for query in queries {
            try transaction.reading.forEach(query) { (stored) throws(KeychainError) in
                size += stored.row.metadata.count + stored.row.secret.count
                rows.append(
                    size <= Self.mostKept ? .whole(stored) : .number(stored.rowNumber, selection.query.itemClass)
                )
                return true
            }
        }
        return rows
    }

    /// In bytes: of what comes after that, the numbers are kept.
    private static let mostKept = 1 << 20

    /// A row that a change or deletion is about.
    enum FoundRow {
        case whole(StoredItem)
        case number(Int64, ItemClass)

        /// Nil where it went with one before it.
        func row(in transaction: WriteTransaction) throws(KeychainError) -> StoredItem? {
            switch self {
            case .whole(let stored): stored
            case .number(let number, let itemClass): try transaction.row(number: number, of: itemClass)
            }
        }
    }

    /// Whether an item has the SHA-1 that a query asks for, if it asks for one.
    func matchesDigest(
        _ item: OpenedItem,
        in selection: AuthorizedQuery,
        with authentication: ItemAuthentication = ItemAuthentication()
    ) throws(KeychainError) -> Bool {
        guard let sha1 = selection.query.sha1 else { return true }
        return try openSecretsOrReport(of: item, for: selection, with: authentication)?.sha1 == sha1
    }
}

extension SealedRow {
    fileprivate func hasPrimaryKey(of other: SealedRow) -> Bool {
        accessGroup.hasSameBytes(as: other.accessGroup) && isSynchronizable == other.isSynchronizable
            && AttributeTable.attributes(of: itemClass).allSatisfy { attribute in
                !attribute.flags.contains(.primaryKey)
                    || blindColumns[attribute.key] == other.blindColumns[attribute.key]
            }
    }
}
