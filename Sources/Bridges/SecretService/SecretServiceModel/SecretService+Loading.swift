import KeychainModel
import MessageBus

/// What the keychain has, taken into memory.
extension SecretService {
    /// Takes in all that is stored, as it is now: at the start, and after changes that were made elsewhere.
    package mutating func load(_ stored: StoredSecrets) -> [Effect] {
        key = stored.key
        let wasLocked = order.reduce(into: [:]) { $0[$1] = isLocked($1) }
        lock = stored.lock
        var kept: Set<String> = [Self.sessionID, Self.loginID]
        var known = stored.collections
        if !known.contains(where: { $0.id == Self.loginID }) {
            known.insert(StoredCollection(id: Self.loginID, label: "Login"), at: 0)
        }
        for collection in known where collection.id != Self.sessionID {
            kept.insert(collection.id)
            take(collection)
        }
        for id in order where !kept.contains(id) { drop(id) }
        aliases = stored.aliases.filter { collections[$0.value] != nil }
        takeItems(stored.items)
        for id in order {
            if let before = wasLocked[id], before != isLocked(id) { tellLock(of: id) }
        }
        return drained()
    }

    /// The keychain was locked or unlocked, and its items are as they were.
    package mutating func lockChanged(to lock: SecretLock) -> [Effect] {
        let wasLocked = order.reduce(into: [:]) { $0[$1] = isLocked($1) }
        self.lock = lock
        for id in order where wasLocked[id] != isLocked(id) { tellLock(of: id) }
        return drained()
    }

    /// One item was added or changed elsewhere.
    package mutating func changedElsewhere(_ stored: StoredSecret) -> [Effect] {
        take(stored)
        return drained()
    }

    /// One item was deleted elsewhere.
    package mutating func deletedElsewhere(_ id: SecretItemID) -> [Effect] {
        forgetItem(id)
        return drained()
    }

    private mutating func take(_ stored: StoredCollection) {
        guard let before = collections[stored.id]?.stored else {
            collections[stored.id] = SecretCollection(stored)
            order.append(stored.id)
            signal(.service, "CollectionCreated", [.path(SecretObject.path(ofCollection: stored.id))])
            tellCollections()
            return
        }
        collections[stored.id]?.stored = stored
        if before.label != stored.label { tellLabel(ofCollection: stored.id) }
    }

    private mutating func takeItems(_ stored: [StoredSecret]) {
        var kept: Set<SecretItemID> = []
        for item in stored {
            kept.insert(item.id)
            take(item)
        }
        for (id, collection) in collections where !collection.isInMemory {
            for item in collection.inOrder where !kept.contains(item.stored.id) {
                forgetItem(SecretItemID(collection: id, item: item.stored.id.item))
            }
        }
    }

    private mutating func take(_ stored: StoredSecret) {
        // No copy of the collection, which each change would copy whole.
        guard collections[stored.id.collection]?.isInMemory == false else { return }
        let before = collections[stored.id.collection]?.items[stored.id.item]
        guard before?.stored != stored else { return }
        keep(SecretItem(stored: stored, slot: before?.slot ?? nextSlot()))
        // That its attributes can be read now is no change of the item.
        if before == nil {
            tell(of: stored.id, "ItemCreated")
        } else if before?.stored.details != nil, stored.details != nil {
            tellChange(of: stored.id)
        }
    }

    func isLocked(_ collection: String) -> Bool {
        guard let collection = collections[collection], !collection.isInMemory else { return false }
        return lock == .locked || collection.isLockedByClient
    }
}
