package import EtcdMessages

/// What is known of the names that are watched, and of recent blobs.
///
/// It is used where it is whole. Whatever makes it less than that ends its use: then the cluster is asked.
package struct EtcdMirror {
    private struct Entry {
        var revision: Int64
        /// Nil where the blob was not heard of, or is too much.
        var bytes: [UInt8]?
    }

    /// Which watch fills this: another one that is still about to end does not.
    private var watch = 0
    /// What the watched names begin with.
    private var prefix: String?
    private var isWhole = false
    private var entries: [String: Entry] = [:]
    private var kept = 0
    /// As of which revision all is known.
    private var revision: Int64 = 0
    /// What this device is writing, as hashes: it need not be told of that.
    private var own: [String: Int] = [:]

    /// How many bytes of blobs are kept.
    private static let mostKept = 16 << 20
    private static let mostOwn = 1_000

    package init() {}

    // MARK: - A watch

    /// Begins anew, for another watch.
    ///
    /// - Returns: its number.
    package mutating func begin() -> Int {
        let next = watch + 1
        self = EtcdMirror()
        watch = next
        return next
    }

    /// Notes the names that are there. It is used once the watch says that it is there as well.
    package mutating func fill(_ found: EtcdNames.Found, below prefix: String, for watch: Int) {
        guard watch == self.watch else { return }
        forget()
        self.prefix = prefix
        revision = found.revision
        for name in found.names { entries[name.text] = Entry(revision: name.revision) }
    }

    package mutating func use(_ isWhole: Bool, for watch: Int) {
        if watch == self.watch { self.isWhole = isWhole }
    }

    /// Is not used before it is filled again.
    package mutating func end(for watch: Int) {
        if watch == self.watch { forget() }
    }

    private mutating func forget() {
        entries = [:]
        kept = 0
        isWhole = false
    }

    /// What others have changed.
    package enum News: Comparable {
        case nothing
        /// A segment. Its writer names it in a head, which comes next: before that there is nothing to do.
        case segment
        case other
    }

    /// Notes what has changed.
    ///
    /// - Parameter name: that of a key; nil for one that is nobody's.
    package mutating func take(_ answer: Etcd_WatchResponse, for watch: Int, name: (Etcd_KeyValue) -> String?) -> News {
        guard watch == self.watch else { return .nothing }
        var news = News.nothing
        for event in answer.events {
            let at = event.kv.modRevision
            guard let name = name(event.kv) else { continue }
            // One that was listed is of that revision.
            let isNewer = at >= entries[name]?.revision ?? 0
            switch event.kind {
            case .put:
                let bytes = [UInt8](event.kv.value)
                if own.removeValue(forKey: name) != bytes.hashValue { news = max(news, Self.news(of: name)) }
                if isNewer { set(name, at, bytes) }
            case .delete:
                if entries[name] != nil { news = max(news, Self.news(of: name)) }
                if isNewer { remove(name) }
            case .UNRECOGNIZED: news = .other
            }
        }
        // Of one revision there may be another part.
        if !answer.fragment, let last = answer.events.last?.kv.modRevision { revision = max(revision, last) }
        return news
    }

    private static func news(of name: String) -> News {
        name.split(separator: "/", maxSplits: 2).dropFirst().first == "seg" ? .segment : .other
    }

    // MARK: - What is known

    /// - Returns: nil where that is not known; otherwise in the order of their bytes.
    package func names(_ prefix: String) -> [String]? {
        guard isWhole, let watched = self.prefix, prefix.hasPrefix(watched) else { return nil }
        return entries.keys.filter { $0.hasPrefix(prefix) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package enum Blob: Equatable {
        case unknown
        case absent
        case bytes([UInt8])
    }

    package func blob(_ name: String) -> Blob {
        guard isWhole, let prefix, name.hasPrefix(prefix) else { return .unknown }
        guard let entry = entries[name] else { return .absent }
        return entry.bytes.map { .bytes($0) } ?? .unknown
    }

    /// The revision of a name, 0 for one that is not there, nil where that is not known.
    package func revision(of name: String) -> Int64? {
        guard isWhole, let prefix, name.hasPrefix(prefix) else { return nil }
        return entries[name]?.revision ?? 0
    }

    // MARK: - What this device does

    package mutating func willWrite(_ bytes: [UInt8], as name: String) {
        guard let prefix, name.hasPrefix(prefix) else { return }
        // To be told of one's own change once does no harm.
        if own.count >= Self.mostOwn { own = [:] }
        own[name] = bytes.hashValue
    }

    package mutating func hasNotWritten(_ name: String) { own[name] = nil }

    /// Notes what this device has changed, before it is heard of.
    ///
    /// - Parameter bytes: nil for what was removed.
    package mutating func change(_ name: String, to bytes: [UInt8]?, at revision: Int64) {
        // What is known is of that time, or newer.
        guard revision > self.revision, let prefix, name.hasPrefix(prefix), revision > entries[name]?.revision ?? 0
        else {
            return
        }
        if let bytes { set(name, revision, bytes) } else { remove(name) }
    }

    /// Keeps a blob that was read, if it is the one that is known.
    package mutating func keep(_ bytes: [UInt8], of name: String, at revision: Int64) {
        guard isWhole, let entry = entries[name], entry.bytes == nil, entry.revision == revision else { return }
        hold(bytes, of: name)
    }

    private mutating func set(_ name: String, _ revision: Int64, _ bytes: [UInt8]) {
        remove(name)
        guard entries.count < EtcdNames.most else { return isWhole = false }
        entries[name] = Entry(revision: revision)
        hold(bytes, of: name)
    }

    private mutating func hold(_ bytes: [UInt8], of name: String) {
        guard bytes.count <= Self.mostKept / 4 else { return }
        if kept + bytes.count > Self.mostKept {
            for name in entries.keys { entries[name]?.bytes = nil }
            kept = 0
        }
        entries[name]?.bytes = bytes
        kept += bytes.count
    }

    private mutating func remove(_ name: String) { kept -= entries.removeValue(forKey: name)?.bytes?.count ?? 0 }
}
