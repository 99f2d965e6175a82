import CKeychainLinux
import Foundation
import GRDB
import Glibc
package import KeychainModel
import KeychainVault
package import Logging
import Synchronization

/// The database of a keychain: rows in, rows out, each write in one durable transaction.
///
/// It takes in nothing that the vault has not sealed, and believes nothing that it gives out.
package final class KeychainStore: Sendable {
    let place: Place
    /// The file as it was before SQLite opened it; nil in memory.
    private let file: DatabaseFile?
    let writer: DatabaseQueue
    let schema: Schema
    let log: Logger
    /// SQLite's count of schema changes when the schema was last compared.
    private let checkedSchema = Mutex<Int32?>(nil)
    /// Whether the journal may still hold what was deleted or replaced.
    let hasTraces = Atomic<Bool>(false)
    /// The number of transactions that have left such traces.
    let traceCount = Atomic<Int>(0)
    /// Whether a thread is about to remove those traces, or waits for readers to finish.
    let isCleaning = Atomic<Bool>(false)
    /// The journal's bytes when they were last looked at.
    let lastJournal = Atomic<Int>(0)
    /// Nil where there is no limit but the disk.
    let quota: QuotaState?
    private let commits = GroupCommit()
    private let transactionCount = Atomic<Int>(0)

    enum Place {
        case memory
        case file(path: String, lock: WriterLock, readers: ReaderPool)
    }

    // MARK: - Opening

    /// A keychain that lives in this process alone.
    package init(inMemory header: Header, quota: StorageQuota? = nil, log: Logger) throws(KeychainError) {
        place = .memory
        file = nil
        schema = .current
        self.quota = quota.map(QuotaState.init)
        self.log = log
        writer = try DatabaseConnection.openInMemory()
        let queue = writer
        try KeychainError.translatingSQLite {
            try queue.write { try Self.create(in: $0, header: header) }
        }
    }

    /// Makes a new database. The caller holds the writer's lock, and has made sure that there is none.
    package static func create(path: String, header: Header) throws(KeychainError) {
        try create(path: path, header: header, schema: .current)
    }

    static func create(path: String, header: Header, schema: Schema) throws(KeychainError) {
        let queue = try DatabaseConnection.open(path: path, for: .writing)
        try KeychainError.translatingSQLite {
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
                guard mode == "wal" else {
                    throw KeychainError(.notAvailable, "the file system does not take SQLite's write-ahead log")
                }
                let isThere = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
                if isThere == 0 {
                    try database.inTransaction(.immediate) {
                        try create(in: database, header: header, schema: schema)
                        return .commit
                    }
                }
                try database.checkpoint()
            }
        }
    }

    private static func create(in database: Database, header: Header, schema: Schema = .current) throws {
        try schema.create(in: database)
        try database.execute(
            sql: "INSERT INTO header (id, content, code) VALUES (1, ?, ?)",
            arguments: [header.contentData, header.codeData]
        )
    }

    /// Opens an existing database, and brings one of an older version to the newest.
    ///
    /// - Parameters:
    ///   - quota: how much the keychain may hold; nil for as much as the disk takes.
    ///   - check: looks at the header row before anything is changed.
    /// - Throws: `notAvailable` for a file that is missing, damaged, not ours, newer or not with the schema that it
    ///   ought to have; `noPermission`; what the check throws; `diskFull` where an older one cannot be brought to the newest
    ///   version. It is what it was then.
    package convenience init(
        path: String,
        lock: WriterLock,
        quota: StorageQuota? = nil,
        log: Logger,
        check: (Header) throws(KeychainError) -> Void = { (_) throws(KeychainError) in }
    ) throws(KeychainError) {
        try self.init(path: path, lock: lock, quota: quota, schema: .current, log: log, check: check)
    }

    init(
        path: String,
        lock: WriterLock,
        quota: StorageQuota? = nil,
        schema: Schema,
        log: Logger,
        check: (Header) throws(KeychainError) -> Void = { (_) throws(KeychainError) in }
    ) throws(KeychainError) {
        guard let file = try DatabaseFile.check(path: path, schema: schema) else {
            throw KeychainError(.notAvailable, "the keychain's database is missing; restore it from a copy")
        }
        self.file = file
        self.schema = schema
        self.quota = quota.map(QuotaState.init)
        writer = try DatabaseConnection.open(path: path, for: .writing)
        place = .file(path: path, lock: lock, readers: ReaderPool(path: path))
        self.log = log
        let queue = writer
        let version = try KeychainError.translatingSQLite {
            try queue.writeWithoutTransaction { database in
                var version: Int32 = 0
                // One state: another process may bring the database to a newer version meanwhile.
                try database.inTransaction(.deferred) {
                    version = try schema.check(database)
                    return .commit
                }
                if file.isShort { try Self.checkPages(database) }
                return version
            }
        }
        try check(header())
        if version < schema.version { try migrate(under: lock) }
    }

    /// Brings the database to the newest version, in one transaction.
    private func migrate(under lock: WriterLock) throws(KeychainError) {
        let queue = writer
        let schema = schema
        let earlier = try lock.withLock { () throws(KeychainError) in
            guard isCurrent else {
                throw KeychainError(.notAvailable, "the keychain's database was replaced meanwhile; try again")
            }
            return try KeychainError.translatingSQLite {
                try queue.writeWithoutTransaction { database in
                    var earlier: Int32 = 0
                    try database.inTransaction(.immediate) {
                        // Another process may have done it since.
                        earlier = try schema.check(database)
                        if earlier < schema.version { try schema.bring(database, from: earlier, to: schema.version) }
                        return .commit
                    }
                    return earlier
                }
            }
        }
        checkpointIfFree()
        log.notice("the keychain's database was brought from version \(earlier) to version \(schema.version)")
    }

    /// Whether the database's name still stands for the file that is open: a folder that was removed or replaced has
    /// another one, and what is written into the old one is lost.
    package var isInPlace: Bool {
        switch place {
        case .memory: true
        case .file(let path, _, _): DatabaseFile.Identity(path: path) == file?.identity
        }
    }

    /// The database's name; nil in memory.
    package var path: String? {
        if case .file(let path, _, _) = place { path } else { nil }
    }

    /// Whether the database is in its place and nothing is about to take it. A write that did not ask again under the
    /// writer's lock could go into a file that a repair has set aside meanwhile.
    package var isCurrent: Bool {
        guard case .file(let path, _, _) = place else { return true }
        return isInPlace && !DatabaseReplacement(of: path).isPending
    }

    private func checkSchema(_ database: Database) throws {
        guard try schema.check(database) == schema.version else {
            throw KeychainError(.notAvailable, "the database became one of an older version; restore it from a copy")
        }
    }

    /// Looks at all pages of a file that is shorter than it says. A crash in the middle of a checkpoint leaves one, and
    /// then the journal has the rest; without it, writing anything would turn the loss into damage.
    private static func checkPages(_ database: Database) throws {
        guard try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok" else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
    }

    /// A trigger or view that was planted since the last look is not to run.
    private func checkSchemaIfChanged(_ database: Database) throws {
        let current = try Int32.fetchOne(database.cachedStatement(sql: "PRAGMA schema_version"))
        guard checkedSchema.withLock({ $0 != current }) else { return }
        try checkSchema(database)
        checkedSchema.withLock { $0 = current }
    }

    /// The header row that binds the database to its keybag.
    ///
    /// - Throws: `notAvailable` where it is missing.
    package func header() throws(KeychainError) -> Header {
        try KeychainError.translatingSQLite { try writer.inDatabase { try Self.header(in: $0) } }
    }

    static func header(in database: Database) throws -> Header {
        let statement = try database.cachedStatement(sql: "SELECT content, code FROM header WHERE id = 1")
        guard let header = try Row.fetchOne(statement).flatMap(Header.init) else {
            throw KeychainError(
                .notAvailable,
                "the database's header row is missing or damaged; put a copy of the database back"
            )
        }
        return header
    }

    /// Lets go of all connections, as before a fork.
    package func close() {
        if case .file(_, _, let readers) = place {
            removeTraces()
            readers.close()
            try? writer.close()
        }
    }

    /// Whether the keychain goes on existing without its connections.
    package var isInMemory: Bool {
        if case .memory = place { true } else { false }
    }

    // MARK: - Reading and writing

    /// Reads.
    ///
    /// - Parameters:
    ///   - snapshot: whether all that the body asks for has to be of one moment. A single question always is, and does
    ///     without the two statements of a transaction.
    ///   - allowance: what rows may take in memory; nil for as much as they do.
    package func read<Value>(
        snapshot: Bool,
        within allowance: MemoryAllowance? = nil,
        _ body: (ReadTransaction) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        func read(_ database: Database) throws -> Value {
            let transaction = ReadTransaction(database: database, allowance: allowance)
            guard snapshot else { return try body(transaction) }
            return try database.inSnapshot { _ in try body(transaction) }
        }
        switch place {
        case .memory:
            return try KeychainError.translatingSQLite { try writer.unsafeRead(read) }
        case .file(_, _, let readers):
            return try readers.read(read)
        }
    }

    /// Writes in one transaction, which is durable when this returns: all of what the body does, or, if it throws,
    /// nothing. Writes of other threads may be in the same transaction; each succeeds or fails by itself.
    ///
    /// The body may run on another thread than the caller's, and more than once, of which the last time counts.
    ///
    /// - Parameter usesReserve: for what makes room, or has to be possible without any: it may go a little beyond the quota.
    /// - Throws: what the body throws; `notAvailable` if another process does not let go of the lock; `diskFull`.
    package func write<Value>(
        usesReserve: Bool = false,
        _ body: (WriteTransaction) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        if !usesReserve { try requireShortJournal() }
        var value: Value?
        func keep(_ transaction: WriteTransaction) throws(KeychainError) {
            value = try transaction.limited(usesReserve: usesReserve) { () throws(KeychainError) in
                try body(transaction)
            }
        }
        switch place {
        case .memory:
            try KeychainError.translatingSQLite { _ = try commit(keep) }
        case .file(_, let lock, _):
            try withoutActuallyEscaping(keep) { (keep) throws(KeychainError) in
                let write = WaitingWrite(deadline: lock.deadline, body: keep)
                try commits.run(write) { () throws(KeychainError) in
                    try lock.withLock(before: write.deadline) { () throws(KeychainError) in
                        guard isCurrent else {
                            throw KeychainError(.notAvailable, "the keychain was replaced while it was open")
                        }
                        commit(commits.take(), besides: write)
                    }
                }
            }
        }
        guard let value else { throw KeychainError(.internalError, "a transaction had no result") }
        return value
    }

    /// The number of writes that wait for their transaction, and that of the transactions so far.
    package var commitCounts: (waiting: Int, done: Int) {
        (commits.waitingCount, transactionCount.load(ordering: .relaxed))
    }

    /// Does all of the writes, each of which then has its outcome. The caller holds the writer's lock.
    private func commit(_ writes: [WaitingWrite], besides own: WaitingWrite) {
        var traces = Traces.none
        if writes.count > 1, let together = try? commitTogether(writes) {
            traces = together
        } else {
            // What stopped all of them may be the doing of one, or too much for the disk only together.
            for write in writes {
                write.settle(
                    Result { () throws(KeychainError) in
                        let alone = try KeychainError.translatingSQLite { try commit(write.perform) }
                        traces = max(traces, alone)
                    }
                )
            }
        }
        afterCommit(leaving: traces)
        for write in writes where write !== own { write.finish() }
    }

    /// - Returns: what the journal has of old contents.
    private func commitTogether(_ writes: [WaitingWrite]) throws(KeychainError) -> Traces {
        try KeychainError.translatingSQLite {
            try commit { (transaction) throws(KeychainError) in
                for write in writes {
                    var outcome: Result<Void, KeychainError> = .success(())
                    do throws(KeychainError) {
                        try transaction.attempt { () throws(KeychainError) in try write.perform(in: transaction) }
                    } catch {
                        guard transaction.isOpen else { throw error }
                        outcome = .failure(error)
                    }
                    write.settle(outcome)
                }
            }
        }
    }

    /// - Returns: what the journal has of old contents.
    private func commit(_ body: (WriteTransaction) throws(KeychainError) -> Void) throws -> Traces {
        try writer.writeWithoutTransaction { database in
            try quota?.prepare(database)
            let transaction = WriteTransaction(database: database)
            try database.inTransaction(.immediate) {
                try checkSchemaIfChanged(database)
                if let quota { transaction.quota = try TransactionQuota(quota, in: database) }
                try body(transaction)
                return .commit
            }
            if let done = transaction.quota { quota?.add(items: done.isCounted ? done.addedItems : nil) }
            transactionCount.add(1, ordering: .relaxed)
            return transaction.traces
        }
    }
}
