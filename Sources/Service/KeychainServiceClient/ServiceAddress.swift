import Glibc
import KeychainAccounts

/// A socket of a keychain service, and whom a client believes to be that service.
package struct ServiceAddress: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The machine's, which runs as root or as a user of its own.
        case system
        /// The user's own, or one that was named: only the user could be deceived by it.
        case session
    }

    package let path: String
    package let kind: Kind

    package init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The user that the system's service runs as.
    static let serviceUser = "chatelaine"

    /// Whether a user may be the one who listens.
    func trusts(_ uid: UInt32) -> Bool {
        if uid == 0 || (kind == .session && uid == getuid()) { return true }
        // Last, since looking it up reads a file at least.
        return uid == UserAccount(name: Self.serviceUser)?.uid
    }
}
