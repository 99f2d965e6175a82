import EnclaveInterface
package import KeychainModel
package import KeychainPolicy

/// A row as a backup takes it.
package enum BackupRow: Sendable {
    case item(BackupItem)
    /// For the device alone that it is on.
    case deviceItem(BackupItem)
    case staysOut
    case damaged
}

/// An item out of a backup, sealed anew.
package struct SealedRestoredItem: Sendable {
    package let sealed: SealedItem
    package let authorized: AuthorizedRestoredItem
}

extension KeychainVault {
    // MARK: - Into a backup

    /// Opens rows, with one question to the enclave for all of them.
    ///
    /// - Returns: one for each, in their order.
    /// - Throws: `interactionNotAllowed` where the class of one is locked that would be in the backup.
    package func open(_ rows: [SealedRow], for authorization: AuthorizedBackup) throws(KeychainError) -> [BackupRow] {
        var opened: [BackupRow] = []
        var toUnwrap: [(index: Int, item: OpenedItem, isDeviceItem: Bool)] = []
        for row in rows {
            guard let (item, isDeviceItem) = try attributes(of: row, for: authorization, into: &opened) else {
                continue
            }
            toUnwrap.append((opened.count, item, isDeviceItem))
            // Until its secret is open.
            opened.append(.damaged)
        }
        for (unwrapped, secrets) in zip(toUnwrap, try openSecrets(ofAll: toUnwrap.map(\.item))) {
            guard let secrets else { continue }
            let item = BackupItem(unwrapped.item, secrets: secrets)
            opened[unwrapped.index] = unwrapped.isDeviceItem ? .deviceItem(item) : .item(item)
        }
        return opened
    }

    /// Opens the secrets of items that demand nothing of anybody, with one question to the enclave for all of them.
    ///
    /// - Returns: one for each; nil for those that do not open.
    func openSecrets(ofAll items: [OpenedItem]) throws(KeychainError) -> [OpenedSecrets?] {
        guard !items.isEmpty else { return [] }
        let boxes = items.map { WrappedItemKey(binding: $0.row.binding, box: $0.row.wrappedKey) }
        let itemKeys = try keys.enclave.unwrap(boxes)
        guard itemKeys.count == boxes.count else {
            throw KeychainError(.internalError, "the enclave answers for other keys than it was asked for")
        }
        var opened: [OpenedSecrets?] = []
        for (item, itemKey) in zip(items, itemKeys) {
            do throws(KeychainError) {
                let data = AssociatedData(item.row.binding, keychain: keys.keychain).bytes(for: .secret)
                let plaintext = openSecret(item.row, under: try itemKey.get(), data: data)
                opened.append(plaintext.flatMap(SecretCodec.decode))
            } catch {
                guard error.code == .undecodable else { throw error }
                opened.append(nil)
            }
        }
        return opened
    }

    /// Opens the attributes of a row that belongs into the backup; any other is told of by itself.
    private func attributes(
        of row: SealedRow,
        for authorization: AuthorizedBackup,
        into opened: inout [BackupRow]
    ) throws(KeychainError) -> (OpenedItem, isDeviceItem: Bool)? {
        if let accessibility = Accessibility(code: row.accessibility), !authorization.holds(accessibility) {
            opened.append(.staysOut)
            return nil
        }
        let item: OpenedItem
        do throws(KeychainError) {
            item = try openAttributes(of: row)
        } catch {
            guard error.code == .undecodable else { throw error }
            opened.append(.damaged)
            return nil
        }
        let share = authorization.share(
            of: row.itemClass,
            accessGroup: row.accessGroup,
            protection: (item.accessibility, item.accessControl),
            isTombstone: row.isTombstone,
            attributes: item.attributes
        )
        switch share {
        case .migrates: return (item, false)
        case .thisDeviceOnly: return (item, true)
        case .staysOut:
            opened.append(.staysOut)
            return nil
        }
    }

    // MARK: - Out of a backup

    /// Seals items under their own UUIDs and with their own dates, with one question to the enclave for all of them.
    ///
    /// - Throws: `interactionNotAllowed` while the class of one is locked.
    package func seal(_ items: [AuthorizedRestoredItem]) throws(KeychainError) -> [SealedRestoredItem] {
        let contents = items.map { authorized in
            let item = authorized.item
            return Contents(
                itemClass: item.itemClass,
                uuid: item.uuid,
                accessGroup: item.accessGroup,
                protection: (item.accessibility, item.accessControl),
                isSynchronizable: item.isSynchronizable,
                isTombstone: false,
                attributes: item.attributes,
                secrets: item.secrets
            )
        }
        let sealed = try seal(contents)
        return zip(sealed, items).map { SealedRestoredItem(sealed: $0, authorized: $1) }
    }

    /// Opens what stands where a restored item is to be, whichever group it is of.
    ///
    /// - Throws: as for any other row.
    package func open(_ row: SealedRow, for authorization: AuthorizedRestore) throws(KeychainError) -> OpenedItem {
        try openAttributes(of: row)
    }
}

extension BackupItem {
    package init(_ item: OpenedItem, secrets: OpenedSecrets) {
        self.init(
            itemClass: item.row.itemClass,
            uuid: item.row.uuid,
            accessGroup: item.row.accessGroup,
            accessibility: item.accessibility,
            accessControl: item.accessControl,
            isSynchronizable: item.row.isSynchronizable,
            attributes: item.attributes,
            secrets: secrets.values
        )
    }
}
