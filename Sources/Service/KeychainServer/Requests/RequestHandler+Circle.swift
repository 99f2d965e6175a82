import KeychainCircles
import KeychainEngine
import KeychainModel
import KeychainProtocol
import KeychainSync
import Synchronization

/// What is asked of a keychain as one of the devices of a circle.
///
/// Any program of the user may ask. What changes the circle, the owner has allowed: the enclave or a token says so. A round
/// trusts nobody: what it is given are blobs of a folder or a server, and what it gives away is sealed.
extension RequestHandler {
    func answer(
        _ request: CircleRequest,
        in visit: Visit,
        _ state: ConnectionState,
        _ sendPart: Sender
    ) throws(KeychainError) -> Answer {
        try perform(request, in: visit, state, sendPart)
    }

    private func perform(
        _ request: CircleRequest,
        in visit: Visit,
        _ state: ConnectionState,
        _ sendPart: Sender
    ) throws(KeychainError) -> Answer {
        let told = ToldChanges(visit.keychain.watchers)
        func answer() throws(KeychainError) -> CircleAnswer {
            try ask(request, in: visit, state, sendPart) { (request) throws(KeychainError) in
                // Not while a person is asked.
                let grant = try take(0, in: visit)
                let answer = try visit.keychain.withEngine(makesKeychain: request.makesKeychain) {
                    (engine) throws(KeychainError) in
                    try told.circle(of: engine).answer(request)
                }
                _ = consume grant
                return answer
            }
        }
        guard let name = request.name else { return Answer(body: .circle(try answer())) }
        return recorded(as: name, in: visit) { () throws(KeychainError) in
            let answer = try answer()
            visit.keychain.watchers.tell(.circleChange)
            return (.circle(answer), told.count)
        }
    }

    /// Does something, and asks the keychain's owner for what it lacks.
    private func ask(
        _ request: CircleRequest,
        in visit: Visit,
        _ state: ConnectionState,
        _ sendPart: Sender,
        _ body: (CircleRequest) throws(KeychainError) -> CircleAnswer
    ) throws(KeychainError) -> CircleAnswer {
        let (keychain, stream) = (visit.keychain, visit.peer.stream)
        var rounds = CircleRounds(
            request,
            of: state.asker,
            in: request.view?.usesContext ?? false ? state.session : nil
        ) { () throws(KeychainError) in
            try keychain.withEngine { (engine) throws(KeychainError) in engine.enclave }
        }
        do throws(KeychainError) {
            return try body(rounds.request)
        } catch {
            let need = try rounds.need(after: error)
            // Neither a lock nor anybody else waits for a person.
            visit.pass.leave()
            defer { visit.pass.enter() }
            try sendPart(.prompting, limits.answerTime)
            try rounds.ask(need, isWanted: { stream.isWaiting })
        }
        try stream.confirm()
        return try body(rounds.request)
    }

    /// Does a round over the transport of the program that asks for it.
    ///
    /// - Parameters:
    ///   - takesSeveral: whether that program takes several blobs at once.
    ///   - place: where its transport is; nil for anywhere.
    ///   - broken: why the connection ends, where it does.
    func synchronize(
        in visit: Visit,
        _ takesSeveral: Bool,
        ifAt place: String?,
        asking ask: Asker,
        broken: inout KeychainError?
    ) throws(KeychainError) -> Answer {
        // Neither a lock nor anybody else waits for a transport: nothing that is open goes out here.
        visit.pass.leave()
        defer { visit.pass.enter() }
        let told = ToldChanges(visit.keychain.watchers)
        let end = ContinuousClock.now + limits.roundTime
        var size = min(MemoryBudgets.smallRound, limits.roundMemoryOfUser)
        while true {
            let grant = try take(size, in: visit)
            let round = withoutActuallyEscaping(ask) { ask in
                let transport = AskedTransport(atMost: size, until: end, takesSeveral, asking: ask)
                let report = Result { () throws(KeychainError) in
                    try visit.keychain.withEngine { (engine) throws(KeychainError) in
                        try told.circle(of: engine).synchronize(over: transport, ifAt: place)
                    }
                }
                return (report: report, broken: transport.broken, isTooMuch: transport.isTooMuch)
            }
            _ = consume grant
            // What came is there from then on, also where what is here could not be sent after that.
            visit.keychain.audit.append(told.takeEntries(for: visit.peer))
            if let error = round.broken {
                broken = error
                throw error
            }
            if round.isTooMuch, size < limits.roundMemoryOfUser {
                size = limits.roundMemoryOfUser
                continue
            }
            if round.isTooMuch {
                throw KeychainError(
                    .dataTooLarge,
                    "the circle has more to read than the service takes at one time: \(size >> 20) MiB"
                )
            }
            return Answer(body: .round(try round.report.get()))
        }
    }

    /// Memory for what the keychain knows of its circle, and for what a round reads.
    ///
    /// - Throws: `dataTooLarge` for a circle that is larger than any person's.
    private func take(_ size: Int, in visit: Visit) throws(KeychainError) -> MemoryBudget.Grant {
        let known = try visit.keychain.withEngine { (engine) throws(KeychainError) in try engine.circle.storedSize() }
        let need = known.multipliedReportingOverflow(by: MemoryBudgets.timesOfCircle)
        guard !need.overflow, need.partialValue <= limits.roundMemoryOfUser else {
            throw KeychainError(.dataTooLarge, "the circle is larger than the service takes: \(known >> 20) MiB")
        }
        return try memory.rounds.take(need.partialValue + size, for: visit.share, before: .now + limits.patience)
    }

}

extension CircleRequest {
    /// A device that asks to be added has a keychain.
    fileprivate var makesKeychain: Bool {
        switch self {
        case .found, .begin: true
        default: false
        }
    }
}

/// Tells watchers what has changed because of a circle, and remembers some of it for the record.
private final class ToldChanges: Sendable {
    private let watchers: Watchers
    private let told = Mutex<(rows: [AffectedRow], count: Int, merged: SyncReport?)>(([], 0, nil))

    init(_ watchers: Watchers) {
        self.watchers = watchers
    }

    var count: Int { told.withLock(\.count) }

    /// What the record says of a round: nothing of one in which nothing came.
    func takeEntries(for peer: AdmittedPeer) -> [AuditEntry] {
        let (rows, merged) = told.withLock { told in
            defer { told = ([], 0, nil) }
            return (told.rows, told.merged)
        }
        guard let merged else { return [] }
        let counts = [
            ("sync-receive", merged.received + merged.removed + merged.repaired), ("sync-refuse", merged.refused),
            ("sync-lose", merged.lost), ("sync-device-added", merged.devicesAdded),
            ("sync-device-removed", merged.devicesRemoved),
        ]
        return counts.filter { $0.1 > 0 }.map { name, count in
            AuditEntry(name, of: .success(count), by: peer, rows: name == "sync-receive" ? rows : [])
        }
    }

    func circle(of engine: KeychainEngine) -> KeychainCircle {
        var circle = engine.circle
        circle.tell = { [self] change, row in
            told.withLock { told in
                told.count += 1
                if told.rows.count < KeychainOperation.mostRowsOfEntry { told.rows.append(row) }
            }
            watchers.tell(of: row, change)
        }
        circle.tellMerged = { [self] report in told.withLock { $0.merged = report } }
        return circle
    }
}

/// A transport that another process has.
///
/// Unchecked, since one thread uses it: the one that does the round.
private final class AskedTransport: SyncTransport, @unchecked Sendable {
    /// Why the program cannot be asked any more.
    private(set) var broken: KeychainError?
    /// Whether it was not let read on.
    private(set) var isTooMuch = false
    private var left: Int
    private let end: ContinuousClock.Instant
    let takesSeveral: Bool
    private let ask: RequestHandler.Asker

    /// - Parameters:
    ///   - most: bytes that are read.
    ///   - end: of the round.
    ///   - takesSeveral: whether it takes several blobs at once.
    init(
        atMost most: Int,
        until end: ContinuousClock.Instant,
        _ takesSeveral: Bool,
        asking ask: @escaping RequestHandler.Asker
    ) {
        left = most
        self.end = end
        self.takesSeveral = takesSeveral
        self.ask = ask
    }

    func circles() throws(SyncTransportFailure) -> [CircleID] {
        try names(.circles).compactMap { SyncHash(text: $0) }
    }

    func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        try names(.list(kind, in: circle)).compactMap { BlobName($0) }.filter { $0.kind == kind }
    }

    func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        guard case .blob(let bytes) = try reply(to: .read(name, in: circle)) else { throw outOfTurn() }
        guard let bytes, bytes.count <= name.largest else { return nil }
        try take(bytes.count)
        return bytes
    }

    func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        guard case .done = try reply(to: .write(bytes, as: name, in: circle)) else { throw outOfTurn() }
    }

    func write(_ blobs: [SyncBlob], in circle: CircleID) throws(SyncTransportFailure) {
        guard takesSeveral, blobs.count > 1 else { return try writeInTurn(blobs, in: circle) }
        guard case .done = try reply(to: .writeAll(blobs, in: circle)) else { throw outOfTurn() }
    }

    func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        guard case .done = try reply(to: .remove(name, in: circle)) else { throw outOfTurn() }
    }

    private func names(_ question: TransportQuestion) throws(SyncTransportFailure) -> [String] {
        guard case .names(let names) = try reply(to: question) else { throw outOfTurn() }
        try take(names.count * Self.bytesOfName)
        return names
    }

    /// What a name takes as text and as what it says.
    private static let bytesOfName = 160

    private func take(_ bytes: Int) throws(SyncTransportFailure) {
        left -= bytes
        guard left >= 0 else {
            isTooMuch = true
            throw SyncTransportFailure(.other, "more than is read at one time")
        }
    }

    private func reply(to question: TransportQuestion) throws(SyncTransportFailure) -> TransportReply {
        let reply: TransportReply
        do throws(KeychainError) {
            if let broken { throw broken }
            reply = try ask(question, end)
        } catch {
            broken = error
            throw SyncTransportFailure(.unreachable, error.message)
        }
        if case .failure(let failure) = reply { throw failure }
        return reply
    }

    private func outOfTurn() -> SyncTransportFailure {
        broken = broken ?? KeychainError(.invalidParameter, "a transport answers what it was not asked")
        return SyncTransportFailure(.other, "a transport answers what it was not asked")
    }
}
