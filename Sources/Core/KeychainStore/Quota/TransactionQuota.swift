import GRDB
import KeychainModel

/// Sees to it, within one transaction, that nothing grows beyond the quota.
///
/// What makes a keychain smaller is always allowed, also where the quota was lowered below what there is.
final class TransactionQuota {
    private let limit: StorageQuota.Limit
    private let itemsBefore: Int64
    /// What the transaction has added so far.
    var addedItems: Int64 = 0
    /// False once rows were removed that were not counted.
    private(set) var isCounted = true

    init(_ state: QuotaState, in database: Database) throws {
        limit = state.quota.limit
        itemsBefore = try state.items(in: database)
    }

    func add(_ items: Int64) { addedItems += items }

    func loseCount() { isCounted = false }

    /// How things stand before an operation.
    struct Mark {
        fileprivate let items: Int64
        fileprivate let pages: Pages
    }

    fileprivate struct Pages {
        /// Of the file.
        var all: Int64
        /// Those of them that hold something. The same as `all` where the difference does not matter.
        var used: Int64
    }

    func mark(_ database: Database) throws -> Mark { Mark(items: addedItems, pages: try pages(database)) }

    /// - Parameter usesReserve: for what makes room, or has to be possible without any.
    /// - Throws: `diskFull` where the keychain has grown since, to more than it may have.
    func check(since mark: Mark, usesReserve: Bool, in database: Database) throws {
        if addedItems > mark.items, itemsBefore + addedItems > limit.items {
            throw KeychainError(
                .diskFull,
                "the keychain has \(limit.items) items, which is all that its user's quota allows; delete some"
            )
        }
        let now = try pages(database)
        let most = QuotaState.pages(limit.bytes)
        guard now.all > most + (usesReserve ? QuotaState.reserve : 0) else { return }
        let before = mark.pages
        // A file larger than the quota shrinks inside only: it keeps its pages, for what comes.
        if now.all <= before.all, now.used <= max(before.used, most) { return }
        throw KeychainError(
            .diskFull,
            "the keychain's \(limit.bytes) bytes are full, which its user's quota allows; delete something"
        )
    }

    private func pages(_ database: Database) throws -> Pages {
        let all = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        guard all > QuotaState.pages(limit.bytes) else { return Pages(all: all, used: all) }
        let free = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        return Pages(all: all, used: all - free)
    }
}
