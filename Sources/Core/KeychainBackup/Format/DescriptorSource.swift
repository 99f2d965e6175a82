import Glibc
import KeychainModel

/// The bytes of an open file from its beginning, wherever others read in it.
package enum DescriptorSource {
    /// - Parameter owner: closes the descriptor when it goes: it stays for as long as a reader exists.
    package static func bytes(of descriptor: Int32, ownedBy owner: AnyObject) -> BackupSource {
        var position: off_t = 0
        return { (count) throws(KeychainError) in
            var failure: Int32 = 0
            defer { withExtendedLifetime(owner) {} }
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                while true {
                    let got = unsafe pread(descriptor, buffer.baseAddress, count, position)
                    if got < 0, errno == EINTR { continue }
                    if got < 0 { failure = errno }
                    filled = max(0, got)
                    return
                }
            }
            guard failure == 0 else { throw KeychainError(errno: failure, "the backup cannot be read") }
            position += off_t(bytes.count)
            return bytes
        }
    }
}
