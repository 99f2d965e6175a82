import Glibc

/// The file of the program that runs in this process.
package enum OwnProgram {
    /// Nil where it cannot be told, or is no text.
    package static var path: String? { SymbolicLink.target(of: "/proc/self/exe") }

    /// Whether another file has taken its place since it was started, or it was removed.
    package static var isReplaced: Bool { path?.hasSuffix(" (deleted)") ?? false }

    /// The folder that it is in.
    package static var folder: String? { path.map(Folder.path(of:)) }
}

package enum SymbolicLink {
    /// Where a link leads, as text.
    ///
    /// - Parameter folder: an open folder, for a path that begins there.
    /// - Returns: nil where it cannot be read, or is no text.
    package static func target(of path: String, in folder: (any OpenDescriptor)? = nil) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(folder?.number ?? AT_FDCWD, path, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }
}
