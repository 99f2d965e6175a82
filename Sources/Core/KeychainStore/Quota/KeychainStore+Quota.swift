import GRDB
package import KeychainModel

extension KeychainStore {
    /// How much the keychain may hold; nil for as much as the disk takes.
    package var storageLimit: StorageQuota.Limit? { quota?.quota.limit }

    /// How much it holds. Rows are counted for that.
    package func storageUsage() throws(KeychainError) -> StorageQuota.Usage {
        try KeychainError.translatingSQLite {
            try writer.unsafeRead { database in
                let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
                return StorageQuota.Usage(
                    bytes: (pages - free) * QuotaState.pageSize,
                    items: try QuotaState.count(in: database)
                )
            }
        }
    }
}
