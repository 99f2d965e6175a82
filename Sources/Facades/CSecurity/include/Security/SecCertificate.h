/// X.509 certificates.
#ifndef SECURITY_SEC_CERTIFICATE_H
#define SECURITY_SEC_CERTIFICATE_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecCertificateConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type identifier of certificates.
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

/// Makes a certificate from its DER form.
///
/// - `allocator`: ignored.
/// - Returns: the object, which the caller owns; NULL for anything that has not the shape of a certificate.
CF_EXPORT SecCertificateRef _Nullable SecCertificateCreateWithData(CFAllocatorRef _Nullable allocator, CFDataRef data)
    CF_RETURNS_RETAINED;

// What "Copy" functions return belongs to the caller. They return NULL for an object that is no certificate, and for a
// certificate that cannot be read.

/// The DER form of a certificate.
CF_EXPORT CFDataRef SecCertificateCopyData(SecCertificateRef certificate) CF_RETURNS_RETAINED;

/// The line by which people tell certificates apart: the common name, or what there is instead.
///
/// - Returns: NULL for a subject that has nothing of the kind.
CF_EXPORT CFStringRef _Nullable SecCertificateCopySubjectSummary(SecCertificateRef certificate) CF_RETURNS_RETAINED;

/// The common name of the subject, as it stands in the certificate.
///
/// - Returns: `errSecSuccess`; −26276 (errSecInternal) for a subject without a common name; `errSecDecode` for a
///   certificate that cannot be read; `errSecParam`.
CF_EXPORT OSStatus SecCertificateCopyCommonName(SecCertificateRef certificate,
                                                CFStringRef _Nullable *_Nonnull CF_RETURNS_RETAINED commonName);

/// The e-mail addresses of the subject: those of its name, then those of its alternative names.
///
/// - `emailAddresses`: receives an array of strings, which may be empty.
/// - Returns: `errSecSuccess`, `errSecDecode` or `errSecParam`.
CF_EXPORT OSStatus SecCertificateCopyEmailAddresses(SecCertificateRef certificate,
                                                    CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED emailAddresses);

/// The name of the issuer in the form in which names are compared, as a SEQUENCE in DER.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedIssuerSequence(SecCertificateRef certificate)
    CF_RETURNS_RETAINED;

/// The name of the subject in the form in which names are compared, as a SEQUENCE in DER.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedSubjectSequence(SecCertificateRef certificate)
    CF_RETURNS_RETAINED;

/// What the normalised name of the issuer has in its SEQUENCE. An earlier function.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedIssuerContent(SecCertificateRef certificate,
                                                                        CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// What the normalised name of the subject has in its SEQUENCE. An earlier function.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedSubjectContent(SecCertificateRef certificate,
                                                                         CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The serial number, as the bytes of a number in DER.
CF_EXPORT CFDataRef _Nullable SecCertificateCopySerialNumberData(SecCertificateRef certificate,
                                                                 CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The same, by an earlier function.
CF_EXPORT CFDataRef _Nullable SecCertificateCopySerialNumber(SecCertificateRef certificate,
                                                             CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The first moment in which a certificate is valid.
CF_EXPORT CFDateRef _Nullable SecCertificateCopyNotValidBeforeDate(SecCertificateRef certificate) CF_RETURNS_RETAINED;

/// The last moment in which a certificate is valid.
CF_EXPORT CFDateRef _Nullable SecCertificateCopyNotValidAfterDate(SecCertificateRef certificate) CF_RETURNS_RETAINED;

/// The public key of a certificate.
///
/// - Returns: NULL for a kind of key that is not known here.
CF_EXPORT SecKeyRef _Nullable SecCertificateCopyKey(SecCertificateRef certificate) CF_RETURNS_RETAINED;

/// The public key, by an earlier function as macOS has it.
CF_EXPORT OSStatus SecCertificateCopyPublicKey(SecCertificateRef certificate,
                                               SecKeyRef _Nullable *_Nonnull CF_RETURNS_RETAINED key);

/// A readable form of the whole certificate: a dictionary whose keys are `kSecOID…` and whose values are dictionaries of
/// `kSecPropertyKey…` keys.
///
/// - `keys`: which entries are wanted; NULL for all.
CF_EXPORT CFDictionaryRef _Nullable SecCertificateCopyValues(SecCertificateRef certificate, CFArrayRef _Nullable keys,
                                                             CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// A text for people about a certificate.
CF_EXPORT CFStringRef _Nullable SecCertificateCopyLongDescription(CFAllocatorRef _Nullable allocator,
                                                                  SecCertificateRef certificate,
                                                                  CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// A line for people about a certificate.
CF_EXPORT CFStringRef _Nullable SecCertificateCopyShortDescription(CFAllocatorRef _Nullable allocator,
                                                                   SecCertificateRef certificate,
                                                                   CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// Adds a certificate to the keychain.
///
/// - `keychain`: NULL; there is one keychain.
/// - Returns: as `SecItemAdd`.
CF_EXPORT OSStatus SecCertificateAddToKeychain(SecCertificateRef certificate, SecKeychainRef _Nullable keychain);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

// The same two, as iOS has them.

CF_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
#define SECURITY_OVERLOAD inline
#else
#define SECURITY_OVERLOAD static inline __attribute__((overloadable))
#endif

/// The public key, by an earlier function as iOS has it.
CF_RETURNS_RETAINED SECURITY_OVERLOAD SecKeyRef _Nullable SecCertificateCopyPublicKey(SecCertificateRef certificate) {
    return SecCertificateCopyKey(certificate);
}

/// The serial number, by an earlier function as iOS has it.
CF_RETURNS_RETAINED SECURITY_OVERLOAD CFDataRef _Nullable SecCertificateCopySerialNumber(SecCertificateRef certificate) {
    return SecCertificateCopySerialNumberData(certificate, NULL);
}

#undef SECURITY_OVERLOAD

CF_ASSUME_NONNULL_END

#endif
#endif
