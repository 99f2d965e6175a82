import Crypto
import EnclaveInterface
import KeychainModel
import Synchronization

/// The keys of a keychain that are available now, with the enclave that has the others.
final class VaultKeys: Sendable {
    let keychain: ItemUUID
    let enclave: any Enclave
    private let latest: Mutex<Latest>
    private let indexKey: SymmetricKey
    /// The key that authenticates the database's header row, which each writing compares.
    let headerKey: SymmetricKey
    /// Deriving a group's key costs more than a blind index itself; a caller has few groups.
    ///
    /// Keyed by the group's bytes: Swift's strings are equal when they look alike, groups are not.
    private let groupKeys = Mutex<[[UInt8]: GroupKey]>([:])
    private static let mostCachedGroups = 256

    private struct Latest {
        var keys: ServiceKeys
        /// The epoch of the last lock that was heard of: keys that were fetched before it are not taken in after it.
        var newestLock: UInt64 = 0
    }

    /// - Throws: `notAvailable` where the enclave cannot be reached.
    init(_ enclave: any Enclave) throws(KeychainError) {
        let keys = try enclave.serviceKeys()
        self.enclave = enclave
        keychain = keys.state.keychain
        indexKey = keys.indexKey
        headerKey = Self.derive("chatelaine header 1", from: keys.indexKey, keys.state.keychain)
        latest = Mutex(Latest(keys: keys))
    }

    /// Fetches the keys anew if others are there now.
    func refresh() throws(KeychainError) {
        guard try enclave.epoch != latest.withLock({ $0.keys.epoch }) else { return }
        let keys = try enclave.serviceKeys()
        // Another thread may have fetched newer ones meanwhile, after a lock, say.
        latest.withLock { latest in
            if keys.epoch > latest.keys.epoch, keys.epoch >= latest.newestLock { latest.keys = keys }
        }
    }

    /// Drops the keys of what is locked in a state.
    func drop(allBut state: EnclaveState) {
        latest.withLock { latest in
            // Those of a later state are right as they are.
            guard state.epoch > latest.keys.epoch else { return }
            latest.newestLock = max(latest.newestLock, state.epoch)
            // The epoch stays, so that the next refreshing fetches what the new state has.
            latest.keys = ServiceKeys(
                state: latest.keys.state,
                indexKey: latest.keys.indexKey,
                metadata: latest.keys.metadata.filter { state.allows($0.key) }
            )
        }
    }

    var state: EnclaveState { latest.withLock { $0.keys.state } }

    /// The classes whose rows may be under one of several keys.
    var rotatingClasses: [Accessibility] {
        latest.withLock { latest in Accessibility.allCases.filter { (latest.keys.metadata[$0]?.count ?? 0) > 1 } }
    }

    /// The metadata keys of a class, the newest first.
    ///
    /// - Throws: `interactionNotAllowed` while the class is locked.
    func metadataKeys(for accessibility: Accessibility) throws(KeychainError) -> [SymmetricKey] {
        let latest = latest.withLock { $0.keys }
        guard let keys = latest.metadata[accessibility], !keys.isEmpty else {
            throw latest.state.refusal(of: accessibility)
        }
        return keys
    }

    /// The key of the blind indexes of one access group.
    func indexKey(for group: String) -> GroupKey {
        let name = Array(group.utf8)
        return groupKeys.withLock { cache in
            if let key = cache[name] { return key }
            let key = GroupKey(derive("chatelaine index 1 " + group))
            if cache.count >= Self.mostCachedGroups { cache.removeAll() }
            cache[name] = key
            return key
        }
    }

    private func derive(_ purpose: String) -> SymmetricKey {
        Self.derive(purpose, from: indexKey, keychain)
    }

    private static func derive(_ purpose: String, from indexKey: SymmetricKey, _ keychain: ItemUUID) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: indexKey,
            salt: keychain.bytes,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }
}
