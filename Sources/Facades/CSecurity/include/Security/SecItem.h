/// Items of the keychain: adding, finding, changing and deleting them.
///
/// Dictionaries may be made without callbacks; their keys are compared by what they say. A dictionary that is none, is
/// nested more than 32 deep or has NULL in it gives `errSecParam`.
#ifndef SECURITY_SEC_ITEM_H
#define SECURITY_SEC_ITEM_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecItemConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// Finds items of the keychain.
///
/// - `query`: `kSecClass` or `kSecValuePersistentRef`, attributes to match, `kSecMatchLimit` (one if absent), and what
///   is wanted back.
/// - `result`: may be NULL. Receives one object, a dictionary of objects, or, with a limit other than one, an array of
///   them, which the caller owns. Stays as it is if nothing is asked for, and on failure.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecInteractionNotAllowed` while a match is locked;
///   `errSecParam`, `errSecNoSuchAttr` or `errSecNoSuchClass` for a query that is not valid; `errSecMissingEntitlement`
///   for an access group that is not the program's.
CF_EXPORT OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef _Nullable *_Nullable CF_RETURNS_RETAINED result);

/// Adds an item to the keychain.
///
/// - `attributes`: `kSecClass`, the item's attributes, `kSecValueData`, and what is wanted back.
/// - `result`: may be NULL. As for `SecItemCopyMatching`.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` where an item has the same primary key; the errors of
///   `SecItemCopyMatching` for what is not valid.
CF_EXPORT OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable CF_RETURNS_RETAINED result);

/// Changes all items that match a query, or, on failure, none.
///
/// - `query`: `kSecClass` or `kSecValuePersistentRef`, and attributes to match; no `kSecMatch…` key.
/// - `attributesToUpdate`: attributes and `kSecValueData`.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDuplicateItem` where a changed primary key is taken;
///   `errSecNoSuchAttr` for a key that cannot be updated; the errors of `SecItemCopyMatching` for what is not valid.
CF_EXPORT OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);

/// Deletes all items that match a query.
///
/// - `query`: `kSecClass` or `kSecValuePersistentRef`, and attributes to match; no `kSecMatch…` key.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; the errors of `SecItemCopyMatching` for what is not valid.
CF_EXPORT OSStatus SecItemDelete(CFDictionaryRef query);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
