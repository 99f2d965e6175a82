import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Adds an item: decides and seals, which needs no transaction; what is returned does the rest in one, and gives
    /// the item back if the request wants anything of it.
    ///
    /// - Throws: `duplicateItem` where a live item has the primary key; what policy refuses; what storage fails with.
    func step(
        toAdd request: AddRequest,
        for caller: Caller
    ) throws(KeychainError) -> (WriteTransaction) throws(KeychainError) -> FoundItem? {
        let authorized = try policy.authorize(request, for: caller)
        let sealed = try vault.seal(authorized, now: Self.now)
        return { (transaction) throws(KeychainError) in
            try self.settle(sealed, among: authorized.surroundings, in: transaction) { () throws(KeychainError) in
                try transaction.insert(sealed)
            }
            guard !request.returns.isEmpty else { return nil }
            let opened = try self.vault.open(sealed.row, for: authorized.surroundings)
            let secrets = self.vault.secrets(of: authorized, as: opened)
            return self.found(opened, secrets: secrets, returns: request.returns)
        }
    }

    /// Writes a sealed item, and makes what need not stand in its way give way: a tombstone goes, a row that does not
    /// open is set aside.
    ///
    /// - Throws: `duplicateItem` where a live item has the primary key.
    func settle(
        _ sealed: SealedItem,
        among surroundings: AuthorizedQuery,
        in transaction: WriteTransaction,
        write: () throws(KeychainError) -> Void
    ) throws(KeychainError) {
        do {
            try write()
        } catch {
            guard error.code == .duplicateItem, let obstacle = try transaction.collision(with: sealed) else {
                throw error
            }
            switch try self.obstacle(obstacle, for: surroundings) {
            case .item: throw error
            case .tombstone: try remove(obstacle, in: transaction)
            case .damaged: try transaction.setAside(obstacle)
            }
            try write()
        }
    }

    private enum Obstacle {
        case item
        case tombstone
        case damaged
    }

    /// What a row is that has a primary key already.
    private func obstacle(
        _ stored: StoredItem,
        for surroundings: AuthorizedQuery
    ) throws(KeychainError) -> Obstacle {
        do throws(KeychainError) {
            guard let item = try openOrReport(stored, for: surroundings) else { return .damaged }
            if item.row.isTombstone { return .tombstone }
            // A caller that asks for its value does not find it, so it must not stand in the way of a new one.
            return try openSecretsOrReport(of: item, for: surroundings) == nil ? .damaged : .item
        } catch {
            // What is locked is judged by its columns.
            guard error.code == .interactionNotAllowed else { throw error }
            return stored.row.isTombstone ? .tombstone : .item
        }
    }
}
