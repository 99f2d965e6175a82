/// Certificates with their private keys.
#ifndef SECURITY_SEC_IDENTITY_H
#define SECURITY_SEC_IDENTITY_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type identifier of identities.
CF_EXPORT CFTypeID SecIdentityGetTypeID(void);

/// Makes an identity of a certificate and the private key that belongs to it.
///
/// - Returns: the object, which the caller owns; NULL where the key is not the certificate's private one.
CF_EXPORT SecIdentityRef _Nullable SecIdentityCreate(CFAllocatorRef _Nullable allocator, SecCertificateRef certificate,
                                                     SecKeyRef privateKey) CF_RETURNS_RETAINED;

/// Finds the private key of a certificate in the keychain.
///
/// - `keychainOrArray`: ignored; there is one keychain.
CF_EXPORT OSStatus SecIdentityCreateWithCertificate(CFTypeRef _Nullable keychainOrArray,
                                                    SecCertificateRef certificateRef,
                                                    SecIdentityRef _Nullable *_Nonnull CF_RETURNS_RETAINED identityRef);

/// The certificate of an identity, which the caller owns.
CF_EXPORT OSStatus SecIdentityCopyCertificate(SecIdentityRef identityRef,
                                              SecCertificateRef _Nullable *_Nonnull CF_RETURNS_RETAINED certificateRef);

/// The private key of an identity, which the caller owns.
CF_EXPORT OSStatus SecIdentityCopyPrivateKey(SecIdentityRef identityRef,
                                             SecKeyRef _Nullable *_Nonnull CF_RETURNS_RETAINED privateKeyRef);

/// The identity that was chosen for a name, which the caller owns; NULL if none was.
CF_EXPORT SecIdentityRef _Nullable SecIdentityCopyPreferred(CFStringRef name, CFArrayRef _Nullable keyUsage,
                                                            CFArrayRef _Nullable validIssuers) CF_RETURNS_RETAINED;

/// Chooses an identity for a name.
CF_EXPORT OSStatus SecIdentitySetPreferred(SecIdentityRef _Nullable identity, CFStringRef name,
                                           CFArrayRef _Nullable keyUsage);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
