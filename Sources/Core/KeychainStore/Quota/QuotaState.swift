import GRDB
import KeychainModel
import Synchronization

/// What a store knows of its quota from one transaction to the next. Only the writer uses it.
final class QuotaState: Sendable {
    let quota: StorageQuota
    private let state = Mutex(State())

    private struct State {
        /// SQLite's limit as it was last set, and for which quota.
        var applied: Int64?
        /// The number of rows, and SQLite's count of other processes' changes when they were counted.
        var items: (count: Int64, version: Int64)?
    }

    init(_ quota: StorageQuota) {
        self.quota = quota
    }

    static let pageSize: Int64 = 4096

    /// What a full keychain may still take, in pages: for deletion, and for the service's own rows.
    static let reserve: Int64 = (1 << 20) / pageSize
    /// How far one operation may go, in pages, before SQLite stops it, and not the check behind it: it stops the whole
    /// transaction. An item of the largest size fits.
    private static let slack: Int64 = (32 << 20) / pageSize

    /// Tells SQLite how large the database may become, if that has changed. To be called outside of a transaction.
    func prepare(_ database: Database) throws {
        let bytes = quota.limit.bytes
        guard state.withLock({ $0.applied != bytes }) else { return }
        let (most, isTooMuch) = Self.pages(bytes).addingReportingOverflow(Self.slack)
        // Of a database that is larger already, SQLite takes its size.
        let present = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let pages = min(max(isTooMuch ? .max : most, present + Self.reserve), Self.mostPages)
        try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        state.withLock { $0.applied = bytes }
    }

    /// SQLite's own limit (https://www.sqlite.org/limits.html).
    private static let mostPages: Int64 = 4_294_967_294

    static func pages(_ bytes: Int64) -> Int64 { max(0, bytes) / pageSize }

    /// The number of rows at the beginning of a transaction. They are counted when that is asked for the first time,
    /// and again after another process has written.
    func items(in database: Database) throws -> Int64 {
        let version = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version")) ?? 0
        if let items = state.withLock({ $0.items }), items.version == version { return items.count }
        let count = try Self.count(in: database)
        state.withLock { $0.items = (count, version) }
        return count
    }

    /// Takes in what a transaction has added, once it is durable; nil has it counted anew.
    func add(items: Int64?) {
        state.withLock { state in
            guard let items, let known = state.items else {
                state.items = nil
                return
            }
            state.items = (known.count + items, known.version)
        }
    }

    static func count(in database: Database) throws -> Int64 {
        var count: Int64 = 0
        for itemClass in ItemClass.stored {
            guard let table = ItemTable.all[itemClass] else { continue }
            count += try Int64.fetchOne(database, sql: "SELECT count(*) FROM \(table.name)") ?? 0
        }
        return count
    }
}
