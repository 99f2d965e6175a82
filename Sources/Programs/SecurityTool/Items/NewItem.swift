import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// A password that is to be stored.
struct NewItem {
    let itemClass: ItemClass
    /// What was given on the command line.
    let attributes: [CFString: Any]
    /// What is stored where nothing was given, and only when the item is made.
    let defaults: [CFString: Any]
    /// The attributes of which no two items may have the same, with what they are where nothing was given.
    let primaryKey: [CFString: Any]
    /// Nil makes an item with an empty password, and leaves an existing one's as it is.
    let password: Data?
    let scope: ScopeOptions

    /// Stores the item.
    ///
    /// - Parameter update: whether an item with the same primary key, of whichever group, is changed instead.
    /// - Throws: what the keychain refused; without `update`, also that there is such an item.
    func store(update: Bool) throws(Failure) {
        if update, try change() { return }
        do {
            try add()
        } catch {
            // Another process may have added it in the meantime.
            guard update, error.code == errSecDuplicateItem, try change() else { throw error }
        }
    }

    private func add() throws(Failure) {
        var item = defaults.merging(attributes) { _, given in given }
        item[kSecClass] = itemClass.rawValue
        item[kSecAttrAccessGroup] = scope.group
        item[kSecAttrSynchronizable] = scope.synchronizable ? true : nil
        item[kSecValueData] = password ?? Data()
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw Failure(.create, status) }
    }

    /// - Returns: false if there is no such item.
    private func change() throws(Failure) -> Bool {
        let given = attributes.filter { primaryKey.keys.contains($0.key) }
        var changes = attributes.filter { !primaryKey.keys.contains($0.key) }
        var search = ItemSearch(itemClass, primaryKey.merging(given) { _, given in given }, in: scope)
        search.synchronizable = scope.synchronizable
        guard let item = try search.all().first else { return false }
        changes[kSecValueData] = password
        let query: [CFString: Any] = [kSecValuePersistentRef: item.reference]
        let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
        if status == errSecItemNotFound { return false }
        guard status == errSecSuccess else { throw Failure(.modify, status) }
        return true
    }
}
