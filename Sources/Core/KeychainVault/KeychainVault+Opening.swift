import Crypto
import EnclaveInterface
import Foundation
package import KeychainModel
package import KeychainPolicy

/// Opening rows: their attributes, and their secrets.
extension KeychainVault {
    /// Opens a row's attributes.
    ///
    /// - Throws: `undecodable` where any part of the row is not as it was sealed; `interactionNotAllowed` while its
    ///   class is locked; `itemNotFound` where the row is outside the caller's groups.
    package func open(_ row: SealedRow, for selection: AuthorizedQuery) throws(KeychainError) -> OpenedItem {
        guard selection.scope.contains(row.accessGroup) else {
            throw KeychainError(.itemNotFound, "the row is of another group")
        }
        return try openAttributes(of: row)
    }

    func openAttributes(of row: SealedRow) throws(KeychainError) -> OpenedItem {
        guard let accessibility = Accessibility(code: row.accessibility),
            let accessControl = AccessControl(serialized: row.accessControl, accessibility: accessibility)
        else { throw Self.damaged }
        let data = AssociatedData(row.binding, keychain: keys.keychain)
            .bytes(for: .metadata, trailer: row.blindColumns.bytes)
        let metadataKeys = try keys.metadataKeys(for: accessibility)
        let opened = metadataKeys.lazy.compactMap { Cipher.open(row.metadata, under: $0, authenticating: data) }.first
        guard let plaintext = opened,
            let attributes = unsafe plaintext.withUnsafeBytes({ unsafe AttributeCodec.decode($0) })
        else { throw Self.damaged }
        return OpenedItem(
            row: row,
            attributes: attributes,
            accessibility: accessibility,
            accessControl: accessControl
        )
    }

    /// Opens the secret of an item whose attributes are open.
    ///
    /// - Throws: `undecodable` where it is not as it was sealed; `interactionNotAllowed` and `authenticationFailed`
    ///   where it needs an application password, and that is missing or wrong.
    package func openSecrets(
        of item: OpenedItem,
        with authentication: ItemAuthentication = ItemAuthentication()
    ) throws(KeychainError) -> OpenedSecrets {
        let row = item.row
        let data = AssociatedData(row.binding, keychain: keys.keychain)
        let itemKey = try itemKey(of: row, with: Self.credentials(authentication, for: [item.accessControl]))
        guard
            let plaintext = openSecret(row, under: itemKey, data: data.bytes(for: .secret)),
            let secrets = SecretCodec.decode(plaintext)
        else { throw Self.damaged }
        return secrets
    }

    /// The secret of an item that was sealed just now, whose caller has it: no prompt is needed.
    package func secrets(of add: AuthorizedAdd, as item: OpenedItem) -> OpenedSecrets {
        let contents = Contents(
            itemClass: add.itemClass,
            uuid: item.row.uuid,
            accessGroup: add.accessGroup,
            protection: (add.protection.accessibility, add.protection.accessControl),
            isSynchronizable: add.isSynchronizable,
            isTombstone: false,
            attributes: item.attributes,
            secrets: add.secrets
        )
        return OpenedSecrets(sha1: sha1(of: contents), values: add.secrets)
    }

    func itemKey(
        of row: SealedRow,
        with credentials: ItemCredentials = .none
    ) throws(KeychainError) -> SymmetricKey {
        let keys = try keys.enclave.unwrap(
            [WrappedItemKey(binding: row.binding, box: row.wrappedKey)],
            with: credentials
        )
        guard let key = keys.first else { throw Self.damaged }
        return try key.get()
    }

    func openSecret(_ row: SealedRow, under key: SymmetricKey, data: [UInt8]) -> SecretBytes? {
        guard row.itemClass.dataIsPublic else {
            return Cipher.openSecret(row.secret, under: key, authenticating: data)
        }
        guard row.secret.count >= Cipher.overhead else { return nil }
        let readable = row.secret.dropFirst(Cipher.overhead)
        guard Cipher.open(row.secret.prefix(Cipher.overhead), under: key, authenticating: data + readable) != nil else {
            return nil
        }
        return SecretBytes(readable)
    }

    static let damaged = KeychainError(.undecodable, "a row is not as it was sealed")
}
