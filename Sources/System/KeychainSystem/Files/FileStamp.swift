package import Glibc

/// What changes about a file whenever its contents change.
package struct FileStamp: Sendable, Equatable {
    package let device: UInt64
    package let inode: UInt64
    package let size: UInt64
    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32
    /// How many names it has.
    package let links: UInt64
    package let modified: FileTime
    package let changed: FileTime

    package init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(clamping: status.st_size)
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        links = UInt64(status.st_nlink)
        modified = FileTime(status.st_mtim)
        changed = FileTime(status.st_ctim)
    }

    /// Of what a path names.
    ///
    /// - Parameters:
    ///   - folder: an open folder, for a path that begins there.
    ///   - followingLinks: whether it is what a link leads to, and not the link.
    /// - Returns: nil if there is nothing.
    package init?(
        path: String,
        in folder: (any OpenDescriptor)? = nil,
        followingLinks: Bool = false
    ) throws(SystemError) {
        var status = stat()
        guard unsafe fstatat(folder?.number ?? AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0
        else {
            if errno == ENOENT { return nil }
            throw SystemError("\(path) cannot be looked at")
        }
        self.init(status)
    }

    /// Whether it is of the same file, whatever that had in it.
    package func isSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

    /// Of what a path names; links are not followed.
    ///
    /// - Returns: nil if there is nothing, or it cannot be looked at.
    package static func ofFile(_ path: String) -> FileStamp? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? FileStamp(status) : nil
    }

    package var isFile: Bool { mode & S_IFMT == S_IFREG }
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isWritableToOthers: Bool { mode & 0o022 != 0 }
    package var isReadableToOthers: Bool { mode & 0o044 != 0 }
    package var isSticky: Bool { mode & S_ISVTX != 0 }
}
