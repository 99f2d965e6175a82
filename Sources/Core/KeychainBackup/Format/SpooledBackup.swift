import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainSystem

/// A backup on its way, as it is: encrypted. The file has no name, and goes with its descriptor.
package final class SpooledBackup: BackupFile {
    private let file: Descriptor
    private let largest: UInt64
    private let isQuota: Bool
    /// In bytes.
    package private(set) var count: UInt64 = 0

    /// - Parameters:
    ///   - folder: has to be on a disk with room for the file.
    ///   - largest: in bytes.
    ///   - isQuota: whether that is what the keychain's user may store, and not what any backup may have.
    package init(in folder: String, largest: UInt64, isQuota: Bool = false) throws(KeychainError) {
        self.largest = largest
        self.isQuota = isQuota
        var descriptor = unsafe clinux_open_unnamed(folder)
        if descriptor < 0, errno == EOPNOTSUPP || errno == EISDIR {
            // Not every file system makes files without names.
            let name = folder + "/restore-\(ItemUUID())"
            descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 { _ = unsafe unlink(name) }
        }
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "the backup cannot be kept in \(folder)") }
        file = Descriptor(owning: descriptor)
    }

    /// - Throws: `dataTooLarge` over the limit; `diskFull` over a quota, and where there is no room.
    package func append(_ bytes: [UInt8]) throws(KeychainError) {
        guard count + UInt64(bytes.count) <= largest else {
            throw isQuota
                ? KeychainError(.diskFull, "the backup is larger than its user's quota allows a keychain to be")
                : KeychainError(.dataTooLarge, "the backup is larger than \(largest) bytes, which none is")
        }
        try KeychainError.translating("the backup cannot be kept") { try file.write(bytes) }
        count += UInt64(bytes.count)
    }

    package func source() throws(KeychainError) -> BackupSource {
        DescriptorSource.bytes(of: file)
    }
}
