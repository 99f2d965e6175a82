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
        if case .update(let request) = operation.action, request.changes.isBeyondOwner {
            throw KeychainError(
                .unimplemented,
                "the access group, the protection and the devices of another program's item are not changed in an owner's view"
            )
        }
        // Batches and calls without a context have none, and the enclave need not be asked.
        guard !operation.authentication.proofs.isEmpty else {
            throw KeychainError(.interactionNotAllowed, "the owner has not agreed to a view of all items")
        }
        try enclave.require(operation.authentication.proofs, for: .ownersView)
        return Caller(name: caller.name, groups: AccessGroups(["*"]), ownGroup: caller.ownGroup)
    }

    /// Makes sure that the owner has agreed to what is done with some items.
    ///
    /// - Parameter reason: what the owner is asked, in the service's words.
    /// - Throws: `interactionNotAllowed` with the `PresenceNeed` where it is not proved; `unimplemented` for more items, or more
    ///   groups, than one prompt can name.
    package func requireOwner(
        of items: [GuardedItem],
        _ authentication: ItemAuthentication,
        by enclave: any Enclave,
        reason: @autoclosure () -> String
    ) throws(KeychainError) {
        guard !items.isEmpty else { return }
        let scope = PresenceScope.items(
            Dictionary(items.map { ($0.uuid, $0.accessGroup) }, uniquingKeysWith: { first, _ in first })
        )
        guard scope.isSound else {
            throw KeychainError(
                .unimplemented,
                "these are more items than an owner can agree to at one time; choose fewer"
            )
        }
        do throws(KeychainError) {
            try enclave.require(authentication.proofs, for: scope)
        } catch {
            guard error.code == .interactionNotAllowed else { throw error }
            throw KeychainError(
                .interactionNotAllowed,
                error.message,
                presence: .needed(PresenceNeed(.owner, items: items, reason: reason()))
            )
        }
    }
}

extension ItemChanges {
    /// Whether they would give an item to another program, or take away what guards it: one yes to a change is not one to that.
    fileprivate var isBeyondOwner: Bool {
        accessGroup != nil || accessibility != nil || accessControl != nil || isSynchronizable != nil
    }
}
