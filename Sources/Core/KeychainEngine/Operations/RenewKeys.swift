import Dispatch
package import EnclaveInterface
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import Logging
import Synchronization

/// How far the database has followed its keybag.
struct FollowedKeys {
    /// The keybag's generation that the header row has.
    var generation: UInt64 = 0
    /// The enclave's epoch when the rows were last to be put under newer keys.
    var epoch: UInt64?
}

extension KeychainEngine {
    /// Replaces all class keys, and with them the keys of the attributes, and puts every row under the new ones. Other
    /// callers go on meanwhile.
    ///
    /// Stopped at any instant, the next use of the keychain goes on with it.
    ///
    /// - Throws: `authenticationFailed` for a token that is none for this; `interactionNotAllowed` while the keychain
    ///   is locked.
    package func rotateKeys(_ token: AuthorizationToken) throws(KeychainError) {
        try vault.beginRotation(token)
        try turn.take { () throws(KeychainError) in try followKeys() }
        guard !vault.state.isRotating else {
            throw KeychainError(.interactionNotAllowed, "the keychain was locked; the rotation goes on when it is not")
        }
    }

    /// Takes in what has changed of the keys, and lets the database follow. To be called before each request.
    func prepare() throws(KeychainError) {
        try vault.refresh()
        guard isBehind else { return }
        // One thread does it, and the others need not wait for it.
        try turn.takeIfFree { () throws(KeychainError) in
            guard isBehind else { return }
            do throws(KeychainError) {
                try followKeys()
            } catch {
                // A locked keychain, a full disk, another process that writes for long: it is tried again after the
                // next change, and nothing of the request itself depends on it.
                followed.withLock { $0.epoch = vault.state.epoch }
                guard error.code != .interactionNotAllowed else { return }
                log.warning("the keychain's rows could not be put under its newest keys: \(error.message)")
            }
        }
    }

    private var isBehind: Bool {
        let state = vault.state
        return followed.withLock { followed in
            followed.generation < state.generation && followed.epoch != state.epoch
                || state.isRotating && state.lock == .unlocked && followed.epoch != state.epoch
        }
    }

    /// Brings header and rows up to the keybag. One thread at a time.
    private func followKeys() throws(KeychainError) {
        for _ in 0..<Self.mostRounds {
            try vault.refresh()
            let state = vault.state
            try writeHeader(of: state)
            guard state.isRotating, state.lock == .unlocked else { break }
            let classes = vault.rotatingClasses
            do throws(KeychainError) {
                try renewRows(since: state.generation)
            } catch {
                // Another process may have made yet newer keys.
                try vault.refresh()
                guard vault.state.generation > state.generation else { throw error }
                continue
            }
            // The keybag may have changed meanwhile; then this changes nothing, and all is looked through again.
            try vault.finishRotation(of: state.generation)
            guard !vault.state.isRotating else { continue }
            try writeHeader(of: vault.state, countingSealsOf: classes)
            break
        }
        followed.withLock { $0.epoch = vault.state.epoch }
    }

    static let mostRounds = 5

    /// From then on no process with older keys writes. Without a passcode, the rows go whose key went with it.
    private func writeHeader(
        of state: EnclaveState,
        countingSealsOf classes: [Accessibility] = []
    ) throws(KeychainError) {
        try store.write(usesReserve: true) { (transaction) throws(KeychainError) in
            guard try transaction.header().generation(under: vault) < state.generation else { return }
            if !state.hasPasscode { try transaction.removeAll(of: .whenPasscodeSetThisDeviceOnly) }
            for accessibility in classes { try transaction.countSealsAnew(of: accessibility) }
            try transaction.setHeader(Header(of: state, sealedBy: vault))
        }
        followed.withLock { $0.generation = max($0.generation, state.generation) }
    }

    /// Puts all rows under the present keys, some at a time, so that others can write in between.
    private func renewRows(since generation: UInt64) throws(KeychainError) {
        let authorization = policy.authorizeInspection()
        for itemClass in ItemClass.stored {
            var last: Int64? = .min
            while let start = last {
                last = try store.write(usesReserve: true) { (transaction) throws(KeychainError) in
                    try check(generation, in: transaction)
                    let rows = try transaction.rows(
                        of: itemClass,
                        after: start,
                        atMost: Self.rowsAtOnce,
                        size: Self.bytesAtOnce
                    )
                    let renewed = try vault.renew(rows.map(\.row), for: authorization)
                    for (stored, item) in zip(rows, renewed) {
                        if let item { try transaction.renew(stored, as: item) }
                    }
                    return rows.last?.rowNumber
                }
            }
            try renewPast(of: itemClass, since: generation, for: authorization)
        }
        try store.write(usesReserve: true) { (transaction) throws(KeychainError) in
            try check(generation, in: transaction)
            var renewed: [CirclePiece] = []
            for (key, value) in try transaction.reading.circlePieces() {
                if let piece = try vault.renew(circlePiece: value, key: key) { renewed.append(piece) }
            }
            try transaction.put(renewed)
        }
    }

    /// Puts the earlier versions of a class's items under the present keys.
    private func renewPast(
        of itemClass: ItemClass,
        since generation: UInt64,
        for authorization: AuthorizedInspection
    ) throws(KeychainError) {
        try store.write(usesReserve: true) { (transaction) throws(KeychainError) in
            try check(generation, in: transaction)
            var some: [PastVersion] = []
            var bytes = 0
            for number in try transaction.reading.pastNumbers(of: itemClass) {
                guard let version = try transaction.reading.pastVersion(number) else { continue }
                some.append(version)
                bytes += version.row.metadata.count + version.row.secret.count
                guard some.count >= Self.rowsAtOnce || bytes >= Self.bytesAtOnce else { continue }
                try renew(some, for: authorization, in: transaction)
                (some, bytes) = ([], 0)
            }
            try renew(some, for: authorization, in: transaction)
        }
    }

    private func renew(
        _ versions: [PastVersion],
        for authorization: AuthorizedInspection,
        in transaction: WriteTransaction
    ) throws(KeychainError) {
        let renewed = try vault.renew(versions.map(\.row), for: authorization)
        for (version, item) in zip(versions, renewed) {
            if let item { try transaction.renew(version, as: item) }
        }
    }

    private static let rowsAtOnce = 500
    /// Values have up to 16 MiB each, and are in memory meanwhile.
    private static let bytesAtOnce = 4 << 20

    private func check(_ generation: UInt64, in transaction: WriteTransaction) throws(KeychainError) {
        if try isOlder(generation, than: transaction) { throw Header.older }
    }
}

/// Lets one thread at a time do something that the others may skip.
final class FollowingTurn: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    func take(_ body: () throws(KeychainError) -> Void) throws(KeychainError) {
        semaphore.wait()
        defer { semaphore.signal() }
        try body()
    }

    func takeIfFree(_ body: () throws(KeychainError) -> Void) throws(KeychainError) {
        guard semaphore.wait(timeout: .now()) == .success else { return }
        defer { semaphore.signal() }
        try body()
    }
}
