import Glibc
import KeychainModel
import Synchronization

/// Which users the service has places for.
///
/// It is asked for each connection, on the thread that accepts them, and never waits.
package final class ServiceUsers: Sendable {
    package enum Standing: Sendable, Equatable {
        /// The system has such a user, or the user has a keychain.
        case known
        /// All of these together have a small part of the places.
        case stranger
        /// It is some user's to give to processes in a namespace. It has no places.
        case lent
    }

    private struct Memory {
        /// Those who were seen to have a keychain.
        var owners: Set<UInt32> = []
        /// The uids that were seen in a user's namespace, and until when that is believed.
        var lent: [UInt32: ContinuousClock.Instant] = [:]
    }

    /// The users' folders are in it, named by uid.
    private let folder: String?
    /// In session mode: there is one user.
    private let onlyUser: UInt32?
    private let accounts: AccountFile<Set<UInt32>>
    private let lending: AccountFile<[ClosedRange<UInt32>]>
    private let memory = Mutex(Memory())

    private static let mostRemembered = 4_096
    private static let mostAccounts = 100_000
    private static let lendingTime: Duration = .seconds(600)

    static let isLent = KeychainError(
        .noPermission,
        "this user id was lent to a user namespace, and has no keychain with the system's service"
    )

    /// - Parameters:
    ///   - folder: of the service's data.
    ///   - onlyUser: nil in system mode.
    ///   - accounts: as passwd(5).
    ///   - lending: as subuid(5).
    package init(
        folder: String?,
        onlyUser: UInt32? = nil,
        accounts: String = "/etc/passwd",
        lending: String = "/etc/subuid"
    ) {
        self.folder = folder
        self.onlyUser = onlyUser
        self.accounts = AccountFile(accounts, empty: []) { fields, uids in
            guard fields.count >= 3, uids.count < Self.mostAccounts, let uid = UInt32(String(Substring(fields[2])))
            else {
                return
            }
            uids.insert(uid)
        }
        self.lending = AccountFile(lending, empty: []) { fields, ranges in
            // Root is believed, whomever it lets into a namespace.
            guard fields.count >= 3, ranges.count < Self.mostAccounts,
                !["root", "0"].contains(String(Substring(fields[0]))),
                let first = UInt32(String(Substring(fields[1]))), let count = UInt64(String(Substring(fields[2]))),
                count > 0
            else { return }
            let last = UInt64(first).addingReportingOverflow(count - 1)
            ranges.append(first...(last.overflow ? .max : UInt32(clamping: last.partialValue)))
        }
    }

    package func standing(of uid: UInt32) -> Standing {
        if let onlyUser { return uid == onlyUser ? .known : .stranger }
        if uid == 0 || accounts.with({ $0.contains(uid) }) { return .known }
        if lending.with({ $0.contains { $0.contains(uid) } }) { return .lent }
        if hasKeychain(uid) { return .known }
        return memory.withLock { memory in
            guard let end = memory.lent[uid] else { return .stranger }
            if end > .now { return .lent }
            memory.lent[uid] = nil
            return .stranger
        }
    }

    /// A process in a user's namespace has had this uid.
    package func noteLending(of uid: UInt32) {
        guard onlyUser == nil, standing(of: uid) == .stranger else { return }
        memory.withLock { memory in
            if memory.lent.count >= Self.mostRemembered {
                let now = ContinuousClock.now
                memory.lent = memory.lent.filter { $0.value > now }
            }
            // The others are strangers, and none the better for it.
            guard memory.lent.count < Self.mostRemembered else { return }
            memory.lent[uid] = .now + Self.lendingTime
        }
    }

    private func hasKeychain(_ uid: UInt32) -> Bool {
        guard let folder else { return false }
        if memory.withLock({ $0.owners.contains(uid) }) { return true }
        var status = stat()
        guard unsafe lstat("\(folder)/users/\(uid)/keychain", &status) == 0 else { return false }
        memory.withLock { memory in
            if memory.owners.count >= Self.mostRemembered { memory.owners = [] }
            memory.owners.insert(uid)
        }
        return true
    }
}
