import Glibc
import KeychainSystem

/// Whether the files of an embedded keychain have changed: by their times and sizes, and by what SQLite counts in the index of
/// its journal, since a file may be written twice within one tick of its clock.
package struct FileChanges: KeychainChanges {
    private let paths: [String]
    private let index: String

    /// Where SQLite counts (https://sqlite.org/walformat.html).
    private static let header = 48

    /// - Parameter directory: the keychain's folder.
    package init(directory: String) {
        paths = ["keychain.db", "keychain.db-wal"].map { "\(directory)/\($0)" }
        index = "\(directory)/keychain.db-shm"
    }

    package func mark() -> ChangeMark {
        let stamps = paths.flatMap { path -> [Int64] in
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return [0] }
            return [
                Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size), Int64(status.st_mtim.tv_sec),
                Int64(status.st_mtim.tv_nsec),
            ]
        }
        let file = try? Descriptor(opening: index, O_RDONLY)
        var counted = [UInt8](repeating: 0, count: Self.header)
        _ = unsafe counted.withUnsafeMutableBytes { unsafe try? file?.read(into: $0) }
        return ChangeMark(stamps + counted.map(Int64.init))
    }
}
