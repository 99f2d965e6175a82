public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// Adds an item to the keychain.
///
/// - Parameters:
///   - attributes: `kSecClass`, the item's attributes, `kSecValueData`, and what is wanted back.
///   - result: receives what the `kSecReturn…` keys ask for, nil if the item has nothing of that; untouched if they ask
///     for nothing, and on failure.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` where an item has the same primary key, of an identity where both
///   its certificate and its key are there; `errSecParam`, `errSecNoSuchAttr` or `errSecNoSuchClass` for a dictionary
///   that is not valid; `errSecMissingEntitlement` for an access group that is not the program's.
///
/// See [SecItemAdd](https://developer.apple.com/documentation/security/secitemadd(_:_:)).
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    status(of: "SecItemAdd") { () throws(KeychainError) in
        let object = try addedItem(attributes)
        if let object { unsafe result?.pointee = object.value }
    }
}

/// What came of an add that asked for something; the object may be none all the same.
struct AddedObject {
    let value: AnyObject?
}

/// Adds an item.
///
/// - Returns: nil where nothing was asked for.
func addedItem(_ attributes: CFDictionary) throws(KeychainError) -> AddedObject? {
    let entries = try DictionaryReader.entries(of: attributes)
    if let parts = try QueryParser.identityParts(entries) { return try addedIdentity(parts, attributes) }
    let request = try QueryParser.add(entries)
    guard let item = try CurrentKeychain.service().add(request) else { return nil }
    let builder = ResultBuilder(
        itemClass: request.itemClass,
        returns: request.returns,
        isAddition: true,
        dictionary: attributes
    )
    return AddedObject(value: try builder.object(for: item))
}

/// Finds items of the keychain.
///
/// - Parameters:
///   - query: `kSecClass` or `kSecValuePersistentRef`, attributes to match, `kSecMatchLimit` (one if absent), and what
///     is wanted back.
///   - result: receives one object, a dictionary of objects, or, with a limit other than one, an array of them; nil if
///     the item has nothing of what is asked for; untouched if nothing is asked for, and on failure.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`, also where an identity is `kSecValueRef` and data or attributes are
///   wanted; `errSecInteractionNotAllowed` while a match is locked; the errors of `SecItemAdd` for what is not valid.
///
/// See [SecItemCopyMatching](https://developer.apple.com/documentation/security/secitemcopymatching(_:_:)).
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    status(of: "SecItemCopyMatching") { () throws(KeychainError) in
        let request = try QueryParser.copy(DictionaryReader.entries(of: query))
        let items = try CurrentKeychain.service().find(request)
        guard let first = items.first else { throw notFound }
        guard unsafe result != nil else { return }
        let builder = ResultBuilder(
            itemClass: request.query.itemClass,
            returns: request.returns,
            isAddition: false,
            dictionary: query
        )
        if request.limit != .one {
            unsafe result?.pointee = try builder.array(for: consume items)
        } else if !request.returns.isEmpty {
            // Nil too is written where an item has nothing to show: an earlier result must not pass for this one's.
            unsafe result?.pointee = try builder.object(for: first)
        }
    }
}

/// Changes all items that match a query, or, on failure, none.
///
/// - Parameters:
///   - query: `kSecClass` or `kSecValuePersistentRef`, and attributes to match; no `kSecMatch…` key.
///   - attributesToUpdate: attributes and `kSecValueData`.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDuplicateItem` where a changed primary key is taken;
///   `errSecNoSuchAttr` for a key that cannot be updated; the errors of `SecItemAdd` for what is not valid.
///
/// See [SecItemUpdate](https://developer.apple.com/documentation/security/secitemupdate(_:_:)).
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    status(of: "SecItemUpdate") { () throws(KeychainError) in
        let entries = try DictionaryReader.entries(of: query)
        let changes = try DictionaryReader.entries(of: attributesToUpdate)
        if let parts = try QueryParser.identityParts(entries) { return try update(parts, changes: changes) }
        let request = try QueryParser.update(entries, changes: changes)
        guard try CurrentKeychain.service().update(request) > 0 else { throw notFound }
    }
}

/// Deletes all items that match a query.
///
/// - Parameter query: `kSecClass` or `kSecValuePersistentRef`, and attributes to match; no `kSecMatch…` key.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; the errors of `SecItemAdd` for what is not valid.
///
/// See [SecItemDelete](https://developer.apple.com/documentation/security/secitemdelete(_:)).
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status(of: "SecItemDelete") { () throws(KeychainError) in
        let entries = try DictionaryReader.entries(of: query)
        let request = try QueryParser.delete(entries)
        if try QueryParser.identityParts(entries) != nil { return try deleteIdentities(request) }
        guard try CurrentKeychain.service().delete(request) > 0 else { throw notFound }
    }
}

let notFound = KeychainError(.itemNotFound, "no item matches")

/// The status of a call. A fork waits for the whole of it, reading the dictionary, building the result and the log's
/// first use included.
private func status(of call: StaticString, _ body: () throws(KeychainError) -> Void) -> OSStatus {
    do throws(KeychainError) {
        return try ForkGuard.holdingOffForks { () throws(KeychainError) -> OSStatus in
            _ = areConstantsPrepared
            do throws(KeychainError) {
                try body()
                return errSecSuccess
            } catch {
                let status = error.status
                KeychainLog.note("\(call)", failedWith: error, status: status)
                return status
            }
        }
    } catch {
        // In a child that was forked in the middle of a call: the log too may be unusable.
        return error.status
    }
}

/// Callers use constants outside of calls, so that holding forks off during calls is not enough.
private let areConstantsPrepared: Void = ForkGuard.beforeEachFork { makeEveryConstant() }
