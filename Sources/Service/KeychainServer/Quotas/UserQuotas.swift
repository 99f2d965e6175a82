import Glibc
import KeychainAccounts
package import KeychainModel
import KeychainSystem
package import Logging
import Synchronization

/// The quotas of all users, as the file that names them has them now.
///
/// Only a complete, valid file of root's can give a user more than before. What is wrong is in the log, and what can
/// still be read counts as far as it gives less.
package final class UserQuotas: Sendable {
    private struct State {
        var table: QuotaTable
        /// One for each keychain that was opened.
        var quotas: [UInt32: StorageQuota] = [:]
        var stamp: FileStamp?
        var isRead = false
        var lastLook: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let path: String
    private let standard: StorageQuota.Limit
    private let owner: UInt32
    private let log: Logger

    /// - Parameters:
    ///   - path: of the file, which need not be there.
    ///   - standard: for users of whom it says nothing.
    ///   - owner: whose file is believed: root's.
    package init(path: String, standard: StorageQuota.Limit, owner: UInt32 = 0, log: Logger) {
        self.path = path
        self.standard = standard
        self.owner = owner
        self.log = log
        state = Mutex(State(table: QuotaTable(standard: standard)))
        readIfChanged()
    }

    package static let standardPath = "/etc/chatelaine/quotas"

    /// A user's quota, which changes with the file.
    package func quota(of uid: UInt32) -> StorageQuota {
        state.withLock { state in
            if let quota = state.quotas[uid] { return quota }
            let quota = StorageQuota(state.table.limit(of: uid))
            state.quotas[uid] = quota
            return quota
        }
    }

    /// Reads the file if it is another one than at the last look, a second ago or more.
    package func readIfChanged() {
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastLook, now - last < .seconds(1) { return }
            state.lastLook = now
            let stamp = FileStamp.ofFile(path)
            guard !state.isRead || stamp != state.stamp else { return }
            state.stamp = stamp
            state.table = table(isThere: stamp != nil, before: state.table)
            state.isRead = true
            for (uid, quota) in state.quotas { quota.limit = state.table.limit(of: uid) }
        }
    }

    private func table(isThere: Bool, before: QuotaTable) -> QuotaTable {
        guard isThere else { return QuotaTable(standard: standard) }
        let text: String
        do throws(KeychainError) {
            text = try read()
        } catch {
            log.error("the quotas stay as they were: \(error.message)")
            return before
        }
        let (table, bad) = QuotaTable.parse(text, standard: standard) { name in
            UserAccount(name: name)?.uid
        }
        for line in bad { log.error("\(path), line \(line.number): \(line.reason)") }
        guard !bad.isEmpty else { return table }
        log.error("\(path) is taken as far as it gives less than before; correct it")
        return before.tightened(by: table)
    }

    private static let largestFile = 64 << 10

    /// - Throws: where it is not a file that only root can write.
    private func read() throws(KeychainError) -> String {
        let (file, stamp) = try KeychainError.translating("\(path) cannot be read") {
            let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            return (file, try file.stamp())
        }
        guard stamp.isFile, stamp.owner == owner, !stamp.isWritableToOthers, stamp.links == 1
        else {
            throw KeychainError(
                .notAvailable,
                "\(path) has to be a file of root's that nobody else can write, under one name"
            )
        }
        let bytes = try KeychainError.translating("\(path) cannot be read") { try file.prefix(Self.largestFile + 1) }
        guard bytes.count <= Self.largestFile, let text = String(validating: bytes, as: UTF8.self) else {
            throw KeychainError(.notAvailable, "\(path) is too large, or no text")
        }
        return text
    }
}
