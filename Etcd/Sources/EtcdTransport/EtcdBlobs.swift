import EtcdMessages
import FoundationEssentials
import Synchronization

/// The blobs of a circle's devices in a cluster: named bytes below the circle's name, of which this knows nothing more.
///
/// While changes are heard of, names and recent blobs are kept here, so that a round that finds nothing new asks nobody.
package final class EtcdBlobs: Sendable {
    private let cluster: EtcdCluster
    /// What all keys begin with.
    private let root: String
    private let memory = Mutex(Memory())
    private let watching = Mutex<Task<Void, Never>?>(nil)

    /// What is known of the keys that are watched.
    private struct Memory {
        /// What the watched keys begin with, without the root; nil while nothing is heard.
        var prefix: String?
        /// The revision of each name, with the blob where it was heard of and is not too much.
        var names: [String: (revision: Int64, bytes: [UInt8]?)] = [:]
        var kept = 0
        /// What this device is writing: it need not be told of that.
        var own: [String: [UInt8]] = [:]
    }

    /// How many bytes of blobs are kept.
    private static let mostKept = 16 << 20
    /// A circle has not more blobs, nor longer names. What another program writes there is left alone.
    private static let mostNames = 80_000
    private static let longestName = 256
    private static let page: Int64 = 1_000
    /// Names are asked for anew from time to time: a cluster that was set back and is as far again would not be noticed.
    private static let lookAgain: Duration = .seconds(3_600)

    package init(of circle: String, in cluster: EtcdCluster) {
        self.cluster = cluster
        root = circle + "/chatelaine/1/"
    }

    deinit { watching.withLock { $0?.cancel() } }

    // MARK: - The functions of a transport

    /// The names of folders below the root.
    package func circles() async throws(EtcdFailure) -> [String] {
        var found: [String] = []
        var start = root
        // One key of each is enough: the next begins after all that it can have.
        while let key = try await page(from: start, to: Self.end(of: root), limit: 1).names.first,
            let name = key.dropFirst(root.count).split(separator: "/", omittingEmptySubsequences: false).first,
            found.count < 1_000
        {
            found.append(String(name))
            start = Self.end(of: root + name + "/")
        }
        return found
    }

    /// - Parameter prefix: of names, such as `CIRCLE/head/`.
    package func list(_ prefix: String) async throws(EtcdFailure) -> [String] {
        let known: [String]? = memory.withLock { memory in
            guard let watched = memory.prefix, prefix.hasPrefix(watched) else { return nil }
            return memory.names.keys.filter { $0.hasPrefix(prefix) }
        }
        if let known { return known }
        return try await look(at: prefix).names.map(\.name)
    }

    /// - Returns: nil for what is not there, or longer.
    package func read(_ name: String, atMost most: Int) async throws(EtcdFailure) -> [UInt8]? {
        let known: (isKnown: Bool, bytes: [UInt8]?) = memory.withLock { memory in
            guard let watched = memory.prefix, name.hasPrefix(watched) else { return (false, nil) }
            guard let entry = memory.names[name] else { return (true, nil) }
            return (entry.bytes != nil, entry.bytes)
        }
        var bytes = known.bytes
        if !known.isKnown {
            var request = Etcd_RangeRequest()
            request.key = Self.data(root + name)
            if let found = try await cluster.call(KV.range, request).kvs.first {
                let value = [UInt8](found.value)
                bytes = value
                memory.withLock { Self.keep(value, of: name, found.modRevision, &$0) }
            }
        }
        guard let bytes, bytes.count <= most else { return nil }
        return bytes
    }

    package func write(_ bytes: [UInt8], as name: String) async throws(EtcdFailure) {
        var request = Etcd_PutRequest()
        request.key = Self.data(root + name)
        request.value = .init(bytes)
        memory.withLock { if $0.prefix.map(name.hasPrefix) == true { $0.own[name] = bytes } }
        let answer: Etcd_PutResponse
        do throws(EtcdFailure) {
            answer = try await cluster.call(KV.put, request)
        } catch {
            memory.withLock { $0.own[name] = nil }
            throw error
        }
        // It may be listed before it is heard of.
        memory.withLock { memory in
            guard let watched = memory.prefix, name.hasPrefix(watched) else { return }
            if let known = memory.names[name], known.revision >= answer.header.revision { return }
            Self.set(name, answer.header.revision, bytes, &memory)
        }
    }

    package func remove(_ name: String) async throws(EtcdFailure) {
        var request = Etcd_DeleteRangeRequest()
        request.key = Self.data(root + name)
        _ = try await cluster.call(KV.remove, request)
        memory.withLock { Self.forget(name, &$0) }
    }

    // MARK: - Hearing of changes

    /// Hears of changes from now on.
    ///
    /// - Parameters:
    ///   - prefix: of names; other ones are not watched any more.
    ///   - tell: is called for each change that this device has not made, and once all names are known.
    package func watch(_ prefix: String, tell: @escaping @Sendable () -> Void) {
        watching.withLock { task in
            task?.cancel()
            memory.withLock { $0 = Memory() }
            task = Task { [weak self, cluster, root] in
                var state = Resumption()
                var pause = Duration.milliseconds(50)
                while !Task.isCancelled {
                    let begun = ContinuousClock.now
                    let next = await Self.hear(prefix, root, cluster, from: state) { [weak self] in
                        self
                    } tell: {
                        tell()
                    }
                    self?.memory.withLock { $0.prefix = nil }
                    state = next
                    // One that has lasted has not failed at once.
                    pause = ContinuousClock.now - begun > .seconds(5) ? .milliseconds(50) : min(pause * 2, .seconds(5))
                    try? await Task.sleep(for: pause)
                }
            }
        }
    }

    /// Where a watch goes on that was broken off.
    private struct Resumption: Sendable {
        /// The last revision of which all is known; nil where names have to be asked for.
        var revision: Int64?
        /// Of the cluster, and of its leader's election. Both are others after the cluster was set back.
        var cluster: UInt64 = 0
        var term: UInt64 = 0
        var looked = ContinuousClock.now
    }

    private struct Stopped: Error {}

    /// Hears of changes until something fails.
    ///
    /// - Returns: where the next watch goes on.
    private static func hear(
        _ prefix: String,
        _ root: String,
        _ cluster: EtcdCluster,
        from start: Resumption,
        _ blobs: @escaping @Sendable () -> EtcdBlobs?,
        tell: @escaping @Sendable () -> Void
    ) async -> Resumption {
        let state = Mutex(start)
        do {
            if start.revision == nil {
                guard let blobs = blobs() else { return start }
                let found = try await blobs.look(at: prefix)
                state.withLock {
                    $0.revision = found.revision; $0.looked = .now
                }
                blobs.memory.withLock { memory in
                    memory = Memory()
                    for name in found.names { memory.names[name.name] = (name.revision, nil) }
                }
            }
            var request = Etcd_WatchCreateRequest()
            request.key = data(root + prefix)
            request.rangeEnd = data(end(of: root + prefix))
            request.startRevision = (state.withLock { $0.revision } ?? 0) + 1
            request.fragment = true
            try await cluster.watch(request) { answer in
                guard let blobs = blobs() else { throw Stopped() }
                let isGood = state.withLock { state in
                    let header = answer.header
                    if answer.created {
                        let isSame =
                            state.cluster == 0 || (state.cluster == header.clusterID && state.term == header.raftTerm)
                        // A cluster that knows less than it did was set back: it would tell nothing until it is as far again.
                        guard isSame, header.revision >= (state.revision ?? 0) else { return false }
                        (state.cluster, state.term) = (header.clusterID, header.raftTerm)
                    }
                    // Whether compacted, or not allowed any more.
                    return !answer.canceled
                }
                guard isGood else {
                    state.withLock { $0 = Resumption() }
                    throw Stopped()
                }
                let isNew = blobs.take(answer, prefix)
                // The answer's own revision may be of changes that are still to come.
                if !answer.fragment, let last = answer.events.last?.kv.modRevision {
                    state.withLock { $0.revision = max($0.revision ?? 0, last) }
                }
                if isNew || answer.created { tell() }
                if state.withLock({ ContinuousClock.now - $0.looked > lookAgain }) {
                    state.withLock { $0.revision = nil }
                    throw Stopped()
                }
            }
        } catch {}
        return state.withLock { $0 }
    }

    /// Notes what has changed.
    ///
    /// - Returns: whether somebody else has changed it.
    private func take(_ answer: Etcd_WatchResponse, _ prefix: String) -> Bool {
        memory.withLock { memory in
            if answer.created { memory.prefix = prefix }
            var isNew = false
            for event in answer.events {
                guard event.kv.key.count > root.utf8.count else { continue }
                let name = String(decoding: event.kv.key.dropFirst(root.utf8.count), as: UTF8.self)
                switch event.kind {
                case .put:
                    let bytes = [UInt8](event.kv.value)
                    if memory.own.removeValue(forKey: name) != bytes { isNew = true }
                    Self.set(name, event.kv.modRevision, bytes, &memory)
                case .delete:
                    if memory.names[name] != nil { isNew = true }
                    Self.forget(name, &memory)
                case .UNRECOGNIZED: isNew = true
                }
            }
            return isNew
        }
    }

    private static func set(_ name: String, _ revision: Int64, _ bytes: [UInt8], _ memory: inout Memory) {
        forget(name, &memory)
        guard memory.names.count < mostNames, name.utf8.count <= longestName else { return }
        memory.names[name] = (revision, nil)
        keep(bytes, of: name, revision, &memory)
    }

    /// Keeps a blob that is listed, in that revision.
    private static func keep(_ bytes: [UInt8], of name: String, _ revision: Int64, _ memory: inout Memory) {
        guard memory.prefix != nil, let entry = memory.names[name], entry.bytes == nil, entry.revision == revision,
            bytes.count <= mostKept / 4
        else { return }
        if memory.kept + bytes.count > mostKept {
            for name in memory.names.keys { memory.names[name]?.bytes = nil }
            memory.kept = 0
        }
        memory.names[name] = (entry.revision, bytes)
        memory.kept += bytes.count
    }

    private static func forget(_ name: String, _ memory: inout Memory) {
        memory.kept -= memory.names.removeValue(forKey: name)?.bytes?.count ?? 0
    }

    // MARK: - Keys

    private struct Names {
        var names: [(name: String, revision: Int64)] = []
        /// As of which they are there; newer ones may be among them.
        var revision: Int64 = 0
    }

    private func look(at prefix: String) async throws(EtcdFailure) -> Names {
        var found = Names()
        var start = root + prefix
        let end = Self.end(of: start)
        while found.names.count < Self.mostNames {
            let page = try await page(from: start, to: end, limit: Self.page)
            if found.revision == 0 { found.revision = page.revision }
            for (name, revision) in zip(page.names, page.revisions)
            where name.utf8.count <= root.utf8.count + Self.longestName {
                found.names.append((String(name.dropFirst(root.count)), revision))
            }
            guard page.hasMore, let last = page.names.last else { break }
            start = last + "\0"
        }
        return found
    }

    private struct Page {
        let names: [String]
        let revisions: [Int64]
        let revision: Int64
        let hasMore: Bool
    }

    private func page(from start: String, to end: String, limit: Int64) async throws(EtcdFailure) -> Page {
        var request = Etcd_RangeRequest()
        request.key = Self.data(start)
        request.rangeEnd = Self.data(end)
        request.limit = limit
        request.keysOnly = true
        let answer = try await cluster.call(KV.range, request)
        return Page(
            names: answer.kvs.map { String(decoding: $0.key, as: UTF8.self) },
            revisions: answer.kvs.map(\.modRevision),
            revision: answer.header.revision,
            hasMore: answer.more
        )
    }

    private static func data(_ text: String) -> Data { Data(text.utf8) }

    /// The first key after all that begin so.
    package static func end(of prefix: String) -> String {
        var bytes = Array(prefix.utf8)
        // No name that is checked has the greatest byte, nor ends with one.
        bytes[bytes.count - 1] += 1
        return String(decoding: bytes, as: UTF8.self)
    }
}
