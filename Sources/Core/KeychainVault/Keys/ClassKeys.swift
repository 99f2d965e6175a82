import Crypto
import KeychainModel
import Synchronization

/// The keys of a keychain that are available now.
package final class ClassKeys: Sendable {
    let keychain: ItemUUID
    private let pairs: [Accessibility: ClassKeyPair]
    private let indexKey: SymmetricKey
    /// Deriving a group's key costs more than a blind index itself; a caller has few groups.
    ///
    /// Keyed by the group's bytes: Swift's strings are equal when they look alike, groups are not.
    private let groupKeys = Mutex<[[UInt8]: GroupKey]>([:])
    private static let mostCachedGroups = 256

    init(keychain: ItemUUID, classKeys: [Accessibility: SymmetricKey], indexKey: SymmetricKey) {
        self.keychain = keychain
        self.indexKey = indexKey
        pairs = classKeys.mapValues { classKey in
            ClassKeyPair(
                metadata: Self.derive(classKey, "chatelaine class metadata 1", keychain),
                wrapping: Self.derive(classKey, "chatelaine class wrap 1", keychain)
            )
        }
    }

    /// - Throws: `interactionNotAllowed` while the class is locked.
    func pair(for accessibility: Accessibility) throws(KeychainError) -> ClassKeyPair {
        guard let pair = pairs[accessibility] else {
            throw KeychainError(.interactionNotAllowed, "the keychain is locked for items of this accessibility")
        }
        return pair
    }

    /// The key of the blind indexes of one access group.
    func indexKey(for group: String) -> GroupKey {
        let name = Array(group.utf8)
        return groupKeys.withLock { cache in
            if let key = cache[name] { return key }
            let key = GroupKey(Self.derive(indexKey, "chatelaine index 1 " + group, keychain))
            if cache.count >= Self.mostCachedGroups { cache.removeAll() }
            cache[name] = key
            return key
        }
    }

    /// The key that authenticates the database's header row.
    var headerKey: SymmetricKey {
        Self.derive(indexKey, "chatelaine header 1", keychain)
    }

    private static func derive(_ key: SymmetricKey, _ purpose: String, _ keychain: ItemUUID) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: keychain.bytes,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }
}

/// What a class key is used for: one key seals metadata, the other wraps item keys.
struct ClassKeyPair: Sendable {
    let metadata: SymmetricKey
    let wrapping: SymmetricKey
}
