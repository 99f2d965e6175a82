/// An identity is not stored: it is a certificate and a key that belong together. A query for identities is therefore
/// a query for certificates and a query for keys.
extension ItemQuery {
    /// What a search for identities asks of their certificates, and what of their keys.
    ///
    /// - Throws: `notSelectable` for an attribute of certificates by which no identity is found.
    package func identityHalves() throws(KeychainError) -> (certificate: ItemQuery, key: ItemQuery) {
        var certificate = self
        certificate.itemClass = .certificate
        certificate.filters = AttributeList()
        certificate.synchronizable = .any
        certificate.accessibility = nil
        certificate.sha1 = nil
        var key = ItemQuery(itemClass: .key)
        key.findsTombstones = findsTombstones
        key.synchronizable = synchronizable
        key.accessibility = accessibility
        key.sha1 = sha1
        if reference == nil {
            certificate.accessGroup = nil
            key.accessGroup = accessGroup
        }
        for entry in filters.entries {
            if Self.selectsCertificate.contains(entry.key) {
                certificate.filters[entry.key] = entry.value
            } else if AttributeTable.attribute(entry.key, of: .key) != nil {
                key.filters[entry.key] = entry.value
            } else {
                throw KeychainError(.notSelectable, "an identity is not found by the attribute '\(entry.key)'")
            }
        }
        // The halves have this value in common, so that it narrows both.
        certificate.filters[.publicKeyHash] = key.filters[.applicationLabel]
        if key.filters[.isPrivate] == nil { key.filters[.isPrivate] = .integer(1) }
        return (certificate, key)
    }

    /// The attributes of an identity that are its certificate's; all others are its key's.
    private static let selectsCertificate: Set<AttributeKey> = [
        .label, .issuer, .serialNumber, .subjectKeyID, .tokenID,
    ]

    /// The same question, asked of certificates or of keys alone: updates and deletions take an identity apart.
    ///
    /// - Throws: `noSuchAttribute` for a filter that the other half alone has.
    package func identityHalf(_ itemClass: ItemClass) throws(KeychainError) -> ItemQuery {
        try filters.requireAttributes(of: itemClass)
        var half = self
        half.itemClass = itemClass
        return half
    }
}

extension ItemChanges {
    /// - Throws: `noSuchAttribute` for a change that one half alone can take; `invalidParameter` for a value, which would
    ///   be certificate and key at once.
    package func requireFitForIdentity() throws(KeychainError) {
        guard secrets.isEmpty else {
            throw KeychainError(.invalidParameter, "a certificate and a key do not have the same data")
        }
        try attributes.requireAttributes(of: .certificate)
        try attributes.requireAttributes(of: .key)
    }
}

extension AttributeList {
    fileprivate func requireAttributes(of itemClass: ItemClass) throws(KeychainError) {
        for entry in entries where AttributeTable.attribute(entry.key, of: itemClass) == nil {
            throw KeychainError(
                .noSuchAttribute,
                "the attribute '\(entry.key)' is not one of both halves of an identity"
            )
        }
    }
}
