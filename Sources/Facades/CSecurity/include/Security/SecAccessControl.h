/// Conditions under which an item can be used.
#ifndef SECURITY_SEC_ACCESS_CONTROL_H
#define SECURITY_SEC_ACCESS_CONTROL_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecAccessControlConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type identifier of access controls.
CF_EXPORT CFTypeID SecAccessControlGetTypeID(void);

/// Makes an access control.
///
/// - `allocator`: ignored.
/// - `protection`: one of the `kSecAttrAccessible…` values.
/// - `flags`: the constraints. Unknown bits are not an error.
/// - `error`: may be NULL. Receives an error of code `errSecParam`, which the caller owns, for a protection that is none,
///   and for flags that contradict each other.
/// - Returns: the object, which the caller owns; NULL on failure. Two of them are equal when they demand the same.
CF_EXPORT SecAccessControlRef _Nullable SecAccessControlCreateWithFlags(CFAllocatorRef _Nullable allocator,
                                                                        CFTypeRef protection,
                                                                        SecAccessControlCreateFlags flags,
                                                                        CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
