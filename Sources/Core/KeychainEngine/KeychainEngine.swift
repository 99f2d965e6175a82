package import EnclaveInterface
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import LocalEnclave
package import Logging
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A keychain: it takes a caller's request through policy, vault and store, and back. It knows no wire.
package final class KeychainEngine: Sendable {
    let vault: KeychainVault
    let store: KeychainStore
    let log: Logger
    let turn = FollowingTurn()
    let followed: Mutex<FollowedKeys>
    let lost = LostRows()
    let circleMemory = CircleMemory()

    /// - Parameter followed: the keybag's generation that the database's header row has.
    init(vault: KeychainVault, store: KeychainStore, log: Logger, following followed: UInt64 = 0) {
        self.vault = vault
        self.store = store
        self.log = log
        self.followed = Mutex(FollowedKeys(generation: followed))
        // What was deleted is to be nowhere once the keychain is locked.
        vault.observe { [weak store] state in
            if state.lock != .unlocked { store?.checkpointIfFree() }
        }
    }

    var policy: KeychainPolicy { KeychainPolicy(hasPasscode: vault.state.hasPasscode) }

    /// A keychain that lives in this process alone and goes with it.
    package static func inMemory(log: Logger) throws(KeychainError) -> KeychainEngine {
        let deviceKey = DeviceKey()
        return try inMemory(LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey), log: log)
    }

    /// The same, with keys that another component locks and unlocks.
    package static func inMemory(_ enclave: any Enclave, log: Logger) throws(KeychainError) -> KeychainEngine {
        let vault = try KeychainVault(enclave)
        return KeychainEngine(
            vault: vault,
            store: try KeychainStore(inMemory: Header(sealedBy: vault), log: log),
            log: log
        )
    }

    /// Lets go of everything that a forked child must not inherit. The engine cannot be used after that, unless it is
    /// in memory.
    package func close() {
        store.close()
    }

    /// The number of writes that wait for their transaction, and that of the durable transactions so far.
    package var commitCounts: (waiting: Int, done: Int) { store.commitCounts }

    /// The version of the database's schema.
    package var databaseVersion: Int { Int(DatabaseFile.newestVersion) }

    /// How much the keychain holds.
    package func storageUsage() throws(KeychainError) -> StorageQuota.Usage { try store.storageUsage() }

    /// Writes the journal back into the database, if no process is writing.
    package func checkpointIfFree() {
        store.checkpointIfFree()
    }

    /// Whether the keychain's database is still where it was opened.
    package var isInPlace: Bool { store.isInPlace }

    /// The same, and that no repair is about to take its place. What failed in a keychain that is not current may be
    /// tried again in the one that is.
    package var isCurrent: Bool { store.isCurrent }

    package var isInMemory: Bool { store.isInMemory }

    /// What tells the time, in seconds since 2001-01-01. Tests set it back.
    @TaskLocal package static var clock: @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate }

    static var now: Double { clock() }
}
