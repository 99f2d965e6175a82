package import EnclaveInterface
package import KeychainCircles
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainSync
import KeychainVault
import Synchronization

/// The bytes are in `docs/formats/database.md`.
extension CircleSettings {
    private static let version: UInt8 = 2
    private static let longest = 8_192

    var encoded: [UInt8] {
        var writer = SyncWriter()
        writer.append(number: Self.version)
        writer.append(field: Array(transport.utf8))
        writer.append(number: lastRound)
        writer.append(number: waitingSince)
        writer.append(number: isWaitingForUnlock ? 1 as UInt8 : 0)
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.longest)
        // The first version did not note what waits for an unlock.
        let version = try reader.number(UInt8.self)
        guard (1...Self.version).contains(version) else { throw .unknownVersion(UInt16(version)) }
        guard let text = String(validating: try reader.field(atMost: 4_096), as: UTF8.self) else {
            throw .notCanonical
        }
        self.init()
        transport = text
        lastRound = try reader.number(UInt64.self)
        waitingSince = try reader.number(UInt64.self)
        if version > 1 {
            let flag = try reader.number(UInt8.self)
            guard flag <= 1 else { throw .notCanonical }
            isWaitingForUnlock = flag == 1
        }
        try reader.end()
    }
}

extension KeychainCircle {
    package func settings() throws(KeychainError) -> CircleSettings {
        try engine.read { () throws(KeychainError) in
            try engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
                try settings(transaction)
            }
        }
    }

    func settings(_ transaction: ReadTransaction) throws(KeychainError) -> CircleSettings {
        guard let sealed = try transaction.circlePiece(Key.settings) else { return CircleSettings() }
        guard let bytes = try engine.vault.open(circlePiece: sealed, key: Key.settings),
            let settings = try? CircleSettings(bytes)
        else { throw Self.damaged }
        return settings
    }

    func put(
        _ settings: CircleSettings,
        in transaction: WriteTransaction,
        leaving traces: Traces = .goAtOnce
    ) throws(KeychainError) {
        guard try settings != self.settings(transaction.reading) else { return }
        let piece = try engine.vault.seal(circlePiece: settings.encoded, key: Key.settings)
        try transaction.put([piece], leaving: traces)
    }

    /// Notes where the transport is.
    ///
    /// - Parameter token: for `synchronize`; it is used up.
    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `invalidParameter` for what is no place of a transport;
    ///   `authenticationFailed`.
    package func place(_ place: String, _ token: AuthorizationToken) throws(KeychainError) {
        guard TransportPlace(place) != nil else {
            throw KeychainError(
                .invalidParameter,
                "a transport is the absolute path of a folder, or the address of a cluster"
            )
        }
        try engine.policy.requireSynchronization(token, by: engine.vault.enclave)
        let done: Void? = try change { (_, transaction) throws(KeychainError) in
            var settings = try self.settings(transaction.reading)
            settings.transport = place
            try self.put(settings, in: transaction)
        }
        guard done != nil else { throw CircleFailure.noCircle }
        memory.lastRound.withLock { $0 = .init() }
        memory.published.withLock { $0 = nil }
    }
}
