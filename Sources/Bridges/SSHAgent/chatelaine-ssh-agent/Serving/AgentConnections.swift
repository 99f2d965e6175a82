import Glibc
import Synchronization

/// The open connections, and which of them gives way to a new one.
final class AgentConnections: Sendable {
    private struct Entry {
        let descriptor: Int32
        /// When it began to wait for a request, in order; nil while one is worked on or arrives.
        var idleSince: UInt64?
        var isLeaving = false
    }

    private struct Content {
        var entries: [UInt64: Entry] = [:]
        var counter: UInt64 = 0
    }

    private let content = Mutex(Content())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place. Where all are taken, the connection that is idle for longest is shut down: `ssh -A` and programs that
    /// keep one open have no right to it.
    ///
    /// - Returns: nil where all are busy.
    func admit(_ descriptor: Int32) -> UInt64? {
        content.withLock { content in
            if content.entries.count(where: { !$0.value.isLeaving }) >= limit {
                let idle = content.entries.filter { $0.value.idleSince != nil && !$0.value.isLeaving }
                let oldest = idle.min { ($0.value.idleSince ?? .max) < ($1.value.idleSince ?? .max) }
                guard let (key, entry) = oldest else { return nil }
                content.entries[key]?.isLeaving = true
                // Its thread wakes up, and closes it.
                shutdown(entry.descriptor, Int32(SHUT_RDWR))
            }
            content.counter += 1
            content.entries[content.counter] = Entry(descriptor: descriptor, idleSince: content.counter)
            return content.counter
        }
    }

    func setIdle(_ isIdle: Bool, _ key: UInt64) {
        content.withLock { content in
            content.counter += 1
            content.entries[key]?.idleSince = isIdle ? content.counter : nil
        }
    }

    /// Closes it, so that its number is not used before it has left the table.
    func close(_ key: UInt64) {
        content.withLock { content in
            guard let entry = content.entries.removeValue(forKey: key) else { return }
            Glibc.close(entry.descriptor)
        }
    }
}
