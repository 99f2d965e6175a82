package import KeychainModel

/// Decides whether a caller may have what it asks for.
///
/// Each decision in the caller's favour is a value that only this module can make; the vault seals and opens nothing
/// without one.
package struct KeychainPolicy: Sendable {
    /// Whether the owner of the keychain has set a passcode.
    package let hasPasscode: Bool

    package init(hasPasscode: Bool) {
        self.hasPasscode = hasPasscode
    }

    // MARK: - Groups

    /// The caller's group for a new item: the one it names, else its first that can be written.
    func group(for caller: Caller, requested: String?) throws(KeychainError) -> String {
        guard let group = requested ?? caller.groups.names.first(where: { $0 != Self.tokenGroup }) else {
            throw Self.noGroup
        }
        try requireWritable(group, for: caller)
        return group
    }

    /// A group that the caller may write into.
    func requireWritable(_ group: String, for caller: Caller) throws(KeychainError) {
        guard caller.groups.contains(group), group != Self.tokenGroup else {
            throw Self.foreignGroup
        }
    }

    /// Programs that are entitled to the group of token items may read it; no program may write to it.
    private static let tokenGroup = "com.apple.token"

    /// The groups that a query looks into: the one it names, else all of the caller's.
    func scope(of query: ItemQuery, for caller: Caller) throws(KeychainError) -> GroupScope {
        if query.filters.namesSharingGroup {
            throw KeychainError(.missingEntitlement, "sharing groups need an entitlement that does not exist here")
        }
        guard let group = query.accessGroup else {
            guard !caller.groups.names.isEmpty || !caller.groups.wildcards.isEmpty else { throw Self.noGroup }
            return GroupScope(groups: query.reference == nil ? caller.groups : caller.groups.ofReferences)
        }
        guard caller.groups.contains(group) else { throw Self.foreignGroup }
        // A persistent reference names its item, whatever the attributes beside it say.
        return GroupScope(groups: query.reference == nil ? AccessGroups([group]) : caller.groups.ofReferences)
    }

    private static let noGroup = KeychainError(
        .missingEntitlement,
        "the program has no access group; give it an application-identifier or keychain-access-groups"
    )

    private static let foreignGroup = KeychainError(
        .missingEntitlement,
        "the access group is not among the program's; add it to keychain-access-groups in its entitlements"
    )

    // MARK: - Protection

    /// What protects an item, from what the caller said and the class's default.
    func protection(
        accessibility: Accessibility?,
        accessControl: AccessControl?,
        default fallback: Accessibility,
        of itemClass: ItemClass,
        isSynchronizable: Bool,
        isEnclaveKey: Bool = false
    ) throws(KeychainError) -> Protection {
        let control = accessControl ?? AccessControl(bare: accessibility ?? fallback)
        guard case .accessibility(let accessibility) = control.protection else {
            throw KeychainError(.invalidParameter, "items cannot be stored until reboot")
        }
        if isSynchronizable {
            guard control.isBare else {
                throw KeychainError(.invalidParameter, "an item with an access control cannot be synchronizable")
            }
            // With a ThisDeviceOnly class it may be: Apple's keychain stores such an item and sends it nowhere.
        }
        try requireEnforceable(control, of: itemClass, isEnclaveKey: isEnclaveKey)
        if accessibility == .whenPasscodeSetThisDeviceOnly && !hasPasscode {
            throw KeychainError(
                .authenticationFailed,
                "WhenPasscodeSetThisDeviceOnly needs a passcode, and none is set"
            )
        }
        return Protection(accessibility: accessibility, accessControl: control)
    }

    /// - Throws: `notAvailable` and `unimplemented` for what cannot be enforced: storing an item unguarded would be worse
    ///   than refusing it.
    private func requireEnforceable(
        _ control: AccessControl,
        of itemClass: ItemClass,
        isEnclaveKey: Bool
    ) throws(KeychainError) {
        guard control.isUnconstrained || !itemClass.dataIsPublic else {
            throw KeychainError(.unimplemented, "an access control cannot protect what is public")
        }
        guard !control.isForKeyUse || isEnclaveKey else {
            throw KeychainError(.unimplemented, "only the use of keys in the Secure Enclave can be guarded")
        }
        guard !control.constraint.alternatives.isEmpty else {
            throw PresenceFailure.noCompanion.error
        }
    }
}

extension AttributeList {
    /// An empty sharing group is the same as none.
    var namesSharingGroup: Bool { (self[.sharingGroup]?.byteCount ?? 0) > 0 }
}

/// The groups that a caller may search, resolved against those that exist where a wildcard is involved.
package struct GroupScope: Sendable {
    private let groups: AccessGroups

    init(groups: AccessGroups) {
        self.groups = groups
    }

    /// Whether more than one question has to be asked.
    package var isSeveralGroups: Bool { hasWildcard || groups.names.count > 1 }

    /// Whether the groups that exist have to be listed first.
    private var hasWildcard: Bool { !groups.wildcards.isEmpty }

    /// The groups to search.
    ///
    /// - Parameter existing: the groups of stored items; not called unless there is a wildcard.
    package func groups<Failure: Error>(existing: () throws(Failure) -> [String]) throws(Failure) -> [String] {
        guard hasWildcard else { return groups.names }
        let others = AccessGroups(try existing().filter(groups.contains)).names
        return AccessGroups(groups.names + others).names
    }

    package func contains(_ group: String) -> Bool {
        groups.contains(group)
    }
}

/// An accessibility class and the access control that goes with it.
package struct Protection: Sendable, Equatable {
    package let accessibility: Accessibility
    package let accessControl: AccessControl

    init(accessibility: Accessibility, accessControl: AccessControl) {
        self.accessibility = accessibility
        self.accessControl = accessControl
    }
}
