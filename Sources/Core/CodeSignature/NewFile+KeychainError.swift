import Glibc
import KeychainModel
import KeychainSystem

extension NewFile {
    /// Belongs to the same user and group as another file, with its permissions.
    func take(owner stamp: FileStamp) throws(KeychainError) {
        guard fchown(descriptor.number, stamp.owner, stamp.group) == 0 else {
            throw KeychainError(errno: errno, "the file cannot be given to its owner")
        }
        // After that: a change of owner takes set-user-ID and set-group-ID away.
        guard fchmod(descriptor.number, stamp.mode & 0o7777) == 0 else {
            throw KeychainError(errno: errno, "the file cannot be given its permissions")
        }
    }

    /// Gives the file its name.
    ///
    /// - Throws: `duplicateItem` where another file has it.
    func commitAsNew() throws(KeychainError) {
        do throws(SystemError) {
            try commit(replacing: false)
        } catch {
            throw error.code == EEXIST ? KeychainError(.duplicateItem, error.subject) : KeychainError(error)
        }
    }
}
