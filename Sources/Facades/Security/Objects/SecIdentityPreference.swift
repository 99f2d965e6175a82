public import CoreFoundationAliases
public import Foundation

// A preference is a generic password item of the program's own: the name is its account, the persistent reference of the
// identity its value.

private let preferenceService = "chatelaine.identity-preference"

private func preference(_ name: CFString) -> [CFString: Any] {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: preferenceService, kSecAttrAccount: name]
}

/// The identity that the program prefers for a name, such as a host.
///
/// - Parameters:
///   - keyUsage: ignored; there is one preference for each name.
///   - validIssuers: distinguished names in DER; nil for any issuer.
/// - Returns: nil where there is no preference, or its identity is gone or of another issuer.
@discardableResult
public func SecIdentityCopyPreferred(
    _ name: CFString,
    _ keyUsage: CFArray?,
    _ validIssuers: CFArray?
) -> SecIdentity? {
    var reference: CFTypeRef?
    let query = preference(name).merging([kSecReturnData: true]) { $1 } as CFDictionary
    guard unsafe SecItemCopyMatching(query, &reference) == errSecSuccess, let reference = reference as? NSData else {
        return nil
    }
    var search: [CFString: Any] = [kSecValuePersistentRef: reference, kSecReturnRef: true]
    if let validIssuers, validIssuers.count > 0 { search[kSecMatchIssuers] = validIssuers }
    var result: CFTypeRef?
    guard unsafe SecItemCopyMatching(search as CFDictionary, &result) == errSecSuccess else { return nil }
    return result as? SecIdentity
}

/// Prefers an identity for a name.
///
/// - Parameters:
///   - identity: one that is in the keychain; nil forgets what was preferred.
///   - keyUsage: ignored; there is one preference for each name.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` where the identity is not in the keychain; what the four calls return.
@discardableResult
public func SecIdentitySetPreferred(_ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?) -> OSStatus {
    guard let identity else {
        let status = SecItemDelete(preference(name) as CFDictionary)
        return status == errSecItemNotFound ? errSecSuccess : status
    }
    var reference: CFTypeRef?
    let query = [kSecValueRef: identity, kSecReturnPersistentRef: true] as [CFString: Any] as CFDictionary
    let found = unsafe SecItemCopyMatching(query, &reference)
    guard found == errSecSuccess else { return found }
    guard let reference else { return errSecItemNotFound }
    let value: [CFString: Any] = [kSecValueData: reference]
    let status = SecItemAdd(
        preference(name).merging(value) { $1 }.merging([kSecAttrLabel: "Identity preference"]) { $1 } as CFDictionary,
        nil
    )
    guard status == errSecDuplicateItem else { return status }
    return SecItemUpdate(preference(name) as CFDictionary, value as CFDictionary)
}
