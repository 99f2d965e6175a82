import Glibc

/// Whether the files of an embedded keychain have changed. Every write changes the journal's time or size.
package struct FileChanges: KeychainChanges {
    private let paths: [String]

    /// - Parameter directory: the keychain's folder.
    package init(directory: String) {
        paths = ["keychain.db", "keychain.db-wal"].map { "\(directory)/\($0)" }
    }

    package func mark() -> ChangeMark {
        ChangeMark(
            paths.flatMap { path -> [Int64] in
                var status = stat()
                guard unsafe stat(path, &status) == 0 else { return [0] }
                return [
                    Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size), Int64(status.st_mtim.tv_sec),
                    Int64(status.st_mtim.tv_nsec),
                ]
            }
        )
    }
}
