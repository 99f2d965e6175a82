package import KeychainModel

/// A search for identities that the caller may make: both halves of what it finds are in the caller's groups.
package struct AuthorizedIdentityFind: Sendable {
    package let certificates: AuthorizedQuery
    package let keys: AuthorizedQuery
    package let limit: MatchLimit
    package let returns: ReturnSelection
    package let authentication: ItemAuthentication
}

/// A change that the caller may make to certificates and, apart from them, to keys.
package struct AuthorizedIdentityUpdate: Sendable {
    package let certificates: AuthorizedUpdate
    package let keys: AuthorizedUpdate
}

/// A deletion of identities that the caller may make.
package enum AuthorizedIdentityDelete: Sendable {
    /// All certificates that match, and all keys that match.
    case halves(certificates: AuthorizedDelete, keys: AuthorizedDelete)
    /// The identity that a persistent reference names. Its key stays while another of these certificates has it.
    case identity(AuthorizedIdentityFind, certificates: AuthorizedQuery, leavesTombstone: Bool?)
}

extension KeychainPolicy {
    /// - Throws: `missingEntitlement` for a group that is not the caller's; `notSelectable` for an attribute by which no
    ///   identity is found.
    package func authorizeIdentities(
        _ request: FindRequest,
        for caller: Caller
    ) throws(KeychainError) -> AuthorizedIdentityFind {
        let halves = try request.query.identityHalves()
        return AuthorizedIdentityFind(
            certificates: try select(halves.certificate, for: caller),
            keys: try select(halves.key, for: caller),
            limit: request.limit,
            returns: request.returns,
            authentication: request.authentication
        )
    }

    /// - Throws: what a change of a certificate or a key is refused with; `noSuchAttribute` for what one half alone has;
    ///   `unsupportedReference` for a persistent reference.
    package func authorizeIdentities(
        _ request: UpdateRequest,
        for caller: Caller
    ) throws(KeychainError) -> AuthorizedIdentityUpdate {
        guard request.query.reference == nil else {
            throw KeychainError(.unsupportedReference, "an identity is not updated by its persistent reference")
        }
        try request.changes.requireFitForIdentity()
        func half(_ itemClass: ItemClass) throws(KeychainError) -> AuthorizedUpdate {
            var half = request
            half.query = try request.query.identityHalf(itemClass)
            return try authorize(half, for: caller)
        }
        return AuthorizedIdentityUpdate(certificates: try half(.certificate), keys: try half(.key))
    }

    /// - Throws: `missingEntitlement` for a group that is not the caller's; `noSuchAttribute` for what one half alone has.
    package func authorizeIdentities(
        _ request: DeleteRequest,
        for caller: Caller
    ) throws(KeychainError) -> AuthorizedIdentityDelete {
        guard request.query.reference != nil else {
            func half(_ itemClass: ItemClass) throws(KeychainError) -> AuthorizedDelete {
                var half = request
                half.query = try request.query.identityHalf(itemClass)
                return try authorize(half, for: caller)
            }
            return .halves(certificates: try half(.certificate), keys: try half(.key))
        }
        if let group = request.query.accessGroup { try requireWritable(group, for: caller) }
        var find = FindRequest(query: request.query)
        find.limit = request.limit
        var certificates = ItemQuery(itemClass: .certificate)
        certificates.synchronizable = .any
        return .identity(
            try authorizeIdentities(find, for: caller),
            certificates: try select(certificates, for: caller),
            leavesTombstone: request.leavesTombstone
        )
    }
}
