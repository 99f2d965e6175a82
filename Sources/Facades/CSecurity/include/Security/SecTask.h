/// What a program may do: its own entitlements.
#ifndef SECURITY_SEC_TASK_H
#define SECURITY_SEC_TASK_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// A process. There is one: the process itself.
typedef struct __SecTask *SecTaskRef;

/// The type identifier of tasks.
CF_EXPORT CFTypeID SecTaskGetTypeID(void);

/// Makes a task for this process, with the entitlements that it has at this moment.
///
/// - `allocator`: ignored.
/// - Returns: the object, which the caller owns.
CF_EXPORT SecTaskRef _Nullable SecTaskCreateFromSelf(CFAllocatorRef _Nullable allocator) CF_RETURNS_RETAINED;

/// The value of one entitlement: a string, a Boolean, a number, or an array or dictionary of them.
///
/// A signed program has the entitlements of its signature, as it says them itself: whoever else wants to rely on them
/// asks the service. An unsigned program has those of its embedded keychain, and none with the service.
///
/// - `error`: may be NULL. Receives an error, which the caller owns, where the entitlements cannot be understood.
/// - Returns: the value, which the caller owns; NULL for an entitlement that the program does not have, which is no
///   error.
CF_EXPORT CFTypeRef _Nullable SecTaskCopyValueForEntitlement(SecTaskRef task, CFStringRef entitlement,
                                                             CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The values of several entitlements, by their names. Those that the program does not have are left out.
///
/// - `entitlements`: the names.
/// - `error`: may be NULL. Receives an error, which the caller owns: `errSecParam` for a name that is no string.
/// - Returns: the values, which the caller owns.
CF_EXPORT CFDictionaryRef _Nullable SecTaskCopyValuesForEntitlements(SecTaskRef task, CFArrayRef entitlements,
                                                                     CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The identifier of the program, without the team's prefix.
///
/// - Returns: the identifier, which the caller owns; NULL for an unsigned program with the service.
CF_EXPORT CFStringRef _Nullable SecTaskCopySigningIdentifier(SecTaskRef task, CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
