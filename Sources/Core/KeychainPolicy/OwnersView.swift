package import EnclaveInterface
package import KeychainModel

/// What the owner of a keychain may see and change by way of a program: the items of all access groups.
///
/// The owner has agreed to the view, for ten minutes, and agrees to each secret and each change by itself.
extension KeychainPolicy {
    /// The caller of an operation, which sees all groups where the operation is its owner's.
    ///
    /// - Throws: `interactionNotAllowed` where the owner has not agreed, or too long ago; `authenticationFailed` where nothing
    ///   tells the owner from a program.
    package func caller(
        of operation: KeychainOperation,
        _ caller: Caller,
        by enclave: any Enclave
    ) throws(KeychainError) -> Caller {
        guard operation.authentication.isOwners else { return caller }
        guard operation.query != nil else {
            throw KeychainError(.invalidParameter, "what is made belongs to a program, and not to its owner's view")
        }
        guard operation.traits.itemClass != .identity else {
            throw KeychainError(.unimplemented, "an owner's view shows certificates and keys, and no identities")
        }
        try enclave.require(operation.authentication.proofs, for: .ownersView)
        return Caller(name: caller.name, groups: AccessGroups(["*"]), ownGroup: caller.ownGroup)
    }

    /// Makes sure that the owner has agreed to what is done with some items.
    ///
    /// - Parameter reason: what the owner is asked, in the service's words.
    /// - Throws: `interactionNotAllowed` with the `PresenceNeed` for the first items that it is not proved for.
    package func requireOwner(
        of items: [GuardedItem],
        _ authentication: ItemAuthentication,
        by enclave: any Enclave,
        reason: @autoclosure () -> String
    ) throws(KeychainError) {
        for part in Self.parts(of: items) {
            let scope = PresenceScope.items(
                Dictionary(part.map { ($0.uuid, $0.accessGroup) }, uniquingKeysWith: { first, _ in first })
            )
            do throws(KeychainError) {
                try enclave.require(authentication.proofs, for: scope)
            } catch {
                guard error.code == .interactionNotAllowed else { throw error }
                throw KeychainError(
                    .interactionNotAllowed,
                    error.message,
                    presence: .needed(PresenceNeed(.owner, items: part, reason: reason()))
                )
            }
        }
    }

    /// As many items as one prompt can name, again and again.
    private static func parts(of items: [GuardedItem]) -> [[GuardedItem]] {
        var parts: [[GuardedItem]] = []
        var groups: Set<String> = []
        for item in items.sorted(by: { $0.accessGroup < $1.accessGroup }) {
            let isNew = !groups.contains(item.accessGroup)
            if let last = parts.last, last.count < PresenceScope.mostItems,
                !isNew || groups.count < PresenceScope.mostGroups
            {
                parts[parts.count - 1].append(item)
            } else {
                parts.append([item])
                groups = []
            }
            groups.insert(item.accessGroup)
        }
        return parts
    }
}
