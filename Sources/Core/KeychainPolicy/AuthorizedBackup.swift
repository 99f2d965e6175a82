package import EnclaveInterface
package import KeychainModel

/// The authorization to take a keychain's items out of it, sealed for whom its owner names: those of all access groups,
/// which no program could read by itself.
package struct AuthorizedBackup: Sendable {
    /// Whether items go along that only this device opens. In an export, which is to be read, they would be of no use.
    package let holdsDeviceItems: Bool

    init(holdsDeviceItems: Bool) {
        self.holdsDeviceItems = holdsDeviceItems
    }

    /// How an item is in a backup.
    package enum Share: Sendable {
        /// For any device.
        case migrates
        /// For this one alone.
        case thisDeviceOnly
        case staysOut
    }

    /// Whether items of a class can be in a backup at all, which can be said before they are open.
    package func holds(_ accessibility: Accessibility) -> Bool { accessibility != .whenPasscodeSetThisDeviceOnly }

    package func share(
        of itemClass: ItemClass,
        accessGroup: String,
        protection: (accessibility: Accessibility, accessControl: AccessControl),
        isTombstone: Bool,
        attributes: AttributeList
    ) -> Share {
        // Marks of deleted items are for synchronization; restored, they would delete what is there.
        if isTombstone || !holds(protection.accessibility) || !protection.accessControl.isUnconstrained
            || itemClass.isBoundToSystem(accessGroup: accessGroup, attributes) || attributes.isBoundElsewhere
        {
            return .staysOut
        }
        if protection.accessibility.isThisDeviceOnly { return holdsDeviceItems ? .thisDeviceOnly : .staysOut }
        return .migrates
    }
}

extension KeychainPolicy {
    /// - Parameter token: says that the owner has allowed it; it is used up.
    /// - Throws: `authenticationFailed`.
    package func authorizeBackup(
        _ token: AuthorizationToken,
        isExport: Bool,
        by enclave: any Enclave
    ) throws(KeychainError) -> AuthorizedBackup {
        try enclave.redeem(token, for: isExport ? .export : .backup)
        return AuthorizedBackup(holdsDeviceItems: !isExport)
    }
}

extension AttributeList {
    /// Whether an item is another's than this keychain's alone: a token's, a sharing group's, another user's.
    fileprivate var isBoundElsewhere: Bool {
        [.tokenID, .sharingGroup, .multiUser].contains { (self[$0]?.byteCount ?? 0) > 0 }
    }
}

extension ItemClass {
    /// Whether an item is of the system it is on. Where it does not say so itself, Apple's list of known ones decides.
    fileprivate func isBoundToSystem(accessGroup: String, _ attributes: AttributeList) -> Bool {
        switch attributes[.systemBound] {
        case .integer(0)?: return false
        case .some: return true
        case nil: break
        }
        func text(_ key: AttributeKey) -> String? { if case .string(let text) = attributes[key] { text } else { nil } }
        switch accessGroup {
        case "com.apple.security.sos", "lockdown-identities": return true
        case "apple" where self == .genericPassword:
            switch text(.service) {
            case "com.apple.managedconfiguration": return ["Public", "Private"].contains(text(.account))
            case "com.apple.account.CloudKit.token", "com.apple.account.idms.continuation-key": return true
            default: return false
            }
        default: return false
        }
    }
}

// MARK: - The way back

/// The authorization to put a backup's items into a keychain, whatever their access groups.
package struct AuthorizedRestore: Sendable {
    fileprivate init() {}
}

/// An item out of a backup that may be stored as it is.
package struct AuthorizedRestoredItem: Sendable {
    package let item: BackupItem
    /// All that it can collide with.
    package let surroundings: AuthorizedQuery

    fileprivate init(_ item: BackupItem) {
        self.item = item
        surroundings = AuthorizedQuery(
            query: ItemQuery(itemClass: item.itemClass),
            scope: GroupScope(groups: AccessGroups([item.accessGroup]))
        )
    }
}

extension KeychainPolicy {
    /// - Parameter token: says that the owner has allowed it; it is used up.
    /// - Throws: `authenticationFailed`.
    package func authorizeRestore(
        _ token: AuthorizationToken,
        by enclave: any Enclave
    ) throws(KeychainError) -> AuthorizedRestore {
        try enclave.redeem(token, for: .restore)
        return AuthorizedRestore()
    }

    /// The same for what the owner sees in a view.
    ///
    /// - Throws: `interactionNotAllowed` where the owner has not agreed to the view, or too long ago.
    package func authorizeRestore(
        _ view: ItemAuthentication,
        by enclave: any Enclave
    ) throws(KeychainError) -> AuthorizedRestore {
        try enclave.require(view.proofs, for: .ownersView)
        return AuthorizedRestore()
    }

    /// Judges an item as if its owner's program added it: the backup may come from any person.
    ///
    /// - Throws: `invalidParameter`, `noSuchAttribute` and `dataTooLarge` for what no keychain holds;
    ///   `missingEntitlement` for a group that is read-only; `unimplemented` for what no backup may hold.
    package func authorize(
        _ item: BackupItem,
        with authorization: AuthorizedRestore
    ) throws(KeychainError) -> AuthorizedRestoredItem {
        try authorize(item)
    }

    /// Whose authorization it is, the caller knows.
    func authorize(_ item: BackupItem) throws(KeychainError) -> AuthorizedRestoredItem {
        guard !item.accessGroup.isEmpty, !item.accessGroup.hasSuffix("*") else {
            throw KeychainError(.invalidParameter, "an item in the backup has no access group")
        }
        try requireWritable(item.accessGroup, for: Caller(name: "", groups: AccessGroups([item.accessGroup])))
        let backup = AuthorizedBackup(holdsDeviceItems: true)
        let share = backup.share(
            of: item.itemClass,
            accessGroup: item.accessGroup,
            protection: (item.accessibility, item.accessControl),
            isTombstone: false,
            attributes: item.attributes
        )
        if case .staysOut = share {
            throw KeychainError(.unimplemented, "the backup has an item that no backup may hold")
        }
        _ = try protection(
            accessibility: nil,
            accessControl: item.accessControl,
            default: item.accessibility,
            of: item.itemClass,
            isSynchronizable: item.isSynchronizable
        )
        try item.requireWellFormed()
        return AuthorizedRestoredItem(item)
    }
}

extension BackupItem {
    /// - Throws: what a request with the same attributes is refused with.
    fileprivate func requireWellFormed() throws(KeychainError) {
        guard accessGroup.utf8.count <= AttributeKind.largestAttribute else {
            throw KeychainError(.dataTooLarge, "an access group is larger than 1 MiB")
        }
        for attribute in AttributeTable.attributes(of: itemClass) where attribute.hasBlindColumn {
            guard let value = attributes[attribute.key] else {
                guard attribute.defaultValue == nil else {
                    throw KeychainError(.invalidParameter, "an item in the backup lacks a part of its primary key")
                }
                continue
            }
            guard try attribute.kind.coerce(value) == value else {
                throw KeychainError(.invalidParameter, "an item in the backup has an attribute that none has")
            }
        }
        for entry in attributes.entries {
            guard let attribute = AttributeTable.attribute(entry.key, of: itemClass), attribute.hasBlindColumn else {
                throw KeychainError(.noSuchAttribute, "an item in the backup has an attribute that its class has not")
            }
        }
        for key: AttributeKey in [.creationDate, .modificationDate] {
            guard case .date(let date) = attributes[key], date.isFinite else {
                throw KeychainError(.invalidParameter, "an item in the backup has no date")
            }
        }
        for (key, value) in secrets {
            let attribute = AttributeTable.attribute(key, of: itemClass)
            let isSecret = attribute?.flags.contains(.secret) ?? false && key != .sha1
            guard key == .valueData || isSecret else {
                throw KeychainError(.noSuchAttribute, "an item in the backup has a secret that its class has not")
            }
            guard value.count <= (key == .valueData ? AttributeKind.largestValue : AttributeKind.largestAttribute)
            else {
                throw KeychainError(.dataTooLarge, "a secret in the backup is larger than a keychain takes")
            }
        }
    }
}
