import CKeychainLinux
import Glibc
package import KeychainSync
package import KeychainSystem

/// Hears of changes in a folder: from the kernel (inotify(7)), and by looking again from time to time, since the kernel does
/// not know what other machines do on a network's file system.
///
/// It is a hint: nothing may have changed, and a change may be heard of twice.
package final class FolderChanges: TransportChanges {
    private let transport: FolderTransport
    private let circle: CircleID
    private let events: Descriptor
    /// Folders, by the numbers that the kernel has given their watches.
    private var watched: Set<Int32> = []
    private let pause: Duration

    package let wakeUp: WakeUp
    package let gathering: Duration = .milliseconds(10)

    private static let changes =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE_SELF)
        | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

    /// - Parameter pause: how long nothing may be heard before the folder is looked at; nil for what the file system needs.
    package init(
        in transport: FolderTransport,
        of circle: CircleID,
        pause: Duration? = nil
    ) throws(SystemError) {
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { throw SystemError("the kernel tells of no changes") }
        events = Descriptor(owning: number)
        wakeUp = try WakeUp()
        self.transport = transport
        self.circle = circle
        let isShared = (try? transport.open([])).map { $0.withNumber { clinux_is_shared($0) } } ?? true
        self.pause = pause ?? (isShared ? .seconds(5) : .seconds(60))
    }

    /// Waits until something may have changed.
    ///
    /// - Returns: false where the deadline came first.
    package func wait(until deadline: ContinuousClock.Instant? = nil) throws(SystemError) -> Bool {
        // What came into a folder before it was watched, nobody tells.
        if watch() { return true }
        let look = ContinuousClock.now + pause
        let end = deadline.map { min($0, look) } ?? look
        let ready = try Waiting.wait(for: (events.number, POLLIN), (wakeUp.number, POLLIN), until: end)
        wakeUp.clear()
        drain()
        return ready.contains(true) || end == look
    }

    /// Watches all folders of the circle.
    ///
    /// - Returns: whether one was not watched before.
    private func watch() -> Bool {
        var found: Set<Int32> = []
        // Those above, too: the circle's may come, go and be replaced.
        var places: [String] = []
        watch(places, &found)
        for place in ["chatelaine", "1", circle.text] {
            places.append(place)
            watch(places, &found)
        }
        for kind in BlobName.Kind.allCases {
            let folder = places + [kind.rawValue]
            watch(folder, &found)
            guard kind == .segment || kind == .join, let open = try? transport.open(folder),
                let names = try? Folder.names(in: open, atMost: FolderTransport.mostNames)
            else { continue }
            for name in names {
                let name = String(decoding: name, as: UTF8.self)
                if SyncName(text: name) != nil { watch(folder + [name], &found) }
            }
        }
        let isNew = !found.isSubset(of: watched)
        for number in watched.subtracting(found) { _ = events.withNumber { inotify_rm_watch($0, number) } }
        watched = found
        return isNew
    }

    private func watch(_ places: [String], _ found: inout Set<Int32>) {
        guard let folder = try? transport.open(places) else { return }
        let number = events.withNumber { events in
            folder.withNumber { unsafe inotify_add_watch(events, "/proc/self/fd/\($0)", Self.changes) }
        }
        // Without a watch, the pause is what is left.
        if number >= 0 { found.insert(number) }
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while let count = try? unsafe buffer.withUnsafeMutableBytes({ try unsafe events.read(into: $0) }), count > 0 {}
    }
}
