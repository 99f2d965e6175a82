package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Deletes all items that match, also while they are locked.
    ///
    /// A synchronizable item leaves a tombstone, unless it is locked or the request says otherwise.
    ///
    /// - Returns: how many matched.
    package func delete(_ request: DeleteRequest, for caller: Caller) throws(KeychainError) -> Int {
        if request.query.itemClass == .identity {
            try requireNoIdentities(request.query, for: caller)
            return 0
        }
        let authorized = try policy.authorize(request, for: caller)
        return try store.write { (transaction) throws(KeychainError) in
            var count = 0
            for stored in try self.rows(of: authorized.selection, in: transaction) {
                let item = try self.openIfUnlocked(stored, for: authorized.selection)
                switch item {
                // A row that is not what it says is left to whoever repairs the keychain.
                case .damaged: continue
                case .locked where authorized.selection.query.sha1 == nil: break
                case .locked: throw KeychainError(.interactionNotAllowed, "a locked item's digest cannot be judged")
                case .open(let item): guard try self.matchesDigest(item, in: authorized.selection) else { continue }
                }
                let leavesTombstone =
                    authorized.leavesTombstone ?? (stored.row.isSynchronizable && !stored.row.isTombstone)
                if leavesTombstone, case .open(let item) = item {
                    let tombstone = try self.vault.sealTombstone(of: item, uuid: stored.row.uuid, now: Self.now)
                    try transaction.replace(stored, with: tombstone)
                } else {
                    try transaction.remove(stored)
                }
                count += 1
            }
            return count
        }
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
