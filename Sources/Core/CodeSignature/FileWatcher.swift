import Glibc
import Synchronization

/// Hears from the kernel whether files may have become others (inotify(7)).
///
/// Device and inode name a file for as long as its file system is mounted somewhere. The kernel keeps the inode of a watched
/// file in memory, so that no other file gets its number, and tells of the end of its file system before another one can
/// get the device's number. A watch keeps nobody from unmounting.
final class FileWatcher: Sendable {
    /// A file that is watched from the making of this object on.
    final class Watch: Sendable {
        private let number: Int32
        private let mark: Mark
        private let watcher: FileWatcher

        fileprivate init(_ number: Int32, _ mark: Mark, by watcher: FileWatcher) {
            self.number = number
            self.mark = mark
            self.watcher = watcher
        }

        deinit {
            watcher.giveUp(number, mark)
        }

        /// Whether the file was not written to, and its status and its file system have not changed, up to now.
        var isWhole: Bool {
            watcher.hear()
            return !mark.isBroken.load(ordering: .acquiring)
        }
    }

    /// Not the watches themselves: the last of them must not end under the lock.
    fileprivate final class Mark: Sendable {
        let isBroken = Atomic(false)
    }

    private struct Place {
        let mark: Mark
        var watches: Int
    }

    private let events: Int32
    /// By the kernel's numbers, which it counts up for each watch. All that asks the kernel is done under this lock.
    private let places = Mutex<[Int32: Place]>([:])

    /// What other files are written to, or whoever may read one opens it, is not told.
    private static let changes = UInt32(IN_MODIFY) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF)

    /// - Returns: nil where the kernel, or the user's limit, allows none.
    init?() {
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { return nil }
        events = number
    }

    deinit {
        close(events)
    }

    /// How many files are watched.
    var count: Int { places.withLock { $0.count } }

    /// - Parameter descriptor: of a file that this process's user may read.
    /// - Returns: nil where it cannot be watched.
    func watch(_ descriptor: Int32) -> Watch? {
        places.withLock { places in
            // Of a file that is watched already, what has happened so far is its earlier watch's to know.
            hear(&places)
            let number = unsafe inotify_add_watch(events, "/proc/self/fd/\(descriptor)", Self.changes)
            guard number >= 0 else { return nil }
            var place = places[number] ?? Place(mark: Mark(), watches: 0)
            place.watches += 1
            places[number] = place
            return Watch(number, place.mark, by: self)
        }
    }

    private func giveUp(_ number: Int32, _ mark: Mark) {
        places.withLock { places in
            guard var place = places[number], place.mark === mark else { return }
            place.watches -= 1
            places[number] = place.watches > 0 ? place : nil
            if place.watches <= 0 { inotify_rm_watch(events, number) }
        }
    }

    fileprivate func hear() {
        places.withLock { hear(&$0) }
    }

    private func hear(_ places: inout [Int32: Place]) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(events, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return breakAll(&places) }
            var start = 0
            while start + Self.headerSize <= count {
                let (number, mask, length) = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe (
                        bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                        bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                        bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self)
                    )
                }
                start += Self.headerSize + Int(length)
                // Some were told and had no room.
                if mask & UInt32(IN_Q_OVERFLOW) != 0 { breakAll(&places) } else { breakOff(number, mask, &places) }
            }
        }
    }

    /// `struct inotify_event` without a name.
    private static let headerSize = 16

    private func breakOff(_ number: Int32, _ mask: UInt32, _ places: inout [Int32: Place]) {
        guard let place = places.removeValue(forKey: number) else { return }
        place.mark.isBroken.store(true, ordering: .releasing)
        // The kernel has ended it already where it says so; else the next watch of the file has to be another one.
        if mask & UInt32(IN_IGNORED) == 0 { inotify_rm_watch(events, number) }
    }

    private func breakAll(_ places: inout [Int32: Place]) {
        for number in Array(places.keys) { breakOff(number, 0, &places) }
    }
}
