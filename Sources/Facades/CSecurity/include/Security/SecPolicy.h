/// The rules by which certificates are judged.
#ifndef SECURITY_SEC_POLICY_H
#define SECURITY_SEC_POLICY_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecPolicyConstants.h>
#include <Security/SecTrustConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type identifier of policies.
CF_EXPORT CFTypeID SecPolicyGetTypeID(void);

// What functions with "Create" or "Copy" in their names return belongs to the caller.

/// What a policy demands, with `kSecPolicy…` keys.
CF_EXPORT CFDictionaryRef _Nullable SecPolicyCopyProperties(SecPolicyRef policyRef) CF_RETURNS_RETAINED;

/// A chain of X.509 certificates that is in order, and nothing more.
CF_EXPORT SecPolicyRef SecPolicyCreateBasicX509(void) CF_RETURNS_RETAINED;

/// The certificate of a TLS server, or of a client.
///
/// - `hostname`: the name that the certificate has to be for; NULL for any.
/// - Returns: NULL for a host name that is no string.
CF_EXPORT SecPolicyRef _Nullable SecPolicyCreateSSL(Boolean server, CFStringRef _Nullable hostname) CF_RETURNS_RETAINED;

/// Certificates that have not been revoked.
///
/// - `revocationFlags`: `kSecRevocation…`. NULL is returned for others, and for none.
CF_EXPORT SecPolicyRef _Nullable SecPolicyCreateRevocation(CFOptionFlags revocationFlags) CF_RETURNS_RETAINED;

/// A policy by its identifier, `kSecPolicyApple…`.
///
/// - `properties`: what it demands, with `kSecPolicy…` keys.
/// - Returns: NULL for an unknown policy, and for properties that it does not know or lacks.
CF_EXPORT SecPolicyRef _Nullable SecPolicyCreateWithProperties(CFTypeRef policyIdentifier,
                                                               CFDictionaryRef _Nullable properties)
    CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
