/// What is no part of Apple's documented interface, and programs that know the open-source Security project link.
#ifndef SECURITY_SEC_PRIVATE_H
#define SECURITY_SEC_PRIVATE_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

// Attributes

/// Whether the item is the trace of a deleted one, which synchronization needs; a number. Such items are found only when
/// this is asked for.
CF_EXPORT const CFStringRef kSecAttrTombstone;

/// Whether a deletion leaves such a trace; a truth value.
CF_EXPORT const CFStringRef kSecUseTombstones;

/// The digest of an item; 20 bytes.
CF_EXPORT const CFStringRef kSecAttrSHA1;

// Certificates

/// Makes a certificate from its DER form, which is copied.
CF_EXPORT SecCertificateRef _Nullable SecCertificateCreateWithBytes(CFAllocatorRef _Nullable allocator,
                                                                    const UInt8 *bytes, CFIndex length)
    CF_RETURNS_RETAINED;

/// What the normalised name of the issuer has in its SEQUENCE. It belongs to the certificate.
CF_EXPORT CFDataRef _Nullable SecCertificateGetNormalizedIssuerContent(SecCertificateRef certificate);

/// What the normalised name of the subject has in its SEQUENCE. It belongs to the certificate.
CF_EXPORT CFDataRef _Nullable SecCertificateGetNormalizedSubjectContent(SecCertificateRef certificate);

/// What a name has in its SEQUENCE, once normalised.
///
/// - `distinguished_name`: a Name in DER. NULL is returned for anything else.
CF_EXPORT CFDataRef _Nullable SecDistinguishedNameCopyNormalizedContent(CFDataRef distinguished_name)
    CF_RETURNS_RETAINED;

// Keys

/// Which size of a key is meant.
typedef CF_ENUM(uint32_t, SecKeySize) {
    /// The key's own, in bits.
    kSecKeyKeySizeInBits = 0,
    /// The most bytes that a signature has.
    kSecKeySignatureSize = 1,
    /// The bytes of a block of ciphertext.
    kSecKeyEncryptedDataSize = 2,
};

/// A size of a key; 0 for an object that is no key.
CF_EXPORT size_t SecKeyGetSize(SecKeyRef key, SecKeySize whichSize);

/// The public half of a key as others read it.
CF_EXPORT OSStatus SecKeyCopyPublicBytes(SecKeyRef key, CFDataRef _Nullable *_Nonnull CF_RETURNS_RETAINED publicBytes);

/// The form of a key's bytes.
typedef CF_ENUM(uint32_t, SecKeyEncoding) {
    /// As `SecKeyCreateWithData` takes them.
    kSecKeyEncodingRaw = 0,
    /// PKCS #1, of RSA.
    kSecKeyEncodingPkcs1 = 1,
};

/// Makes a public RSA key.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateRSAPublicKey(CFAllocatorRef _Nullable allocator, const uint8_t *keyData,
                                                       CFIndex keyDataLength, SecKeyEncoding encoding)
    CF_RETURNS_RETAINED;

/// Makes a private RSA key, of its external representation.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateRSAPrivateKey(CFAllocatorRef _Nullable allocator, const uint8_t *keyData,
                                                        CFIndex keyDataLength, SecKeyEncoding encoding)
    CF_RETURNS_RETAINED;

/// Makes a public key of an elliptic curve.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateECPublicKey(CFAllocatorRef _Nullable allocator, const uint8_t *keyData,
                                                      CFIndex keyDataLength, SecKeyEncoding encoding)
    CF_RETURNS_RETAINED;

/// Makes a private key of an elliptic curve, of its external representation.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateECPrivateKey(CFAllocatorRef _Nullable allocator, const uint8_t *keyData,
                                                       CFIndex keyDataLength, SecKeyEncoding encoding)
    CF_RETURNS_RETAINED;

// Access controls

/// The protection class. It belongs to the access control.
CF_EXPORT CFTypeRef _Nullable SecAccessControlGetProtection(SecAccessControlRef access_control);

/// What an operation demands: `od` (reading), `oe` (writing), `odel` (deleting), `osgn` (signing), `ock` (computing a
/// key), `oa` (attesting). True for nothing, else a dictionary of constraints. It belongs to the access control.
CF_EXPORT CFTypeRef _Nullable SecAccessControlGetConstraint(SecAccessControlRef access_control, CFTypeRef operation);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
