import EtcdMessages
package import FoundationEssentials
import SwiftProtobuf
import Synchronization

/// The blobs of a circle's devices in a cluster: named bytes below the circle's name, of which this knows nothing more.
///
/// While changes are heard of, names and recent blobs are kept here, so that a round that finds nothing new asks nobody.
package final class EtcdBlobs: Sendable {
    private let cluster: EtcdCluster
    private let names: EtcdNames
    /// Names are asked for anew from time to time: what a cluster has lost, it does not tell.
    private let lookAgain: Duration
    private let mirror = Mutex(EtcdMirror())
    private let watching = Mutex<Task<Void, Never>?>(nil)

    package init(of circle: String, in cluster: EtcdCluster, lookAgain: Duration = .seconds(3_600)) {
        self.cluster = cluster
        names = EtcdNames(cluster: cluster, root: circle + "/chatelaine/1/")
        self.lookAgain = lookAgain
    }

    deinit { watching.withLock { $0?.cancel() } }

    // MARK: - The functions of a transport

    /// The names of circles below the root.
    package func circles() async throws(EtcdFailure) -> [String] { try await names.folders() }

    /// - Parameter prefix: of names, such as `CIRCLE/head/`.
    /// - Returns: names in the order of their bytes. Where a circle has more than it can have, the first of them.
    package func list(_ prefix: String) async throws(EtcdFailure) -> [String] {
        if let known = mirror.withLock({ $0.names(prefix) }) { return known }
        return try await names.look(at: prefix).names.map(\.text)
    }

    /// - Returns: nil for what is not there, or longer.
    package func read(_ name: String, atMost most: Int) async throws(EtcdFailure) -> [UInt8]? {
        var bytes: [UInt8]?
        switch mirror.withLock({ $0.blob(name) }) {
        case .absent: return nil
        case .bytes(let known): bytes = known
        case .unknown:
            var request = Etcd_RangeRequest()
            request.key = key(name)
            if let found = try await cluster.call(KV.range, request).kvs.first {
                let value = [UInt8](found.value)
                bytes = value
                mirror.withLock { $0.keep(value, of: name, at: found.modRevision) }
            }
        }
        guard let bytes, bytes.count <= most else { return nil }
        return bytes
    }

    package func write(_ bytes: [UInt8], as name: String) async throws(EtcdFailure) { try await write([(name, bytes)]) }

    /// Writes all of them or, where this throws and some attempt does not come later, none.
    ///
    /// - Parameter blobs: of different names.
    package func write(_ blobs: [(name: String, bytes: [UInt8])]) async throws(EtcdFailure) {
        mirror.withLock { mirror in for blob in blobs { mirror.willWrite(blob.bytes, as: blob.name) } }
        do throws(EtcdFailure) {
            try await change(blobs.map { ($0.name, $0.bytes) })
        } catch {
            mirror.withLock { mirror in for blob in blobs { mirror.hasNotWritten(blob.name) } }
            throw error
        }
    }

    package func remove(_ name: String) async throws(EtcdFailure) { try await change([(name, nil)]) }

    /// Writes or removes blobs if they are as they were.
    ///
    /// A call that got no answer is made again, and its first attempt may be done much later, by a node that was stopped: it must
    /// not undo what was written meanwhile.
    private func change(_ changes: [(name: String, bytes: [UInt8]?)]) async throws(EtcdFailure) {
        let keys = changes.map { key($0.name) }
        var known = mirror.withLock { mirror in changes.map { mirror.revision(of: $0.name) ?? 0 } }
        let end = ContinuousClock.now + Self.patience
        for _ in 0..<Self.mostChanges {
            var request = Etcd_TxnRequest()
            request.compare = zip(keys, known).map { key, revision in
                .with { ($0.key, $0.target, $0.modRevision) = (key, .mod, revision) }
            }
            request.success = zip(keys, changes).map { key, change in
                .with {
                    if let bytes = change.bytes {
                        $0.put = .with { ($0.key, $0.value) = (key, Data(bytes)) }
                    } else {
                        $0.remove = .with { $0.key = key }
                    }
                }
            }
            // Without their values, which may be of any size.
            request.failure = keys.map { key in .with { $0.range = .with { ($0.key, $0.keysOnly) = (key, true) } } }
            let answer = try await cluster.call(KV.change, request, within: min(EtcdCluster.patience, end - .now))
            let revision = answer.header.revision
            guard EtcdCluster.isRevision(revision) else { break }
            if answer.succeeded {
                return mirror.withLock { mirror in
                    for change in changes { mirror.change(change.name, to: change.bytes, at: revision) }
                }
            }
            known = keys.indices.map { index in
                let found = answer.responses.indices.contains(index) ? answer.responses[index].range.kvs.first : nil
                return found?.modRevision ?? 0
            }
            guard ContinuousClock.now < end else { break }
        }
        let names = changes.map(\.name).joined(separator: ", ")
        throw EtcdFailure(.other, "others change \(names) all the time, or the cluster does not answer as etcd does")
    }

    private static let mostChanges = 8
    /// Who has asked waits.
    private static let patience: Duration = .seconds(20)

    private func key(_ name: String) -> Data { Data((names.root + name).utf8) }

    /// All keys that a circle's devices may use, and the first one after them.
    package static func keys(of circle: String) -> (first: Data, end: Data) {
        let first = Data((circle + "/").utf8)
        return (first, EtcdNames.end(of: first))
    }

    // MARK: - Hearing of changes

    /// Hears of changes from now on.
    ///
    /// - Parameters:
    ///   - prefix: of names; other ones are not watched any more.
    ///   - tell: is called for each change that this device has not made, and each time when all names are known. For segments it is
    ///     called a little later, if nothing else comes.
    package func watch(_ prefix: String, tell: @escaping @Sendable () -> Void) {
        watching.withLock { task in
            task?.cancel()
            let number = mirror.withLock { $0.begin() }
            task = Task { [weak self, lookAgain] in
                var pause = Self.shortestPause
                while !Task.isCancelled {
                    let created = Mutex<ContinuousClock.Instant?>(nil)
                    // What was missed is never asked for: names are, which also shows what the cluster has lost.
                    let hearing = self?.hearing(prefix, number, tell: tell) { created.withLock { $0 = .now } }
                    guard let hearing else { return }
                    await Self.run(hearing, atMost: lookAgain)
                    self?.mirror.withLock { $0.end(for: number) }
                    // One that has lasted has not failed at once.
                    let hasLasted = created.withLock { $0.map { .now - $0 > Self.longestPause } } ?? false
                    pause = hasLasted ? Self.shortestPause : min(pause * 2, Self.longestPause)
                    try? await Task.sleep(for: pause)
                }
            }
        }
    }

    private static let shortestPause: Duration = .milliseconds(50)
    private static let longestPause: Duration = .seconds(5)

    private static func run(_ body: @escaping @Sendable () async throws -> Void, atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { try? await body() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private struct Stopped: Error {}

    /// Tells at once, or a little later if that does not happen.
    private final class Later: Sendable {
        private let tell: @Sendable () -> Void
        private let waiting = Mutex<Task<Void, Never>?>(nil)

        private static let pause: Duration = .milliseconds(200)

        init(_ tell: @escaping @Sendable () -> Void) {
            self.tell = tell
        }

        func now() {
            waiting.withLock { waiting in
                waiting?.cancel()
                waiting = nil
            }
            tell()
        }

        func soon() {
            waiting.withLock { waiting in
                guard waiting == nil else { return }
                waiting = Task { [weak self] in
                    try? await Task.sleep(for: Self.pause)
                    if !Task.isCancelled { self?.now() }
                }
            }
        }
    }

    /// Hears of changes until something fails. It keeps nothing alive meanwhile.
    private func hearing(
        _ prefix: String,
        _ number: Int,
        tell: @escaping @Sendable () -> Void,
        isThere: @escaping @Sendable () -> Void
    ) -> @Sendable () async throws -> Void {
        let (cluster, names) = (cluster, names)
        let later = Later(tell)
        return { [weak self] in
            let found = try await names.look(at: prefix)
            self?.mirror.withLock { $0.fill(found, below: prefix, for: number) }
            var request = Etcd_WatchCreateRequest()
            request.key = Data((names.root + prefix).utf8)
            request.rangeEnd = EtcdNames.end(of: request.key)
            request.startRevision = found.revision + 1
            request.fragment = true
            try await cluster.watch(request) { [weak self] answer in
                // A cluster that was set back meanwhile would tell nothing until it is as far again. Compacted, or not allowed any more.
                let isGood =
                    answer.header.revision >= found.revision && !answer.canceled
                    && answer.events.allSatisfy { EtcdCluster.isRevision($0.kv.modRevision) }
                guard isGood, let self else { throw Stopped() }
                let news = self.mirror.withLock { mirror in
                    if answer.created { mirror.use(found.isWhole, for: number) }
                    return mirror.take(answer, for: number) { names.name(of: $0.key) }
                }
                if answer.created { isThere() }
                if news == .other || answer.created { later.now() } else if news == .segment { later.soon() }
            }
        }
    }
}
