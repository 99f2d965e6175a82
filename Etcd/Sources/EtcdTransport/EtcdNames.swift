import EtcdMessages
import FoundationEssentials

/// Asks a cluster for the names of blobs, a page at a time.
///
/// What a server answers, and what another program has written there, may be anything: keys that are no text, as long as a request,
/// or not in their order. Pages go by the bytes of keys, and a page that does not lead on is the last one.
package struct EtcdNames: Sendable {
    let cluster: EtcdCluster
    /// What all keys begin with that count.
    let root: String

    package struct Found: Sendable {
        package var names: [(text: String, revision: Int64)]
        /// As of which they are there; newer ones may be among them.
        package var revision: Int64
        /// Whether all are among them.
        package var isWhole = true

        package init(_ names: [(text: String, revision: Int64)], asOf revision: Int64) {
            self.names = names
            self.revision = revision
        }
    }

    static let longest = 256
    /// A circle has not more blobs.
    package static let most = 80_000
    private static let page: Int64 = 1_000
    /// How many pages are read, among them those with other programs' keys, and how long that may take. Who has asked waits.
    private static let mostPages = 4_000
    private static let patience: Duration = .seconds(20)
    private static let mostFolders = 100

    /// - Parameter prefix: of names.
    /// - Returns: names in the order of their bytes.
    func look(at prefix: String) async throws(EtcdFailure) -> Found {
        var found = Found([], asOf: 0)
        var start = Data((root + prefix).utf8)
        let end = Self.end(of: start)
        let deadline = ContinuousClock.now + Self.patience
        var limit = Self.page
        for number in 0..<Self.mostPages {
            let page = try await page(from: start, to: end, limit: &limit, until: deadline)
            if number == 0 { found.revision = page.revision }
            for key in page.keys {
                if let name = name(of: key.bytes) { found.names.append((name, key.revision)) }
            }
            guard let next = page.next else { return found }
            guard found.names.count < Self.most else { break }
            start = next
        }
        found.isWhole = false
        found.names.removeLast(max(found.names.count - Self.most, 0))
        return found
    }

    /// The names of folders below the root that circles can have: 64 small hexadecimal digits.
    func folders() async throws(EtcdFailure) -> [String] {
        var found: [String] = []
        var start = Data(root.utf8)
        let end = Self.end(of: start)
        let deadline = ContinuousClock.now + Self.patience
        for _ in 0..<Self.mostPages where found.count < Self.mostFolders {
            // One key of each is enough.
            var limit: Int64 = 1
            let page = try await page(from: start, to: end, limit: &limit, until: deadline)
            guard let key = page.keys.first?.bytes else { break }
            let folder = key.dropFirst(root.utf8.count).prefix { $0 != UInt8(ascii: "/") }
            if folder.count == 64, folder.allSatisfy(Self.isDigit), key.count > root.utf8.count + folder.count {
                found.append(String(decoding: folder, as: UTF8.self))
            }
            // The next one begins after all that this one can have.
            let after = Self.end(of: key.prefix(root.utf8.count + folder.count) + Data("/".utf8))
            guard start.lexicographicallyPrecedes(after), after.lexicographicallyPrecedes(end) else { break }
            start = after
        }
        return found
    }

    /// - Returns: nil for a key that is nobody's.
    func name(of key: Data) -> String? {
        let name = key.dropFirst(root.utf8.count)
        guard key.starts(with: root.utf8), (1...Self.longest).contains(name.count), name.allSatisfy(Self.isPlain) else {
            return nil
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private struct Page {
        let keys: [(bytes: Data, revision: Int64)]
        let revision: Int64
        /// Where the next one begins; nil after the last one.
        let next: Data?
    }

    /// - Parameter limit: becomes smaller where so many keys are too much for an answer, and larger again after others.
    private func page(
        from start: Data,
        to end: Data,
        limit: inout Int64,
        until deadline: ContinuousClock.Instant
    ) async throws(EtcdFailure) -> Page {
        var request = Etcd_RangeRequest()
        request.key = start
        request.rangeEnd = end
        request.keysOnly = true
        while true {
            guard ContinuousClock.now < deadline else {
                throw EtcdFailure(.unreachable, "the cluster takes too long to name what it has")
            }
            request.limit = limit
            do throws(EtcdFailure) {
                let left = deadline - .now
                let answer = try await cluster.call(KV.range, request, within: min(EtcdCluster.patience, left))
                let page = try Self.page(answer, after: start, limit)
                limit = min(limit * 2, Self.page)
                return page
            } catch {
                // Of long keys fewer fit into an answer.
                guard error.isTooLarge, limit > 1 else { throw error }
                limit = max(limit / 8, 1)
            }
        }
    }

    private static func page(
        _ answer: Etcd_RangeResponse,
        after start: Data,
        _ limit: Int64
    ) throws(EtcdFailure) -> Page {
        let revisions = [answer.header.revision] + answer.kvs.map(\.modRevision)
        guard answer.kvs.count <= limit, revisions.allSatisfy(EtcdCluster.isRevision) else {
            throw EtcdFailure(.other, "the cluster does not answer as etcd does")
        }
        let next = answer.more ? answer.kvs.last.map { $0.key + [0] } : nil
        return Page(
            keys: answer.kvs.map { ($0.key, $0.modRevision) },
            revision: answer.header.revision,
            next: next.flatMap { start.lexicographicallyPrecedes($0) ? $0 : nil }
        )
    }

    /// The first key after all that begin so.
    static func end(of prefix: Data) -> Data {
        var bytes = prefix
        // What is checked does not end with the greatest byte.
        bytes[bytes.endIndex - 1] += 1
        return bytes
    }
}
