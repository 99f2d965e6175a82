package import KeychainModel

/// An item that its caller may store, complete: group, protection and defaults are decided.
package struct AuthorizedAdd: Sendable {
    package let itemClass: ItemClass
    package let accessGroup: String
    package let protection: Protection
    package let isSynchronizable: Bool
    package let isTombstone: Bool
    /// The attributes that are sealed, less the dates, which the engine sets when it stores the item.
    package let attributes: AttributeList
    package let secrets: [AttributeKey: SecretBytes]
    package let authentication: ItemAuthentication
    /// All that its primary key can collide with.
    package let surroundings: AuthorizedQuery
}

extension KeychainPolicy {
    /// - Throws: `missingEntitlement` for a group that is not the caller's; `invalidParameter` for a protection that
    ///   contradicts itself, and for an identity; `authenticationFailed` where a passcode would be needed;
    ///   `unimplemented` for what cannot be guarded.
    package func authorize(_ request: AddRequest, for caller: Caller) throws(KeychainError) -> AuthorizedAdd {
        guard request.itemClass != .identity else {
            throw KeychainError(.invalidParameter, "an identity is not made of attributes; add its two halves")
        }
        let group = try group(for: caller, requested: request.accessGroup)
        if request.attributes.namesSharingGroup {
            throw KeychainError(
                request.isSynchronizable ? .invalidParameter : .missingEntitlement,
                "sharing groups need an entitlement that does not exist here"
            )
        }
        let isEnclaveKey = request.itemClass == .key && request.attributes.isInEnclave
        let protection = try protection(
            accessibility: request.accessibility,
            accessControl: isEnclaveKey
                ? enclaveKey(in: request, for: group).header.accessControl : request.accessControl,
            default: request.itemClass.defaultAccessibility(in: group),
            of: request.itemClass,
            isSynchronizable: request.isSynchronizable,
            isEnclaveKey: isEnclaveKey
        )
        var attributes = request.attributes
        for attribute in AttributeTable.attributes(of: request.itemClass) where attribute.hasBlindColumn {
            if let value = attribute.defaultValue, attributes[attribute.key] == nil {
                attributes[attribute.key] = value
            }
        }
        return AuthorizedAdd(
            itemClass: request.itemClass,
            accessGroup: group,
            protection: protection,
            isSynchronizable: request.isSynchronizable,
            isTombstone: request.isTombstone,
            attributes: attributes,
            secrets: request.secrets,
            authentication: request.authentication,
            surroundings: AuthorizedQuery(
                query: ItemQuery(itemClass: request.itemClass),
                scope: GroupScope(groups: AccessGroups([group]))
            )
        )
    }
}
