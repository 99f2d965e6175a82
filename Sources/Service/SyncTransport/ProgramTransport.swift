import Glibc
package import KeychainSync
import KeychainSystem
import Synchronization

/// A transport that a program of its own speaks to, so that what it needs is in no other process of ours.
///
/// The program is started when it is asked for something, and again where it has ended. It sees what is carried, and knows no
/// key: docs/formats/transport-program.md has the protocol.
package final class ProgramTransport: PlacedTransport {
    package let place: TransportPlace
    private let path: String?
    private let patience: Duration
    private let connection = Mutex<ProgramConnection?>(nil)
    /// The circle that is watched.
    private let watched = Mutex<CircleID?>(nil)

    /// - Parameters:
    ///   - path: of the program; nil for the one that is installed with this one.
    ///   - patience: how long an answer may take. The program has limits of its own, which are shorter.
    package init(_ place: TransportPlace, path: String? = nil, patience: Duration = .seconds(30)) {
        self.place = place
        self.patience = patience
        self.path = path ?? Self.installed
    }

    private static let name = "chatelaine-etcd"

    /// In `libexec/chatelaine`, or beside this program in a folder of what was built.
    private static var installed: String? {
        guard let folder = OwnProgram.folder else { return nil }
        return ["\(folder)/\(name)", "\(folder)/../libexec/chatelaine/\(name)"].first(where: ChildProgram.isExecutable)
    }

    // MARK: - The functions of a transport

    package func circles() throws(SyncTransportFailure) -> [CircleID] {
        try names(ask("circles")).compactMap { SyncHash(text: $0) }
    }

    package func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        try names(ask("list \(kind.rawValue) \(circle.text)")).compactMap { BlobName($0) }.filter { $0.kind == kind }
    }

    package func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        switch try ask("read \(name.text) \(circle.text) \(name.largest)", longest: name.largest) {
        case .blob(let bytes): return bytes
        case .absent: return nil
        default: throw unexpected
        }
    }

    package func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try done(ask("write \(name.text) \(circle.text) \(bytes.count)", with: bytes))
    }

    package var takesSeveral: Bool { true }

    package func write(_ blobs: [SyncBlob], in circle: CircleID) throws(SyncTransportFailure) {
        let size = blobs.reduce(0) { $0 + $1.bytes.count }
        guard blobs.count > 1, blobs.count <= Self.mostTogether.blobs, size <= Self.mostTogether.bytes else {
            return try writeInTurn(blobs, in: circle)
        }
        let words = blobs.map { " \($0.name.text) \($0.bytes.count)" }.joined()
        do throws(SyncTransportFailure) {
            try done(ask("write-all \(circle.text)\(words)", with: blobs.flatMap(\.bytes)))
        } catch {
            // A cluster whose operator lets it take less at once.
            guard error.kind == .other else { throw error }
            try writeInTurn(blobs, in: circle)
        }
    }

    /// More is not there within the time that a cluster has for one attempt, where a line is slow; nor has a line more names.
    private static let mostTogether = (blobs: 8, bytes: 256 << 10)

    package func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try done(ask("remove \(name.text) \(circle.text)"))
    }

    // MARK: - Changes

    package func changes(in circle: CircleID) throws(SyncTransportFailure) -> any TransportChanges {
        watched.withLock { $0 = circle }
        // A program that was there before, and one that is started now, is told the same.
        let isNew = connection.withLock { $0 == nil }
        if isNew { _ = try? ask("circles") } else { try done(ask("watch \(circle.text)")) }
        do {
            return Changes(self, wakeUp: try WakeUp())
        } catch {
            throw SyncTransportFailure(.other, "\(error)")
        }
    }

    private final class Changes: TransportChanges {
        private let transport: ProgramTransport
        let wakeUp: WakeUp
        /// A change is told of when all of it is there.
        let gathering: Duration = .zero
        /// How long nothing is tried after a program has ended. It grows for as long as none says anything.
        private var pause = shortestPause
        /// When the next attempt is, however often is waited for it.
        private var attempt: ContinuousClock.Instant?

        private static let shortestPause: Duration = .seconds(2)
        private static let longestPause: Duration = .seconds(60)

        init(_ transport: ProgramTransport, wakeUp: WakeUp) {
            self.transport = transport
            self.wakeUp = wakeUp
        }

        func wait(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Bool {
            let state = transport.connection.withLock { connection in
                (number: connection?.socket.number ?? -1, hasChanged: connection?.takeChanged() ?? false)
            }
            if state.hasChanged { return true }
            if state.number >= 0 {
                attempt = nil
                let ready = try Waiting.wait(for: (state.number, POLLIN), (wakeUp.number, POLLIN), until: deadline)
                wakeUp.clear()
                guard ready[0] else { return ready[1] }
                if let hasChanged = transport.hear() {
                    pause = Self.shortestPause
                    return hasChanged
                }
            }
            // Without a program nothing is heard: a round starts it again, at once where the keychain has changed.
            let end = attempt ?? .now + pause
            if attempt == nil { pause = min(pause * 2, Self.longestPause) }
            attempt = end
            let isWoken = try Waiting.wait(for: (wakeUp.number, POLLIN), until: min(deadline ?? end, end)).contains(
                true
            )
            wakeUp.clear()
            guard isWoken || ContinuousClock.now >= end else { return false }
            attempt = nil
            return true
        }
    }

    /// Takes what the program has said without being asked.
    ///
    /// - Returns: whether something has changed; nil where the program has ended.
    private func hear() -> Bool? {
        connection.withLock { connection in
            do throws(SyncTransportFailure) {
                try connection?.hear()
                return connection?.takeChanged()
            } catch {
                connection = nil
                return nil
            }
        }
    }

    // MARK: - Asking

    private func ask(
        _ line: String,
        with bytes: [UInt8] = [],
        longest: Int = 0
    ) throws(SyncTransportFailure) -> ProgramConnection.Reply {
        let circle = watched.withLock { $0 }
        let result: Result<ProgramConnection.Reply, SyncTransportFailure> = connection.withLock { connection in
            do throws(SyncTransportFailure) {
                if connection == nil {
                    let new = try ProgramConnection(path, place, patience)
                    if let circle { _ = try new.ask("watch \(circle.text)", [], longest: 0) }
                    connection = new
                }
                guard let current = connection else { throw unexpected }
                return .success(try current.ask(line, bytes, longest: longest))
            } catch {
                // After half of an answer nothing has a meaning any more.
                connection = nil
                return .failure(error)
            }
        }
        let reply = try result.get()
        if case .failure(let failure) = reply { throw failure }
        return reply
    }

    private func names(_ reply: ProgramConnection.Reply) throws(SyncTransportFailure) -> [String] {
        guard case .names(let names) = reply else { throw unexpected }
        return names
    }

    private func done(_ reply: ProgramConnection.Reply) throws(SyncTransportFailure) {
        guard case .done = reply else { throw unexpected }
    }

    private var unexpected: SyncTransportFailure { ProgramConnection.unexpected }
}
