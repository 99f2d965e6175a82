import Glibc
import KeychainModel

/// What changes about a file whenever its contents change.
struct FileStamp: Sendable, Equatable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    let modified: FileTime
    let changed: FileTime

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(clamping: status.st_size)
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        modified = FileTime(status.st_mtim)
        changed = FileTime(status.st_ctim)
    }

    init(of descriptor: Int32) throws(KeychainError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw KeychainError(errno: errno, "a file cannot be looked at")
        }
        self.init(status)
    }

    /// Of what a path names; links are not followed.
    ///
    /// - Returns: nil if there is nothing.
    init?(path: String) throws(KeychainError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw KeychainError(errno: errno, "\(path) cannot be looked at")
        }
        self.init(status)
    }

    var isFile: Bool { mode & S_IFMT == S_IFREG }
    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isWritableToOthers: Bool { mode & 0o022 != 0 }
    var isSticky: Bool { mode & S_ISVTX != 0 }
}

/// A moment of the clock that files are stamped by, in seconds and nanoseconds since 1970.
package struct FileTime: Sendable, Hashable, Comparable {
    package let seconds: Int64
    package let nanoseconds: Int64

    package init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    package static var now: FileTime {
        var time = timespec()
        // It fails for no clock that there is.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    package static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Whether a file with this stamp, looked at now, would get another by its next change. Kernels before 6.13 stamp by a
    /// clock that stands still for some milliseconds, other file systems for as long as two seconds.
    func isSettled(at now: FileTime) -> Bool {
        // One in the future says that the clock was set back, and no more.
        now.seconds.subtractingReportingOverflow(seconds).partialValue > 2 && self < now
    }
}
