import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Deletes the items that match, as many as the limit allows, also while they are locked: decides, which needs no
    /// transaction; what is returned does the rest in one, and says how many matched.
    ///
    /// A synchronizable item leaves a tombstone, unless it is locked or the request says otherwise.
    func step(
        toDelete request: DeleteRequest,
        for caller: Caller
    ) throws(KeychainError) -> (WriteTransaction) throws(KeychainError) -> Int {
        if request.query.itemClass == .identity {
            return try step(toDeleteIdentities: request, for: caller)
        }
        let authorized = try policy.authorize(request, for: caller)
        return { (transaction) throws(KeychainError) in try self.delete(authorized, in: transaction) }
    }

    /// Deletes the items that match, as many as the limit allows, as part of a transaction.
    ///
    /// - Returns: how many matched.
    func delete(_ authorized: AuthorizedDelete, in transaction: WriteTransaction) throws(KeychainError) -> Int {
        var count = 0
        let rows = try rows(of: authorized.selection, in: transaction)
        try requireOwner(of: rows, to: "Delete", authorized.selection, authorized.authentication, in: transaction)
        for found in rows {
            guard count < authorized.limit.maximum else { break }
            guard let stored = try found.row(in: transaction) else { continue }
            let candidate = try openIfUnlocked(stored, for: authorized.selection)
            var opened: OpenedItem?
            switch candidate {
            // A row that is not what it says is left to the repair of the keychain.
            case .damaged: continue
            case .locked where authorized.selection.query.sha1 == nil: break
            case .locked: throw KeychainError(.interactionNotAllowed, "a locked item's digest cannot be judged")
            case .open(let item):
                guard try matchesDigest(item, in: authorized.selection) else { continue }
                opened = item
            }
            transaction.keepsUnshared = authorized.keepsEarlier && stored.row.canComeBack
            defer { transaction.keepsUnshared = false }
            try remove(stored, opened: opened, leavesTombstone: authorized.leavesTombstone, in: transaction)
            count += 1
        }
        return count
    }

    /// Removes a row, or puts a tombstone in its place.
    ///
    /// - Parameters:
    ///   - opened: the row's item; nil while it is locked, and then it leaves no tombstone.
    ///   - leavesTombstone: nil leaves one for a synchronizable item alone.
    func remove(
        _ stored: StoredItem,
        opened: OpenedItem?,
        leavesTombstone: Bool?,
        in transaction: WriteTransaction
    ) throws(KeychainError) {
        if leavesTombstone ?? (stored.row.isSynchronizable && !stored.row.isTombstone), let opened {
            let tombstone = try vault.sealTombstone(of: opened, uuid: stored.row.uuid, now: Self.now)
            try transaction.replace(stored, with: tombstone)
        } else {
            try remove(stored, in: transaction)
        }
    }

    /// Removes a row, and marks that a program wanted it.
    func remove(_ stored: StoredItem, in transaction: WriteTransaction) throws(KeychainError) {
        try transaction.remove(stored, marking: vault.goneMark(of: stored.row, now: Self.now))
    }

    private enum Candidate {
        case open(OpenedItem)
        /// Its columns are all there is to go by.
        case locked
        case damaged
    }

    private func openIfUnlocked(
        _ stored: StoredItem,
        for selection: AuthorizedQuery
    ) throws(KeychainError) -> Candidate {
        do throws(KeychainError) {
            guard let item = try openOrReport(stored, for: selection) else { return .damaged }
            return .open(item)
        } catch {
            guard error.code == .interactionNotAllowed else { throw error }
            return .locked
        }
    }
}
