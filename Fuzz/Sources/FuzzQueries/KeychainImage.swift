@testable import KeychainClient
@testable import KeychainModel

/// All that a keychain holds, in a form that can be compared.
struct KeychainImage: Equatable {
    private(set) var live: [PersistentReference: Item] = [:]
    private(set) var tombstones: [PersistentReference: Item] = [:]

    struct Item: Equatable {
        let attributes: AttributeList
        let accessControl: AccessControl
        /// None where the item demands its owner.
        var secrets: [AttributeKey: [UInt8]] = [:]
        var sha1: [UInt8]?
    }

    /// Whether the secret of any item is given to its owner alone.
    var demandsOwner: Bool {
        [live, tombstones].contains { items in items.values.contains { !$0.accessControl.isUnconstrained } }
    }

    init(of keychain: EmbeddedKeychain) throws(KeychainError) {
        for itemClass in ItemClass.stored {
            try look(for: itemClass, tombstones: false, in: keychain, into: &live)
            try look(for: itemClass, tombstones: true, in: keychain, into: &tombstones)
        }
    }

    private func look(
        for itemClass: ItemClass,
        tombstones: Bool,
        in keychain: EmbeddedKeychain,
        into items: inout [PersistentReference: Item]
    ) throws(KeychainError) {
        var request = FindRequest(query: ItemQuery(itemClass: itemClass))
        request.query.synchronizable = .any
        request.query.findsTombstones = tombstones
        request.limit = .all
        request.returns = .attributes
        for item in try keychain.find(request) {
            items[item.reference] = Item(attributes: item.attributes, accessControl: item.accessControl)
        }
        // The secrets of items that demand their owner are left out: there is nobody, and no passcode to ask for.
        request.authentication.ui = .skip
        request.returns = [.data, .attributes]
        for item in try keychain.find(request) {
            items[item.reference]?.secrets = item.secrets.mapValues { $0.withUnsafeBytes { Array($0) } }
            items[item.reference]?.sha1 = item.sha1
        }
    }
}
