import Glibc
import KeychainAccounts
package import KeychainModel
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
        var stamp: Stamp?
        var isRead = false
        var lastLook: ContinuousClock.Instant?
    }

    /// What changes when the file does.
    private struct Stamp: Equatable {
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
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
            var status = stat()
            let isThere = unsafe lstat(path, &status) == 0
            let stamp =
                isThere
                ? Stamp(
                    inode: status.st_ino,
                    size: status.st_size,
                    seconds: status.st_ctim.tv_sec,
                    nanoseconds: status.st_ctim.tv_nsec
                ) : nil
            guard !state.isRead || stamp != state.stamp else { return }
            state.stamp = stamp
            state.table = table(isThere: isThere, before: state.table)
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
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(path) cannot be read") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner,
            status.st_mode & 0o022 == 0, status.st_nlink == 1
        else {
            throw KeychainError(
                .notAvailable,
                "\(path) has to be a file of root's that nobody else can write, under one name"
            )
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= Self.largestFile {
            let count = unsafe Glibc.read(descriptor, &part, part.count)
            guard count >= 0 else { throw KeychainError(errno: errno, "\(path) cannot be read") }
            if count == 0 { break }
            bytes += part.prefix(count)
        }
        guard bytes.count <= Self.largestFile, let text = String(validating: bytes, as: UTF8.self) else {
            throw KeychainError(.notAvailable, "\(path) is too large, or no text")
        }
        return text
    }
}
