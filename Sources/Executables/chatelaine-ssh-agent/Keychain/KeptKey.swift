import KeychainModel
import SSHAgentProtocol

/// A key of the agent's in the keychain.
struct KeptKey {
    enum Private {
        case inEnclave(EnclaveKey)
        /// In an item of its own, which is read when the key is used.
        case inItem(PersistentReference)
    }

    let stored: StoredKey
    /// The item that the key, or the certificate, is.
    let reference: PersistentReference
    let itemClass: ItemClass
    let half: Private

    /// What finds its item and no other.
    var query: ItemQuery { Self.query(itemClass, reference) }

    static func query(_ itemClass: ItemClass, _ reference: PersistentReference) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.reference = reference
        query.synchronizable = .any
        return query
    }
}
