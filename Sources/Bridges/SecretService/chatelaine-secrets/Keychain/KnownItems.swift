import KeychainModel

/// Which item of the keychain is which of the Secret Service's, and which changes that the keychain will tell of are this
/// process's own. Of a collection, an alias and the key no change counts as its own: another process may have changed the
/// same record at the same time, and they are few.
struct KnownItems {
    private var places: [ItemUUID: SecretLayout.Place] = [:]
    private var uuids: [SecretLayout.Place: ItemUUID] = [:]
    private var own: [ItemUUID: Int] = [:]

    mutating func note(_ uuid: ItemUUID, _ place: SecretLayout.Place) {
        places[uuid] = place
        uuids[place] = uuid
    }

    /// - Returns: what it was.
    mutating func forget(_ uuid: ItemUUID) -> SecretLayout.Place? {
        guard let place = places.removeValue(forKey: uuid) else { return nil }
        uuids[place] = nil
        return place
    }

    /// Counts changes of what is there before they are done: another thread may hear of them before this one has its answer.
    /// What an operation adds is known once it was added.
    mutating func expect(_ operations: [KeychainOperation]) {
        for operation in operations where operation.traits.change != nil {
            if let (uuid, place) = uuid(operation) { count(uuid, at: place) }
        }
    }

    /// Takes in operations that this process has done and that were expected, each with what it has found; nil for one that
    /// failed.
    mutating func note(_ done: some Sequence<(KeychainOperation, [FoundItem]?)>) {
        for (operation, items) in done {
            switch (operation.traits.change, items) {
            case (.added, let items?):
                guard let item = items.first, let uuid = item.reference.uuid, let place = SecretLayout.place(of: item)
                else { continue }
                note(uuid, place)
                count(uuid, at: place)
            case (.deleted, .some):
                if let (uuid, _) = uuid(operation) { _ = forget(uuid) }
            case (.deleted, nil), (.updated, nil):
                // Nothing came of it.
                if let (uuid, _) = uuid(operation) { _ = isOwn(uuid) }
            case (.added, nil), (.updated, .some), (nil, _): continue
            }
        }
    }

    private mutating func count(_ uuid: ItemUUID, at place: SecretLayout.Place) {
        switch place {
        case .item, .blind: own[uuid, default: 0] += 1
        case .collection, .alias, .key: break
        }
    }

    private func uuid(_ operation: KeychainOperation) -> (ItemUUID, SecretLayout.Place)? {
        guard case .string(let service) = operation.query?.filters[.service],
            case .string(let account) = operation.query?.filters[.account],
            let place = SecretLayout.place(service: service, account: account)
        else { return nil }
        return uuids[place].map { ($0, place) }
    }

    /// Whether what the keychain tells of is a change of this process's own.
    mutating func isOwn(_ uuid: ItemUUID) -> Bool {
        guard let count = own[uuid] else { return false }
        own[uuid] = count > 1 ? count - 1 : nil
        return true
    }
}
