import Crypto
package import EnclaveInterface
import Foundation
package import KeychainModel
package import KeychainPolicy

/// Seals what policy lets in and opens what policy lets out. It knows keys and their enclave, and no database.
package struct KeychainVault: Sendable {
    let keys: VaultKeys

    /// - Throws: `notAvailable` where the enclave cannot be reached.
    package init(_ enclave: any Enclave) throws(KeychainError) {
        keys = try VaultKeys(enclave)
    }

    package var keychain: ItemUUID { keys.keychain }

    /// The holder of the keys.
    package var enclave: any Enclave { keys.enclave }

    /// The state that the keys here are of.
    package var state: EnclaveState { keys.state }

    /// Takes in what the enclave has locked or unlocked since. To be called before each request.
    package func refresh() throws(KeychainError) {
        try keys.refresh()
    }

    /// What authenticates the database's header row: it binds the database to this keybag.
    package func headerCode(for header: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: header, using: keys.headerKey))
    }

    // MARK: - Sealing

    /// Seals a new item.
    ///
    /// - Parameter now: its creation and modification date, in seconds since 2001-01-01.
    /// - Throws: `interactionNotAllowed` while its class is locked.
    package func seal(_ add: AuthorizedAdd, now: Double) throws(KeychainError) -> SealedItem {
        var attributes = add.attributes
        attributes[.creationDate] = .date(now)
        attributes[.modificationDate] = .date(now)
        return try seal(
            Contents(
                itemClass: add.itemClass,
                uuid: ItemUUID(),
                accessGroup: add.accessGroup,
                protection: (add.protection.accessibility, add.protection.accessControl),
                isSynchronizable: add.isSynchronizable,
                isTombstone: add.isTombstone,
                attributes: attributes,
                secrets: add.secrets
            ),
            with: add.authentication
        )
    }

    /// Seals an item as an update leaves it: under its old UUID, with a new key and a new row version.
    ///
    /// - Throws: what the new protection is refused with; `undecodable` where the old secret would be needed and does
    ///   not open; `interactionNotAllowed` while a class is locked.
    package func seal(
        _ update: AuthorizedUpdate,
        of item: OpenedItem,
        now: Double
    ) throws(KeychainError) -> SealedItem {
        let changes = update.changes
        let isSynchronizable = changes.isSynchronizable ?? item.row.isSynchronizable
        let protection = try update.protection(
            of: item.row.itemClass,
            currently: item.accessControl,
            attributes: item.attributes,
            isSynchronizable: isSynchronizable
        )
        var attributes = item.attributes
        for entry in changes.attributes.entries {
            attributes[entry.key] = entry.value
        }
        attributes[.modificationDate] = .date(Self.later(than: item.attributes[.modificationDate], now: now))
        var secrets = changes.secrets
        if !(changes.replacesAllSecrets(of: item.row.itemClass) && item.accessControl.isForWritingOnly) {
            secrets.merge(try openSecrets(of: item, with: update.authentication).values) { new, _ in new }
        }
        return try seal(
            Contents(
                itemClass: item.row.itemClass,
                uuid: item.row.uuid,
                accessGroup: changes.accessGroup ?? item.row.accessGroup,
                protection: (protection.accessibility, protection.accessControl),
                isSynchronizable: isSynchronizable,
                isTombstone: item.row.isTombstone,
                attributes: attributes,
                secrets: secrets
            ),
            with: update.authentication
        )
    }

    /// Seals what stays of a deleted item that other devices have to hear of: its primary key, and no value.
    ///
    /// - Parameter uuid: the item's own, or a new one where the item lives on under another primary key.
    package func sealTombstone(
        of item: OpenedItem,
        uuid: ItemUUID,
        now: Double
    ) throws(KeychainError) -> SealedItem {
        var attributes = AttributeList()
        for entry in item.attributes.entries {
            let attribute = AttributeTable.attribute(entry.key, of: item.row.itemClass)
            if attribute?.flags.contains(.primaryKey) ?? false { attributes[entry.key] = entry.value }
        }
        attributes[.creationDate] = item.attributes[.creationDate]
        attributes[.modificationDate] = .date(Self.later(than: item.attributes[.modificationDate], now: now))
        return try seal(
            Contents(
                itemClass: item.row.itemClass,
                uuid: uuid,
                accessGroup: item.row.accessGroup,
                // It has no value to protect.
                protection: (item.accessibility, AccessControl(bare: item.accessibility)),
                isSynchronizable: item.row.isSynchronizable,
                isTombstone: true,
                attributes: attributes,
                secrets: [:]
            )
        )
    }

    /// The modification date always grows, by a millisecond at least, whatever the clock does.
    private static func later(than old: AttributeValue?, now: Double) -> Double {
        guard case .date(let old) = old else { return now }
        return max(now, old + 0.001)
    }

    /// What a row is sealed from.
    struct Contents {
        let itemClass: ItemClass
        let uuid: ItemUUID
        let accessGroup: String
        let protection: (accessibility: Accessibility, accessControl: AccessControl)
        let isSynchronizable: Bool
        let isTombstone: Bool
        let attributes: AttributeList
        let secrets: [AttributeKey: SecretBytes]
    }

    private func seal(
        _ contents: Contents,
        with authentication: ItemAuthentication = ItemAuthentication()
    ) throws(KeychainError) -> SealedItem {
        guard let sealed = try seal([contents], with: authentication).first else { throw Self.noKeyWrapped }
        return sealed
    }

    /// Seals rows, with one question to the enclave for all of them.
    func seal(
        _ all: [Contents],
        with authentication: ItemAuthentication = ItemAuthentication()
    ) throws(KeychainError) -> [SealedItem] {
        let itemKeys = all.map { _ in SymmetricKey(size: .bits256) }
        var rows: [SealedRow] = []
        rows.reserveCapacity(all.count)
        for contents in all { rows.append(try sealedMetadata(of: contents)) }
        let boxes = try keys.enclave.wrap(
            zip(rows, itemKeys).map { UnwrappedItemKey(binding: $0.binding, key: $1) },
            with: Self.credentials(authentication, for: all.map(\.protection.accessControl))
        )
        guard boxes.count == all.count else { throw Self.noKeyWrapped }
        var sealed: [SealedItem] = []
        sealed.reserveCapacity(all.count)
        for (index, contents) in all.enumerated() {
            var row = rows[index]
            row.wrappedKey = boxes[index]
            row.secret = try seal(
                SecretCodec.encode(sha1: sha1(of: contents), contents.secrets),
                of: contents.itemClass,
                under: itemKeys[index],
                data: AssociatedData(row.binding, keychain: keys.keychain)
            )
            sealed.append(SealedItem(row: row))
        }
        return sealed
    }

    private static let noKeyWrapped = KeychainError(.internalError, "the enclave wrapped no key")

    /// A row without its secret and its key.
    private func sealedMetadata(of contents: Contents) throws(KeychainError) -> SealedRow {
        guard let newest = try keys.metadataKeys(for: contents.protection.accessibility).first else {
            throw Self.damaged
        }
        var row = SealedRow(
            binding: ItemBinding(
                itemClass: contents.itemClass,
                uuid: contents.uuid,
                version: ItemUUID().bytes,
                accessGroup: contents.accessGroup,
                accessibility: contents.protection.accessibility.code,
                isSynchronizable: contents.isSynchronizable,
                isTombstone: contents.isTombstone,
                accessControl: contents.protection.accessControl.serialized
            ),
            blindColumns: blindColumns(
                of: contents.itemClass,
                accessGroup: contents.accessGroup,
                attributes: contents.attributes
            )
        )
        row.metadata = try Cipher.seal(
            AttributeCodec.encode(contents.attributes),
            under: newest,
            authenticating: AssociatedData(row.binding, keychain: keys.keychain)
                .bytes(for: .metadata, trailer: row.blindColumns.bytes)
        )
        return row
    }

    /// A certificate is public: its data is stored readable, and authenticated by the tag of an empty message (GMAC).
    private func seal(
        _ plaintext: SecretBytes,
        of itemClass: ItemClass,
        under key: SymmetricKey,
        data: AssociatedData
    ) throws(KeychainError) -> [UInt8] {
        guard itemClass.dataIsPublic else {
            return try Cipher.seal(secret: plaintext, under: key, authenticating: data.bytes(for: .secret))
        }
        let readable = unsafe plaintext.withUnsafeBytes { unsafe Array($0) }
        return try Cipher.seal([UInt8](), under: key, authenticating: data.bytes(for: .secret) + readable) + readable
    }

    func blindColumns(of itemClass: ItemClass, accessGroup: String, attributes: AttributeList) -> BlindColumns {
        let key = keys.indexKey(for: accessGroup)
        var columns = BlindColumns()
        columns.reserveCapacity(attributes.count)
        for attribute in AttributeTable.attributes(of: itemClass) where attribute.hasBlindColumn {
            guard let value = attributes[attribute.key] else { continue }
            let index = BlindIndex.index(of: value, attribute: attribute, itemClass: itemClass, under: key)
            guard !index.isEmpty else { continue }
            unsafe index.withUnsafeBytes { unsafe columns.append(attribute.key, $0) }
        }
        return columns
    }

    /// SHA-1 over the attributes that identify the item's state, and its value. It stays inside the secret: anywhere
    /// else it would let its reader guess the value.
    func sha1(of contents: Contents) -> [UInt8] {
        var attributes = AttributeList()
        for attribute in AttributeTable.attributes(of: contents.itemClass)
        where attribute.flags.contains(.digested) && !attribute.flags.contains(.clear) {
            attributes[attribute.key] = contents.attributes[attribute.key]
        }
        attributes[.accessGroup] = .string(contents.accessGroup)
        attributes[.accessible] = .string(contents.protection.accessibility.rawValue)
        attributes[.synchronizable] = .integer(contents.isSynchronizable ? 1 : 0)
        attributes[.tombstone] = .integer(contents.isTombstone ? 1 : 0)
        var hash = Insecure.SHA1()
        hash.update(data: AttributeCodec.encode(attributes))
        unsafe contents.secrets[.valueData]?.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return Array(hash.finalize())
    }
}

extension ItemChanges {
    /// Whether nothing secret of the item stays as it was, so that it need not be opened.
    fileprivate func replacesAllSecrets(of itemClass: ItemClass) -> Bool {
        secrets[.valueData] != nil
            && AttributeTable.attributes(of: itemClass).allSatisfy { attribute in
                !attribute.flags.contains(.secret) || attribute.flags.contains(.managed)
                    || secrets[attribute.key] != nil
            }
    }
}

extension AccessControl {
    /// Whether a person would have to be asked for the old value, and not for a new one.
    fileprivate var isForWritingOnly: Bool { demand != .nothing && !needsApplicationPassword }
}
