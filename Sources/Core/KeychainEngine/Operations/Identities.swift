import KeychainModel

extension KeychainEngine {
    /// Answers a query for identities as far as that can be done without joining certificates and keys: where the caller
    /// has none of either, it has no identity. Programs that empty all five classes rely on that.
    ///
    /// - Throws: `unimplemented` where there could be one; what policy refuses.
    func requireNoIdentities(_ query: ItemQuery, for caller: Caller) throws(KeychainError) {
        for part in [ItemClass.certificate, .key] {
            var parts = ItemQuery(itemClass: part)
            parts.accessGroup = query.accessGroup
            parts.synchronizable = query.synchronizable
            if try find(FindRequest(query: parts), for: caller).isEmpty { return }
        }
        throw KeychainError(.unimplemented, "certificates and keys are not joined to identities yet")
    }
}
