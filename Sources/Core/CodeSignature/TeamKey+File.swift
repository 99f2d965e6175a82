package import KeychainModel
import KeychainSystem

extension TeamKey {
    /// - Throws: `noPermission` for a file that others can read or have written.
    package init(contentsOf path: String) throws(KeychainError) {
        let (bytes, stamp) = try SmallFile.contents(path)
        guard stamp.mode & 0o077 == 0 else {
            throw KeychainError(
                .noPermission,
                "\(path) can be read by others; make it yours alone: chmod 600 '\(path)'"
            )
        }
        do throws(KeychainError) {
            try self.init(pem: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw KeychainError(error.code, "\(path) is no key of a team: \(error.message)")
        }
    }

    /// Writes a new file that no other user can read.
    package func write(to path: String) throws(KeychainError) {
        try SmallFile.write(pem, to: path, mode: 0o600)
    }
}
