package import KeychainModel

/// A selection of items, confined to the groups that the caller may see.
package struct AuthorizedQuery: Sendable {
    package let query: ItemQuery
    package let scope: GroupScope

    init(query: ItemQuery, scope: GroupScope) {
        self.query = query
        self.scope = scope
    }
}

/// A search that the caller may make.
package struct AuthorizedFind: Sendable {
    package let selection: AuthorizedQuery
    package let limit: MatchLimit
    package let returns: ReturnSelection
    package let authentication: ItemAuthentication
}

/// A change that the caller may make.
package struct AuthorizedUpdate: Sendable {
    package let selection: AuthorizedQuery
    package let limit: MatchLimit
    package let changes: ItemChanges
    /// Whether what was there is kept for its owner, also where no other device shares it.
    package let keepsEarlier: Bool
    package let authentication: ItemAuthentication
    /// All that a changed primary key can collide with: the caller's own groups.
    package let surroundings: AuthorizedQuery
    private let policy: KeychainPolicy

    init(
        selection: AuthorizedQuery,
        limit: MatchLimit,
        changes: ItemChanges,
        keepsEarlier: Bool,
        authentication: ItemAuthentication,
        surroundings: AuthorizedQuery,
        policy: KeychainPolicy
    ) {
        self.selection = selection
        self.limit = limit
        self.changes = changes
        self.keepsEarlier = keepsEarlier
        self.authentication = authentication
        self.surroundings = surroundings
        self.policy = policy
    }

    /// What protects an item after the change.
    ///
    /// - Throws: as `KeychainPolicy.authorize(_:for:)` of an add does, since the change may make the combination bad;
    ///   `invalidParameter` where a key of the Secure Enclave would be another one after it, or guarded otherwise.
    package func protection(
        of itemClass: ItemClass,
        currently control: AccessControl,
        attributes: AttributeList,
        isSynchronizable: Bool
    ) throws(KeychainError) -> Protection {
        let isEnclaveKey = itemClass == .key && attributes.isInEnclave
        try requireSameKey(isEnclaveKey: isEnclaveKey, of: itemClass)
        let isChanged = changes.accessibility != nil || changes.accessControl != nil
        return try policy.protection(
            accessibility: changes.accessibility,
            accessControl: isChanged ? changes.accessControl : control,
            default: itemClass.defaultAccessibility,
            of: itemClass,
            isSynchronizable: isSynchronizable,
            isEnclaveKey: isEnclaveKey
        )
    }

    /// What an enclave's key is, and who may use it, was decided when it was made.
    private func requireSameKey(isEnclaveKey: Bool, of itemClass: ItemClass) throws(KeychainError) {
        guard itemClass == .key else { return }
        let becomesEnclaveKey = changes.attributes.isInEnclave && !isEnclaveKey
        let isTouched =
            changes.accessGroup != nil || changes.accessibility != nil || changes.accessControl != nil
            || changes.isSynchronizable == true || changes.secrets[.valueData] != nil
            || changes.attributes[.tokenID] != nil
        guard !becomesEnclaveKey, !(isEnclaveKey && isTouched) else {
            throw KeychainError(
                .invalidParameter,
                "the group, the protection and the value of a key in the Secure Enclave cannot be changed"
            )
        }
    }
}

/// A deletion that the caller may make.
package struct AuthorizedDelete: Sendable {
    package let selection: AuthorizedQuery
    package let limit: MatchLimit
    package let leavesTombstone: Bool?
    /// As in an update.
    package let keepsEarlier: Bool
    package let authentication: ItemAuthentication
}

extension KeychainPolicy {
    /// - Throws: `missingEntitlement` for a group that is not the caller's.
    package func authorize(_ request: FindRequest, for caller: Caller) throws(KeychainError) -> AuthorizedFind {
        AuthorizedFind(
            selection: try select(request.query, for: caller),
            limit: request.limit,
            returns: request.returns,
            authentication: request.authentication
        )
    }

    /// - Throws: `missingEntitlement` for a group that is not the caller's, also where the item would move to it.
    package func authorize(_ request: UpdateRequest, for caller: Caller) throws(KeychainError) -> AuthorizedUpdate {
        let selection = try select(request.query, for: caller)
        if let group = request.changes.accessGroup {
            try requireWritable(group, for: caller)
        }
        // Judged here too, so that a bad combination is refused whether or not an item matches.
        if request.changes.accessControl != nil || request.changes.accessibility != nil {
            _ = try protection(
                accessibility: request.changes.accessibility,
                accessControl: request.changes.accessControl,
                default: request.query.itemClass.defaultAccessibility,
                of: request.query.itemClass,
                isSynchronizable: request.changes.isSynchronizable ?? false
            )
        }
        return AuthorizedUpdate(
            selection: selection,
            limit: request.limit,
            changes: request.changes,
            keepsEarlier: request.keepsEarlier && caller.groups.areAll,
            authentication: request.authentication,
            surroundings: AuthorizedQuery(
                query: ItemQuery(itemClass: request.query.itemClass),
                scope: GroupScope(groups: caller.groups)
            ),
            policy: self
        )
    }

    /// - Throws: `missingEntitlement` for a group that is not the caller's, and for the group of token items.
    package func authorize(_ request: DeleteRequest, for caller: Caller) throws(KeychainError) -> AuthorizedDelete {
        let selection = try select(request.query, for: caller)
        if let group = request.query.accessGroup { try requireWritable(group, for: caller) }
        return AuthorizedDelete(
            selection: selection,
            limit: request.limit,
            leavesTombstone: request.leavesTombstone,
            keepsEarlier: request.keepsEarlier && caller.groups.areAll,
            authentication: request.authentication
        )
    }

    /// Identities are selected by their halves: see `AuthorizedIdentityFind`.
    func select(_ query: ItemQuery, for caller: Caller) throws(KeychainError) -> AuthorizedQuery {
        guard query.itemClass != .identity else {
            throw KeychainError(.internalError, "identities are no rows")
        }
        return AuthorizedQuery(query: query, scope: try scope(of: query, for: caller))
    }
}
