import KeychainModel
import SSHAgentProtocol

/// A key of the agent's in the keychain.
struct KeptKey {
    enum Private {
        case inEnclave(EnclaveKey)
        /// In an item of its own, which is read when the key is used.
        case inItem
    }

    let stored: StoredKey
    let reference: PersistentReference
    let itemClass: ItemClass
    let half: Private

    /// What finds its item and no other.
    var query: ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.reference = reference
        query.synchronizable = .any
        return query
    }
}
