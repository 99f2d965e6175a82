import EnclaveInterface
package import KeychainCircles
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainCircle {
    /// Earlier versions of shared items, the newest first.
    ///
    /// - Parameters:
    ///   - leave: they are of all access groups.
    ///   - text: in the title; nil for all.
    /// - Throws: `interactionNotAllowed` while the class of one is locked.
    package func earlierVersions(
        _ leave: OwnersLeave,
        matching text: String? = nil
    ) throws(KeychainError) -> [EarlierVersion] {
        try engine.vault.refresh()
        let authorization = try authorized(by: leave)
        var found: [EarlierVersion] = []
        var hasExpired = false
        try engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
            for itemClass in ItemClass.stored {
                for number in try transaction.pastNumbers(of: itemClass) {
                    guard let version = try transaction.pastVersion(number) else { continue }
                    hasExpired = hasExpired || version.isExpired
                    guard !version.isExpired, version.row.accessGroup != Self.namesGroup,
                        let item = try opened(version, authorization)
                    else { continue }
                    let title = item.attributes.title
                    if let text, !title.lowercased().contains(text.lowercased()) { continue }
                    found.append(
                        EarlierVersion(
                            number: version.number,
                            itemClass: itemClass,
                            uuid: version.row.uuid,
                            accessGroup: version.row.accessGroup,
                            title: title,
                            reason: version.reason.told,
                            time: version.time,
                            isThere: try transaction.hasLiveRow(version.row.uuid, of: itemClass)
                        )
                    )
                }
            }
        }
        if hasExpired {
            // The list is right without it, also where the disk is full.
            try? engine.write { () throws(KeychainError) in
                { (transaction: WriteTransaction) throws(KeychainError) in
                    try transaction.expirePast(now: PastVersion.now)
                }
            }
        }
        return found.sorted { ($0.time, $0.number) > ($1.time, $1.number) }
    }

    private func authorized(by leave: OwnersLeave) throws(KeychainError) -> AuthorizedRestore {
        switch leave {
        case .token(let token): try engine.policy.authorizeRestore(token, by: engine.vault.enclave)
        case .view(let view): try engine.policy.authorizeRestore(view, by: engine.vault.enclave)
        }
    }

    /// Nil for one that is damaged.
    private func opened(
        _ version: PastVersion,
        _ authorization: AuthorizedRestore
    ) throws(KeychainError) -> OpenedItem? {
        do throws(KeychainError) {
            return try engine.vault.open(version.row, for: authorization)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    /// Makes an earlier version the item's current one, on all devices. What it replaces is an earlier version then.
    ///
    /// - Returns: its title.
    /// - Throws: `itemNotFound` where it is kept no more; `undecodable` where it is damaged; `interactionNotAllowed` while it is
    ///   locked, and with the `PresenceNeed` where the owner has not agreed.
    package func bringBack(_ number: Int64, _ leave: OwnersLeave) throws(KeychainError) -> String {
        try engine.vault.refresh()
        let authorization = try authorized(by: leave)
        let done: (title: String, changes: [ArrivedChange]) = try engine.write { () throws(KeychainError) in
            { (transaction: WriteTransaction) throws(KeychainError) in
                let version = try Self.version(number, in: transaction)
                let opened = try self.engine.vault.open(version.row, for: authorization)
                var attributes = opened.attributes
                attributes[.modificationDate] = .date(KeychainEngine.now)
                let secrets = try self.engine.vault.openSecrets(of: opened)
                let item = BackupItem(opened, secrets: secrets)
                let current = BackupItem(
                    itemClass: item.itemClass,
                    uuid: item.uuid,
                    accessGroup: item.accessGroup,
                    accessibility: item.accessibility,
                    accessControl: item.accessControl,
                    isSynchronizable: item.isSynchronizable,
                    attributes: attributes,
                    secrets: item.secrets
                )
                let authorized = try self.engine.policy.authorize(current, with: authorization)
                var changes: [ArrivedChange] = []
                for restored in try self.engine.vault.seal([authorized]) {
                    let replaced = try self.replaced(by: restored.sealed, in: transaction)
                    if case .view(let view) = leave {
                        // Of an item that was moved since, the group counts that it is in.
                        let guarded = (replaced.map(\.row) + [version.row]).map {
                            GuardedItem($0.uuid, in: $0.accessGroup)
                        }
                        try self.engine.policy.requireOwner(
                            of: guarded,
                            view,
                            by: self.engine.vault.enclave,
                            reason: KeychainEngine.reason(
                                replaced.isEmpty ? "Bring back" : "Replace by an earlier version",
                                [item.title]
                            )
                        )
                    }
                    changes.append(try self.place(restored.sealed, in: transaction))
                }
                return (item.title, changes)
            }
        }
        if let tell { for (change, row) in done.changes { tell(change, row) } }
        return done.title
    }

    private static func version(
        _ number: Int64,
        in transaction: WriteTransaction
    ) throws(KeychainError) -> PastVersion {
        guard let version = try transaction.reading.pastVersion(number), !version.isExpired,
            version.row.accessGroup != namesGroup
        else {
            throw KeychainError(.itemNotFound, "no earlier version has the number \(number)")
        }
        return version
    }

    /// Deletes an earlier version for good, on this device; of an item that is not there any more, all of them.
    ///
    /// - Returns: the title of its item.
    /// - Throws: as `bringBack`.
    package func discard(_ number: Int64, _ leave: OwnersLeave) throws(KeychainError) -> String {
        try engine.vault.refresh()
        let authorization = try authorized(by: leave)
        return try engine.write { () throws(KeychainError) in
            { (transaction: WriteTransaction) throws(KeychainError) in
                let version = try Self.version(number, in: transaction)
                let title = try self.engine.vault.open(version.row, for: authorization).attributes.title
                let isThere = try transaction.reading.hasLiveRow(version.row.uuid, of: version.row.itemClass)
                let versions = isThere ? [version] : try transaction.reading.pastVersions(like: version)
                if case .view(let view) = leave {
                    let deed = isThere ? "Delete an earlier version for good, of" : "Delete for good"
                    // The item may have been in several groups.
                    try self.engine.policy.requireOwner(
                        of: versions.map { GuardedItem($0.row.uuid, in: $0.row.accessGroup) },
                        view,
                        by: self.engine.vault.enclave,
                        reason: KeychainEngine.reason(deed, [title])
                    )
                }
                for version in versions { try transaction.removePast(version) }
                return title
            }
        }
    }

    /// What is there now and an earlier version would take the place of: the item itself, and one that has its primary key.
    ///
    /// - Throws: `noPermission` where such an item has an access control, which the earlier version would take away.
    private func replaced(
        by sealed: SealedItem,
        in transaction: WriteTransaction
    ) throws(KeychainError) -> [StoredItem] {
        let rows = [
            try transaction.row(sealed.row.uuid, of: sealed.row.itemClass), try transaction.collision(with: sealed),
        ]
        var replaced: [StoredItem] = []
        for row in rows.compactMap(\.self) where !row.row.isTombstone {
            if replaced.contains(where: { $0.rowNumber == row.rowNumber }) { continue }
            guard row.row.canComeBack else {
                throw KeychainError(.noPermission, "what is there now is guarded, and an earlier version would not be")
            }
            replaced.append(row)
        }
        return replaced
    }

    /// Writes an item over what has its UUID or its primary key.
    private func place(
        _ sealed: SealedItem,
        in transaction: WriteTransaction
    ) throws(KeychainError) -> ArrivedChange {
        let same = try transaction.row(sealed.row.uuid, of: sealed.row.itemClass)
        // The owner may want what is replaced back as well.
        transaction.keepsUnshared = true
        defer { transaction.keepsUnshared = false }
        if let other = try transaction.collision(with: sealed), other.rowNumber != same?.rowNumber {
            try engine.remove(other, in: transaction)
        }
        if let same, try !transaction.isAside(same) {
            try transaction.replace(same, with: sealed)
            return (.updated, AffectedRow(sealed.row))
        }
        if let same { try transaction.remove(same, marking: nil, keeping: nil) }
        try transaction.insert(sealed)
        return (.added, AffectedRow(sealed.row))
    }
}

extension PastVersion.Reason {
    fileprivate var told: EarlierVersion.Reason {
        switch self {
        case .replaced: .replaced
        case .deleted: .deleted
        case .lost: .lost
        }
    }
}
