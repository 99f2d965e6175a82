import Glibc
import KeychainEngine
package import KeychainModel
package import KeychainProtocol
import KeychainSystem

/// The service's own folder, which one service at a time uses.
///
/// In system mode, `users/UID` has a user's keychain, `owner` and `audit.log`; in session mode the folder is itself the
/// keychain's, with `audit.log` in it.
package final class ServiceFolder: Sendable {
    package let path: String
    let mode: ServiceIdentity.Mode
    /// Where systemd has put the service's credentials, if it has.
    package let credentials: String?
    private let lock: Descriptor

    /// - Throws: `notAvailable` where another service uses the folder; what making it fails with.
    package init(path: String, mode: ServiceIdentity.Mode, credentials: String?) throws(KeychainError) {
        self.path = path
        self.mode = mode
        self.credentials = credentials
        try KeychainDirectory(path: path).makePrivateFolder()
        let name = path + "/service.lock"
        let (lock, isOurs) = try KeychainError.translating {
            let lock = try Descriptor(opening: name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            return (lock, try lock.lockIfFree())
        }
        self.lock = lock
        guard isOurs else {
            throw KeychainError(.notAvailable, "another keychain service uses the folder \(path)")
        }
    }

    /// Where the files of a user are.
    ///
    /// - Parameter uncheckedKeychain: the name of another keychain than the user's one; only tests have any.
    func place(of uid: UInt32, uncheckedKeychain: String?) throws(KeychainError) -> Place {
        if let name = uncheckedKeychain {
            guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
                throw KeychainError(.invalidParameter, "no name of a keychain")
            }
        }
        switch mode {
        case .session:
            let keychain = uncheckedKeychain.map { path + "/" + $0 } ?? path
            return Place(owner: nil, keychain: keychain, audit: path + "/audit.log")
        case .system:
            let folder = "\(path)/users/\(uid)"
            return Place(
                owner: KeychainOwner(path: folder + "/owner"),
                keychain: folder + "/" + (uncheckedKeychain ?? "keychain"),
                audit: folder + "/audit.log"
            )
        }
    }

    struct Place: Sendable {
        fileprivate let owner: KeychainOwner?
        let keychain: String
        let audit: String

        /// Whether there is a folder for the record: users who never stored anything have none.
        var isThere: Bool {
            FileStamp.ofFile(Folder.path(of: audit)) != nil
        }

        /// Whether a keychain was made here, even if only parts of it are left.
        var hasOwner: Bool {
            guard let owner else { return false }
            return FileStamp.ofFile(owner.path) != nil
        }

        /// Makes sure that what is there is this user's.
        func prepare(for uid: UInt32) throws(KeychainError) {
            try owner?.check(uid)
        }
    }
}
