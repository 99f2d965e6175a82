import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// A search in all access groups, or in one.
struct ItemSearch {
    let itemClass: ItemClass
    var attributes: [CFString: Any] = [:]
    let group: String?
    /// Nil finds items that travel and items that do not.
    var synchronizable: Bool?

    init(_ itemClass: ItemClass, _ attributes: [CFString: Any] = [:], in scope: ScopeOptions) {
        self.itemClass = itemClass
        self.attributes = attributes
        group = scope.group
        synchronizable = scope.synchronizable ? true : nil
    }

    /// What is looked for. What is wanted back is not said yet.
    var query: [CFString: Any] {
        var query = attributes
        query[kSecClass] = itemClass.rawValue
        query[kSecAttrAccessGroup] = group
        query[kSecAttrSynchronizable] = synchronizable.map { $0 as Any } ?? kSecAttrSynchronizableAny
        query[kSecMatchLimit] = kSecMatchLimitAll
        return query
    }

    /// All items that match, in an order that stays the same: those of the command's own group first, as it added
    /// them, then the oldest.
    ///
    /// - Throws: what the keychain refused. That nothing was found is no error.
    func all() throws(Failure) -> [KeychainItem] {
        var query = query
        query[kSecReturnAttributes] = true
        query[kSecReturnPersistentRef] = true
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        guard status == errSecSuccess, let entries = result as? [Any] else { throw Failure(.search, status) }
        return entries.compactMap { KeychainItem(itemClass, result: $0) }.sorted { left, right in
            let isOwn = (left.group == ownGroup, right.group == ownGroup)
            if isOwn.0 != isOwn.1 { return isOwn.0 }
            if left.created != right.created { return left.created < right.created }
            return left.reference.lexicographicallyPrecedes(right.reference)
        }
    }

    /// The first item that matches.
    func first() throws(Failure) -> KeychainItem {
        guard let item = try all().first else { throw Failure(.search, errSecItemNotFound) }
        return item
    }
}
