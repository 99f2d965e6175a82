import Glibc
package import KeychainModel

package enum Folder {
    /// Makes the names in a file's folder survive a power cut.
    package static func synchronize(of path: String) throws(KeychainError) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let descriptor = unsafe open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(folder) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw KeychainError(errno: errno, "\(folder) cannot be written") }
    }
}
