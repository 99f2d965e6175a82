import Glibc
import KeychainModel

/// A file on its way to its name: it gets it when it is whole and on the disk, or never.
final class NewFile {
    private let path: String
    private let temporary: String
    let descriptor: Int32
    private var isCommitted = false

    /// Creates an empty file in the same folder.
    init(beside path: String, mode: mode_t) throws(KeychainError) {
        self.path = path
        temporary = path + ".new-\(UInt64.random(in: .min ... .max))"
        descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(path) cannot be written") }
        // Whatever the mask of the shell is.
        guard fchmod(descriptor, mode) == 0 else { throw KeychainError(errno: errno, "\(path) cannot be written") }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isCommitted { _ = unsafe unlink(temporary) }
    }

    func write(_ bytes: [UInt8]) throws(KeychainError) {
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
    func commit(replacing: Bool) throws(KeychainError) {
        guard fsync(descriptor) == 0 else { throw KeychainError(errno: errno, "\(path) cannot be written") }
        if replacing {
            guard unsafe rename(temporary, path) == 0 else {
                throw KeychainError(errno: errno, "\(path) cannot be written")
            }
        } else {
            guard unsafe link(temporary, path) == 0 else {
                throw errno == EEXIST
                    ? KeychainError(.duplicateItem, "\(path) is there already")
                    : KeychainError(errno: errno, "\(path) cannot be written")
            }
            _ = unsafe unlink(temporary)
        }
        isCommitted = true
        try Self.synchronizeFolder(of: path)
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
