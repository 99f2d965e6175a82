import Glibc

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
    package func isSettled(at now: FileTime) -> Bool {
        // One in the future says that the clock was set back, and no more.
        now.seconds.subtractingReportingOverflow(seconds).partialValue > 2 && self < now
    }
}
