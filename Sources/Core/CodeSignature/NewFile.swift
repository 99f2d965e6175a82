import CKeychainLinux
import Glibc
package import KeychainModel

/// A file on its way to its name: it gets it when it is whole and on the disk, or never. Until then it has none,
/// wherever the file system can do that: a process that is killed leaves nothing.
package final class NewFile {
    private let path: String
    private let temporary: String
    /// For writing, and for reading what was written.
    let descriptor: Int32
    /// Whether `temporary` is there and has to go.
    private var hasTemporaryName = false

    /// Creates an empty file in the same folder.
    package init(beside path: String, mode: UInt32) throws(KeychainError) {
        self.path = path
        temporary = path + ".new-\(UInt64.random(in: .min ... .max))"
        if let unnamed = Self.openUnnamed(in: Place.parent(of: path)) {
            descriptor = unnamed
        } else {
            descriptor = unsafe open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(path) cannot be written") }
            hasTemporaryName = true
        }
        // Regardless of the shell's umask.
        guard fchmod(descriptor, mode) == 0 else { throw KeychainError(errno: errno, "\(path) cannot be written") }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if hasTemporaryName { _ = unsafe unlink(temporary) }
    }

    /// - Returns: nil where such a file cannot be, or cannot be given a name later: through `/proc`, as open(2) has it.
    private static func openUnnamed(in folder: String) -> Int32? {
        let descriptor = unsafe clinux_open_unnamed(folder)
        guard descriptor >= 0 else { return nil }
        guard unsafe access(place(of: descriptor), F_OK) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    package func write(_ bytes: [UInt8]) throws(KeychainError) {
        do {
            try unsafe bytes.withUnsafeBytes { bytes in try unsafe write(bytes) }
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.internalError, "\(path) cannot be written")
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(KeychainError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw KeychainError(errno: errno, "\(path) cannot be written")
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Gives the file its name.
    ///
    /// - Parameter replacing: whether another file may have the name until now.
    /// - Throws: `duplicateItem` where it has and may not.
    package func commit(replacing: Bool) throws(KeychainError) {
        guard fsync(descriptor) == 0 else { throw KeychainError(errno: errno, "\(path) cannot be written") }
        if replacing {
            // A link replaces nothing; a renaming does, and needs a name to begin with.
            if !hasTemporaryName { try link(as: temporary) }
            hasTemporaryName = true
            guard unsafe rename(temporary, path) == 0 else {
                throw KeychainError(errno: errno, "\(path) cannot be written")
            }
            hasTemporaryName = false
        } else {
            try link(as: path)
        }
        try Self.synchronizeFolder(of: path)
    }

    private func link(as name: String) throws(KeychainError) {
        let result =
            if hasTemporaryName {
                unsafe Glibc.link(temporary, name)
            } else {
                unsafe linkat(AT_FDCWD, Self.place(of: descriptor), AT_FDCWD, name, AT_SYMLINK_FOLLOW)
            }
        guard result == 0 else {
            throw errno == EEXIST
                ? KeychainError(.duplicateItem, "\(path) is there already")
                : KeychainError(errno: errno, "\(path) cannot be written")
        }
    }

    /// Makes a change of names last.
    static func synchronizeFolder(of path: String) throws(KeychainError) {
        let folder = Place.parent(of: path)
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(folder) cannot be written") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw KeychainError(errno: errno, "\(folder) cannot be written") }
    }
}

extension NewFile {
    /// Belongs to the same user and group as another file, with its permissions.
    func take(owner stamp: FileStamp) throws(KeychainError) {
        guard fchown(descriptor, stamp.owner, stamp.group) == 0 else {
            throw KeychainError(errno: errno, "the file cannot be given to its owner")
        }
        // After that: a change of owner takes set-user-ID and set-group-ID away.
        guard fchmod(descriptor, stamp.mode & 0o7777) == 0 else {
            throw KeychainError(errno: errno, "the file cannot be given its permissions")
        }
    }
}
