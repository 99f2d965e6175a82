/// Turns the dictionaries of the four calls into requests, or into the documented error, before anything is touched.
///
/// Every rule is one of Apple's "Keychain items" pages or of the behaviour that programs rely on.
package enum QueryParser {
    package typealias Entries = [(key: String, value: QueryValue)]

    /// `SecItemAdd`.
    package static func add(_ entries: Entries) throws(KeychainError) -> AddRequest {
        let dictionary = try QueryDictionary(entries, role: .add)
        try refuseItemList(dictionary)
        guard dictionary.reference == nil else {
            throw KeychainError(.invalidParameter, "an item cannot be added under a persistent reference")
        }
        guard dictionary.synchronizable != .any else {
            throw KeychainError(.invalidParameter, "a new item is synchronizable or it is not")
        }
        if dictionary.itemClass == .key, dictionary.returns.contains(.reference) {
            // Later there would be an item, and an error all the same.
            try dictionary.attributes.requireAsymmetricKey()
        }
        var request = AddRequest(itemClass: dictionary.itemClass)
        request.attributes = dictionary.attributes
        request.accessGroup = dictionary.accessGroup
        request.accessibility = dictionary.accessibility
        request.accessControl = dictionary.accessControl
        request.isSynchronizable = dictionary.synchronizable == .only(true)
        request.isTombstone = dictionary.tombstone ?? false
        request.secrets = dictionary.secrets
        request.returns = dictionary.returns
        request.authentication = dictionary.authentication
        return request
    }

    /// `SecItemCopyMatching`.
    ///
    /// - Throws: also `itemNotFound`, where the object is an identity and data or attributes are wanted.
    package static func copy(_ entries: Entries) throws(KeychainError) -> FindRequest {
        let dictionary = try QueryDictionary(entries, role: .copy)
        try refuseItemList(dictionary)
        guard dictionary.reference == nil || dictionary.attributeCount == 0 else {
            throw KeychainError(.invalidParameter, "a persistent reference goes with no other attribute")
        }
        // As on Apple's systems: the object of an identity finds the identity, and nothing that its halves have.
        if case .identity = dictionary.object, !dictionary.returns.isDisjoint(with: [.data, .attributes]) {
            throw KeychainError(.itemNotFound, "no item matches")
        }
        var request = FindRequest(query: query(dictionary))
        request.limit = dictionary.limit ?? .one
        request.returns = dictionary.returns
        request.authentication = dictionary.authentication
        return request
    }

    /// `SecItemUpdate`.
    package static func update(_ entries: Entries, changes: Entries) throws(KeychainError) -> UpdateRequest {
        let dictionary = try QueryDictionary(entries, role: .update)
        try refuseItemList(dictionary)
        guard dictionary.returns.isEmpty else {
            throw KeychainError(.invalidParameter, "an update returns nothing")
        }
        var request = UpdateRequest(query: query(dictionary))
        request.limit = dictionary.limit ?? .all
        request.changes = try ItemChanges(changes, of: dictionary.itemClass)
        request.authentication = dictionary.authentication
        return request
    }

    /// `SecItemDelete`. Return keys are accepted and mean nothing.
    package static func delete(_ entries: Entries) throws(KeychainError) -> DeleteRequest {
        let dictionary = try QueryDictionary(entries, role: .delete)
        try refuseItemList(dictionary)
        if let reference = dictionary.reference, reference.uuid == nil, dictionary.attributeCount > 0 {
            throw KeychainError(.invalidParameter, "a persistent reference of the older form goes with no attribute")
        }
        var request = DeleteRequest(query: query(dictionary))
        request.limit = dictionary.limit ?? .all
        request.leavesTombstone = dictionary.usesTombstones
        return request
    }

    private static func refuseItemList(_ dictionary: QueryDictionary) throws(KeychainError) {
        guard !dictionary.hasItemList else {
            throw KeychainError(.invalidParameter, "kSecUseItemList is not supported")
        }
    }

    private static func query(_ dictionary: QueryDictionary) -> ItemQuery {
        var query = ItemQuery(itemClass: dictionary.itemClass)
        query.accessGroup = dictionary.accessGroup
        query.findsTombstones = dictionary.tombstone ?? false
        query.hostOrSubdomain = dictionary.hostOrSubdomain
        query.certificate = dictionary.certificate
        if let reference = dictionary.reference {
            // It names one item, synchronizable or not, and whatever the attributes beside it say.
            query.reference = reference
            query.synchronizable = .any
            // But the caller has to be entitled to what it names.
            query.filters[.sharingGroup] = dictionary.attributes[.sharingGroup]
            return query
        }
        query.accessibility = dictionary.accessibility
        query.synchronizable = dictionary.synchronizable ?? .only(false)
        query.sha1 = dictionary.sha1
        for entry in dictionary.attributes.entries { query.filters[entry.key] = entry.value }
        return query
    }
}
