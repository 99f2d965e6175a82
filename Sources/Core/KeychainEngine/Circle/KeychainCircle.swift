package import KeychainCircles
import KeychainDeviceKeys
package import KeychainModel
import KeychainPolicy
import KeychainStore
package import KeychainSync
import KeychainVault
import Logging
import Synchronization

/// A keychain as one of the devices of its owner's circle: what it says to the others, and what it takes from them.
///
/// All that it knows is in the keychain's database, and changes there in one transaction with the items. So several
/// processes may do this for one keychain, and each may be killed at any instant.
package struct KeychainCircle: Sendable {
    let engine: KeychainEngine
    /// Is told of each item that has changed here because of the circle, once that is durable.
    package var tell: (@Sendable (ItemChangeKind, AffectedRow) -> Void)?
    /// Is told what came in a round, once that is durable: what is here may not be sent after that.
    package var tellMerged: (@Sendable (SyncReport) -> Void)?
    var memory: CircleMemory { engine.circleMemory }

    /// Keys of pieces that are not the replica's own, which begin with 1 to 5.
    enum Key {
        static let state: [UInt8] = [0]
        static let settings: [UInt8] = [16]
    }

    /// The keys of this device. The first call makes them.
    func keys() throws(KeychainError) -> EnclaveDeviceKeys { try EnclaveDeviceKeys(in: engine.vault.enclave) }

    /// Milliseconds since 1970.
    static var clock: UInt64 { UInt64(max(0, (KeychainEngine.now + 978_307_200) * 1_000)) }

    static func salt() -> SyncName {
        var random = SystemRandomNumberGenerator()
        return SyncName(using: &random)
    }

    // MARK: - What it knows

    /// What this device knows of its circle.
    ///
    /// - Returns: nil where it belongs to none.
    /// - Throws: `interactionNotAllowed` before the first unlock; `undecodable` where the database has lost a part of it.
    package func replica() throws(KeychainError) -> Replica? {
        try engine.read { () throws(KeychainError) in
            try engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in try load(transaction) }
        }
    }

    /// How much is stored of what this device knows of its circle, in bytes. In memory it takes about four times as much.
    package func storedSize() throws(KeychainError) -> Int {
        try engine.read { () throws(KeychainError) in
            try engine.store.read(snapshot: false) { (transaction) throws(KeychainError) in try transaction.circleSize()
            }
        }
    }

    func load(_ transaction: ReadTransaction) throws(KeychainError) -> Replica? {
        guard let state = try transaction.circlePiece(Key.state) else { return nil }
        if let cached = memory.replica.withLock({ $0 }), cached.state == state { return cached.replica }
        var pieces: [ReplicaPiece: [UInt8]] = [:]
        for (key, value) in try transaction.circlePieces() {
            guard let plaintext = try engine.vault.open(circlePiece: value, key: key) else { throw Self.damaged }
            if key == Key.state || key == Key.settings { continue }
            guard let piece = try? ReplicaPiece(key: key) else { throw Self.damaged }
            pieces[piece] = plaintext
        }
        guard let replica = try? Replica(pieces: pieces) else { throw Self.damaged }
        // A circle that is larger than any person's does not stay in memory.
        if pieces.values.reduce(0, { $0 + $1.count }) <= CircleMemory.largest {
            memory.replica.withLock { $0 = CircleMemory.Cached(state: state, replica: replica) }
        }
        return replica
    }

    /// Writes what has changed of a replica.
    ///
    /// - Parameter before: as the transaction has loaded it; nil for a new one.
    /// - Parameter traces: of the pieces whose place others take. Removed ones go at once.
    /// - Returns: what to remember once the transaction is durable; nil where nothing has changed, or it is too large for that.
    @discardableResult
    func save(
        _ replica: Replica,
        since before: Replica?,
        in transaction: WriteTransaction,
        leaving traces: Traces = .goAtOnce
    ) throws(KeychainError) -> CircleMemory.Cached? {
        let changes: [ReplicaPiece: [UInt8]?] =
            if let before { replica.pieces(since: before) } else { replica.pieces.mapValues { $0 } }
        guard !changes.isEmpty else { return nil }
        let state = try engine.vault.seal(circlePiece: ItemUUID().bytes, key: Key.state)
        var written = [state]
        var removed: [[UInt8]] = []
        for (piece, value) in changes {
            if let value {
                written.append(try engine.vault.seal(circlePiece: value, key: piece.key))
            } else {
                removed.append(piece.key)
            }
        }
        try transaction.put(written, leaving: traces)
        try transaction.removeCirclePieces(removed)
        guard try transaction.reading.circleSize() <= CircleMemory.largest else { return nil }
        return CircleMemory.Cached(state: state.value, replica: replica)
    }

    /// Changes what this device knows, in one transaction with whatever comes of it.
    ///
    /// - Parameters:
    ///   - traces: of what this device has noted before.
    ///   - body: may run again, and begins anew then.
    /// - Returns: nil where the device belongs to no circle.
    func change<Value>(
        leaving traces: Traces = .goAtOnce,
        _ body: @escaping (inout Replica, WriteTransaction) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value? {
        let done: (value: Value, cached: CircleMemory.Cached?)? = try engine.write(usesReserve: true) {
            () throws(KeychainError) in
            { (transaction: WriteTransaction) throws(KeychainError) in
                guard let before = try self.load(transaction.reading) else { return nil }
                var replica = before
                let value = try body(&replica, transaction)
                return (value, try self.save(replica, since: before, in: transaction, leaving: traces))
            }
        }
        if let cached = done?.cached { memory.replica.withLock { $0 = cached } }
        return done?.value
    }

    static let damaged = KeychainError(
        .undecodable,
        "what this keychain knew of its circle is damaged; leave the circle here, and join it again"
    )
}

/// What an engine remembers of its circle, so that it need not read it again.
final class CircleMemory: Sendable {
    /// A replica as the database has it.
    struct Cached: Sendable {
        /// Another one after each change.
        let state: [UInt8]
        let replica: Replica
    }

    /// In stored bytes: some 50,000 items.
    static let largest = 8 << 20

    let replica = Mutex<Cached?>(nil)
    let inspected = Mutex(InspectionCursor())
    let lastRound = Mutex(LastRound())
    let published = Mutex<Published?>(nil)

    /// What a transport had at the end of the last round. It has it still, if it has this head.
    struct Published {
        let head: [UInt8]
        let segments: Set<BlobName>
    }

    /// How the last round of this process ended.
    struct LastRound {
        /// When the last one succeeded, in milliseconds since 1970; 0 before that.
        var ended: UInt64 = 0
        /// Why the last one did not reach the transport; nil where it did.
        var failure: String?
    }
    /// Items that were found lost when they were to be written once more, to be looked for in journals.
    let lost = Mutex<Set<ItemName>>([])
}

extension KeychainEngine {
    /// This keychain as one of the devices of a circle.
    package var circle: KeychainCircle { KeychainCircle(engine: self) }
}
