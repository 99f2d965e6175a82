package import KeychainModel
package import KeychainPolicy

/// What a selection means to a database that sees no attribute.
extension KeychainVault {
    /// The selection in terms of what the database can compare, once for each access group.
    ///
    /// - Parameter existing: lists the groups of stored items, if a wildcard makes that necessary.
    package func blind(
        _ selection: AuthorizedQuery,
        existing: () throws(KeychainError) -> [String]
    ) throws(KeychainError) -> [BlindQuery] {
        let query = selection.query
        // The older form names no item of ours, which is not the same as naming none.
        if let reference = query.reference, reference.uuid == nil { return [] }
        return try selection.scope.groups(existing: existing).map { group in
            let key = keys.indexKey(for: group)
            return BlindQuery(
                itemClass: query.itemClass,
                accessGroup: group,
                isSynchronizable: query.synchronizable.value,
                findsTombstones: query.findsTombstones,
                accessibility: query.accessibility?.code,
                uuid: query.reference?.uuid,
                columns: query.filters.entries.compactMap { entry in
                    guard let attribute = AttributeTable.attribute(entry.key, of: query.itemClass),
                        attribute.hasBlindColumn
                    else { return nil }
                    let index = BlindIndex.index(
                        of: entry.value,
                        attribute: attribute,
                        itemClass: query.itemClass,
                        under: key
                    )
                    return (entry.key, index)
                }
            )
        }
    }

    /// The part of a blinded selection whose items have one more value.
    package func narrow(_ query: BlindQuery, to key: AttributeKey, _ value: AttributeValue) -> BlindQuery {
        guard let attribute = AttributeTable.attribute(key, of: query.itemClass) else { return query }
        let index = BlindIndex.index(
            of: value,
            attribute: attribute,
            itemClass: query.itemClass,
            under: keys.indexKey(for: query.accessGroup)
        )
        return BlindQuery(
            itemClass: query.itemClass,
            accessGroup: query.accessGroup,
            isSynchronizable: query.isSynchronizable,
            findsTombstones: query.findsTombstones,
            accessibility: query.accessibility,
            uuid: query.uuid,
            columns: query.columns + [(key, index)]
        )
    }
}

extension ItemQuery.SynchronizableFilter {
    /// Nil for both kinds.
    fileprivate var value: Bool? {
        switch self {
        case .any: nil
        case .only(let isSynchronizable): isSynchronizable
        }
    }
}
