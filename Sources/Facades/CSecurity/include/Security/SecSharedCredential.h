/// Passwords that websites and programs share. There is no browser here that takes part.
#ifndef SECURITY_SEC_SHARED_CREDENTIAL_H
#define SECURITY_SEC_SHARED_CREDENTIAL_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// Shares a password; NULL takes it back.
///
/// - `completionHandler`: called with an error on another thread.
CF_EXPORT void SecAddSharedWebCredential(CFStringRef fqdn, CFStringRef account, CFStringRef _Nullable password,
                                         void (^completionHandler)(CFErrorRef _Nullable error));

/// Asks for passwords.
///
/// - `completionHandler`: called with an error on another thread.
CF_EXPORT void SecRequestSharedWebCredential(CFStringRef _Nullable fqdn, CFStringRef _Nullable account,
                                             void (^completionHandler)(CFArrayRef _Nullable credentials,
                                                                       CFErrorRef _Nullable error));

/// A password that nobody guesses and everybody can type, which the caller owns.
CF_EXPORT CFStringRef _Nullable SecCreateSharedWebCredentialPassword(void) CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
