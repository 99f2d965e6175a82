/// What all headers of this library rest on: types, result codes, the texts of the codes.
///
/// The names are Apple's (https://developer.apple.com/documentation/security), so that C and C++ programs written for
/// Apple's platforms compile here.
#ifndef SECURITY_SEC_BASE_H
#define SECURITY_SEC_BASE_H

#ifndef __clang__
#error "<Security/Security.h> needs clang: other compilers cannot read the Swift toolchain's CoreFoundation headers"
#elif !defined(__BLOCKS__)
#error "<Security/Security.h> needs blocks, as the toolchain's CoreFoundation headers do: -fblocks -fcf-runtime-abi=swift"
#else

// The other headers have nothing in them without it, so that there is one error and no more.
#define SECURITY_CAN_COMPILE 1

#include <CoreFoundation/CoreFoundation.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An X.509 certificate.
typedef struct __SecCertificate *SecCertificateRef;

/// A certificate together with the private key that belongs to it.
typedef struct __SecIdentity *SecIdentityRef;

/// A cryptographic key.
typedef struct __SecKey *SecKeyRef;

/// A rule by which a certificate is judged.
typedef struct __SecPolicy *SecPolicyRef;

/// Who may do what with an item.
typedef struct __SecAccessControl *SecAccessControlRef;

/// A keychain file, of which there are none here.
typedef struct __SecKeychain *SecKeychainRef;

/// An item of a keychain file, of which there are none here.
typedef struct __SecKeychainItem *SecKeychainItemRef;

/// The former way to say who may use an item of a keychain file.
typedef struct __SecAccess *SecAccessRef;

#include <Security/SecBaseStatus.h>

CF_EXTERN_C_BEGIN

/// A sentence for people that says what a result code means.
///
/// - `reserved`: pass NULL.
/// - Returns: the sentence, which the caller owns; for an unknown code "OSStatus" and the number. Never NULL.
CF_EXPORT CFStringRef _Nonnull SecCopyErrorMessageString(OSStatus status, void *_Nullable reserved) CF_RETURNS_RETAINED;

CF_EXTERN_C_END

#endif
#endif
