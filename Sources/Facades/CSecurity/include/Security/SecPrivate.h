/// What is no part of Apple's documented interface, and programs that know the open-source Security project link.
#ifndef SECURITY_SEC_PRIVATE_H
#define SECURITY_SEC_PRIVATE_H

#include <Security/SecBase.h>
#include <Security/SecKey.h>

#ifdef SECURITY_CAN_COMPILE

#include <CoreFoundation/CFRuntime.h>

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

/// Makes a private key of an elliptic curve, of its external representation; with `kSecKeyEncodingPkcs1` also of an
/// ECPrivateKey in DER (RFC 5915), which need not name the curve.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateECPrivateKey(CFAllocatorRef _Nullable allocator, const uint8_t *keyData,
                                                       CFIndex keyDataLength, SecKeyEncoding encoding)
    CF_RETURNS_RETAINED;

/// The bits of the AES key that ECIES or RSA carries: 128, 192 or 256; a number.
CF_EXPORT const CFStringRef kSecKeyEncryptionParameterSymmetricKeySizeInBits;

/// What AES-GCM authenticates beside the ciphertext; data. Without it that is nothing, with RSA the public key.
CF_EXPORT const CFStringRef kSecKeyEncryptionParameterSymmetricAAD;

/// Encrypts as `SecKeyCreateEncryptedData` does.
///
/// - `parameters`: the two keys above, and `kSecKeyKeyExchangeParameterSharedInfo`. NULL is none.
CF_EXPORT CFDataRef _Nullable SecKeyCreateEncryptedDataWithParameters(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef plaintext, CFDictionaryRef _Nullable parameters,
    CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// Decrypts as `SecKeyCreateDecryptedData` does, with the parameters that it was encrypted with.
CF_EXPORT CFDataRef _Nullable SecKeyCreateDecryptedDataWithParameters(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef ciphertext, CFDictionaryRef _Nullable parameters,
    CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// What a key is asked: whether it can do something, or to do it.
typedef CF_ENUM(CFIndex, SecKeyOperationMode) {
    kSecKeyOperationModePerform = 0,
    kSecKeyOperationModeCheckIfSupported = 1,
};

/// How a key is wrapped. Nothing here does it.
typedef uint32_t SecKeyWrapType;

#define kSecKeyDescriptorVersion (4)

/// The functions of a key that a program implements itself. Each may be NULL; those marked with * are not called.
/// Objects that they return belong to the caller.
typedef struct __SecKeyDescriptor {
    /// `kSecKeyDescriptorVersion`, or 0 to 3 for a table that ends before `getAlgorithmID`, `copyPublic`, `copyWrapKey` or
    /// `copyExternalRepresentation`.
    uint32_t version;
    const char *_Nullable name;
    /// So many bytes are allocated, as zeros, and `key` of the key points to them; at most 1 MiB.
    uint32_t extraBytes;
    /// Called by `SecKeyCreate`. If it fails there is no key, and `destroy` is not called.
    OSStatus (*_Nullable init)(SecKeyRef key, const uint8_t *_Nullable data, CFIndex length, SecKeyEncoding encoding);
    /// Called when the last reference is released.
    void (*_Nullable destroy)(SecKeyRef key);
    OSStatus (*_Nullable rawSign)(SecKeyRef key, SecPadding padding, const uint8_t *dataToSign, size_t dataToSignLen,
                                  uint8_t *sig, size_t *sigLen);
    OSStatus (*_Nullable rawVerify)(SecKeyRef key, SecPadding padding, const uint8_t *signedData, size_t signedDataLen,
                                    const uint8_t *sig, size_t sigLen);
    OSStatus (*_Nullable encrypt)(SecKeyRef key, SecPadding padding, const uint8_t *plainText, size_t plainTextLen,
                                  uint8_t *cipherText, size_t *cipherTextLen);
    OSStatus (*_Nullable decrypt)(SecKeyRef key, SecPadding padding, const uint8_t *cipherText, size_t cipherTextLen,
                                  uint8_t *plainText, size_t *plainTextLen);
    /// *
    OSStatus (*_Nullable compute)(SecKeyRef key, const uint8_t *pub_key, size_t pub_key_len, uint8_t *computed_key,
                                  size_t *computed_key_len);
    size_t (*_Nullable blockSize)(SecKeyRef key);
    /// Called by `SecKeyCopyAttributes`.
    CFDictionaryRef _Nullable (*_Nullable copyDictionary)(SecKeyRef key);
    /// Called by `CFCopyDescription`.
    CFStringRef _Nullable (*_Nullable describe)(SecKeyRef key);
    /// *
    CFIndex (*_Nullable getAlgorithmID)(SecKeyRef key);
    /// Called by `SecKeyCopyPublicBytes`.
    OSStatus (*_Nullable copyPublic)(SecKeyRef key, CFDataRef _Nullable *_Nonnull serialization);
    /// *
    CFDataRef _Nullable (*_Nullable copyWrapKey)(SecKeyRef key, SecKeyWrapType type, CFDataRef unwrappedKey,
                                                 CFDictionaryRef _Nullable parameters,
                                                 CFDictionaryRef _Nullable *_Nullable outParam,
                                                 CFErrorRef _Nullable *_Nullable error);
    /// *
    CFDataRef _Nullable (*_Nullable copyUnwrapKey)(SecKeyRef key, SecKeyWrapType type, CFDataRef wrappedKey,
                                                   CFDictionaryRef _Nullable parameters,
                                                   CFDictionaryRef _Nullable *_Nullable outParam,
                                                   CFErrorRef _Nullable *_Nullable error);
    CFDataRef _Nullable (*_Nullable copyExternalRepresentation)(SecKeyRef key, CFErrorRef _Nullable *_Nullable error);
    SecKeyRef _Nullable (*_Nullable copyPublicKey)(SecKeyRef key);
    /// Called for signatures, encryption and key exchange by algorithm, and for `SecKeyRawSign` and `SecKeyRawVerify` without
    /// functions of their own. Signatures of messages and those of RFC 4754 follow from an algorithm for digests. Null (`kCFNull`) says that the key does not have
    /// the algorithm; true that it has it, or that a signature is right; NULL that it failed.
    CFTypeRef _Nullable (*_Nullable copyOperationResult)(SecKeyRef key, SecKeyOperationType operation,
                                                         SecKeyAlgorithm algorithm, CFArrayRef allAlgorithms,
                                                         SecKeyOperationMode mode, CFTypeRef _Nullable in1,
                                                         CFTypeRef _Nullable in2,
                                                         CFErrorRef _Nullable *_Nullable error);
    /// Called by `CFEqual` for two keys of one table.
    Boolean (*_Nullable isEqual)(SecKeyRef key1, SecKeyRef key2);
    /// *
    SecKeyRef _Nullable (*_Nullable createDuplicate)(SecKeyRef key);
    /// *
    Boolean (*_Nullable setParameter)(SecKeyRef key, CFStringRef name, CFTypeRef _Nullable value,
                                      CFErrorRef _Nullable *_Nullable error);
} SecKeyDescriptor;

/// What the functions of such a key find in it. The layout is this library's.
struct __SecKey {
    CFRuntimeBase _base;
    const void *_Nullable _reserved;
    const SecKeyDescriptor *_Nullable key_class;
    /// The program's own.
    void *_Nullable key;
};

/// Makes a key that the program implements itself. It is never an item of the keychain: a call with it is `errSecParam`.
///
/// - `key_class`: the table, which has to stay where it is.
/// - `keyData`: for `init`, as the length and the encoding are.
/// - Returns: the key, which the caller owns; NULL for a table of a later version, and if `init` fails.
CF_EXPORT SecKeyRef _Nullable SecKeyCreate(CFAllocatorRef _Nullable allocator,
                                           const SecKeyDescriptor *_Nullable key_class,
                                           const uint8_t *_Nullable keyData, CFIndex keyDataLength,
                                           SecKeyEncoding encoding) CF_RETURNS_RETAINED;

// Access controls
//
// One that is put together by hand can demand more than the keychain enforces. It is refused then where an item is
// added or changed with it (`errSecUnimplemented`), and one without a protection class is `errSecParam`.

/// The operations of items and keys, as their access control has them: those that are not named, reading, writing,
/// deleting, signing, computing a key, attesting.
CF_EXPORT const CFStringRef kAKSKeyOpDefaultAcl;
CF_EXPORT const CFStringRef kAKSKeyOpDecrypt;
CF_EXPORT const CFStringRef kAKSKeyOpEncrypt;
CF_EXPORT const CFStringRef kAKSKeyOpDelete;
CF_EXPORT const CFStringRef kAKSKeyOpSign;
CF_EXPORT const CFStringRef kAKSKeyOpComputeKey;
CF_EXPORT const CFStringRef kAKSKeyOpAttest;

/// What an operation demands: true for nothing, false where it is not allowed, or a dictionary that one of the functions
/// below makes.
typedef CFTypeRef SecAccessConstraintRef;

/// Makes an access control that has no protection class and allows nothing.
CF_EXPORT SecAccessControlRef _Nullable SecAccessControlCreate(CFAllocatorRef _Nullable allocator,
                                                               CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The protection class; NULL for none. It belongs to the access control.
CF_EXPORT CFTypeRef _Nullable SecAccessControlGetProtection(SecAccessControlRef access_control);

/// Sets the protection class: one of the `kSecAttrAccessible…` values. Anything else is `errSecParam`.
CF_EXPORT bool SecAccessControlSetProtection(SecAccessControlRef access_control, CFTypeRef protection,
                                             CFErrorRef _Nullable *_Nullable error);

/// What an operation demands: `od` (reading), `oe` (writing), `odel` (deleting), `osgn` (signing), `ock` (computing a
/// key), `oa` (attesting), or what `dacl` demands, where nothing is said of it. True for nothing, else a dictionary of
/// constraints; NULL where the operation is not allowed. It belongs to the access control.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessControlGetConstraint(SecAccessControlRef access_control,
                                                                         CFTypeRef operation);

/// All constraints, by operation; NULL for none. They belong to the access control.
CF_EXPORT CFDictionaryRef _Nullable SecAccessControlGetConstraints(SecAccessControlRef access_control);

/// Replaces all constraints. Where one of them is none, nothing is allowed any more.
CF_EXPORT void SecAccessControlSetConstraints(SecAccessControlRef access_control,
                                              CFDictionaryRef _Nullable constraints);

/// Says what an operation demands: of any name, by a truth value or any dictionary. The same object is returned by
/// `SecAccessControlGetConstraint`. Anything else is `errSecParam`.
CF_EXPORT bool SecAccessControlAddConstraintForOperation(SecAccessControlRef access_control, CFTypeRef operation,
                                                         SecAccessConstraintRef constraint,
                                                         CFErrorRef _Nullable *_Nullable error);

/// Takes back what was said of an operation.
CF_EXPORT bool SecAccessControlRemoveConstraintForOperation(SecAccessControlRef access_control, CFTypeRef operation,
                                                            CFErrorRef _Nullable *_Nullable error);

/// Whether a password of the application's own is demanded besides.
CF_EXPORT bool SecAccessControlGetRequirePassword(SecAccessControlRef access_control);
CF_EXPORT void SecAccessControlSetRequirePassword(SecAccessControlRef access_control, bool require);

/// Whether it is bound to a key: where that was said, and where nothing is demanded but that a key be used.
CF_EXPORT bool SecAccessControlIsBound(SecAccessControlRef access_control);
CF_EXPORT void SecAccessControlSetBound(SecAccessControlRef access_control, bool bound);

/// All of it as DER; the same for the same.
CF_EXPORT CFDataRef _Nullable SecAccessControlCopyData(SecAccessControlRef access_control) CF_RETURNS_RETAINED;

/// Makes an access control of what `SecAccessControlCopyData` returned. Anything else is `errSecDecode`.
CF_EXPORT SecAccessControlRef _Nullable SecAccessControlCreateFromData(CFAllocatorRef _Nullable allocator,
                                                                       CFDataRef data,
                                                                       CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// A policy of the system's, by its name. The keychain enforces `DeviceOwnerAuthentication` and no other.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessConstraintCreatePolicy(CFAllocatorRef _Nullable allocator,
                                                                           CFTypeRef policy,
                                                                           CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The passcode.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessConstraintCreatePasscode(CFAllocatorRef _Nullable allocator)
    CF_RETURNS_RETAINED;

/// A finger.
///
/// - `catacombUUID`: which fingers; NULL and empty data stand for the keychain's own, which alone it can ask for.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessConstraintCreateBiometryAny(CFAllocatorRef _Nullable allocator,
                                                                                CFDataRef _Nullable catacombUUID)
    CF_RETURNS_RETAINED;

/// The former name of `SecAccessConstraintCreateBiometryAny`.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessConstraintCreateTouchIDAny(CFAllocatorRef _Nullable allocator,
                                                                               CFDataRef _Nullable catacombUUID)
    CF_RETURNS_RETAINED;

/// A finger of those that are enrolled now.
///
/// - `bioDbHash`: how the fingers were; NULL and empty data stand for how they are when an item is made.
CF_EXPORT SecAccessConstraintRef _Nullable
SecAccessConstraintCreateBiometryCurrentSet(CFAllocatorRef _Nullable allocator, CFDataRef _Nullable catacombUUID,
                                            CFDataRef _Nullable bioDbHash) CF_RETURNS_RETAINED;

/// The former name of `SecAccessConstraintCreateBiometryCurrentSet`.
CF_EXPORT SecAccessConstraintRef _Nullable
SecAccessConstraintCreateTouchIDCurrentSet(CFAllocatorRef _Nullable allocator, CFDataRef _Nullable catacombUUID,
                                           CFDataRef _Nullable bioDbHash) CF_RETURNS_RETAINED;

/// A watch, of which there is none here.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessConstraintCreateWatch(CFAllocatorRef _Nullable allocator)
    CF_RETURNS_RETAINED;

/// So many of several constraints of different kinds. A number that is not between 1 and theirs is `errSecParam`.
CF_EXPORT SecAccessConstraintRef _Nullable SecAccessConstraintCreateKofN(CFAllocatorRef _Nullable allocator,
                                                                         size_t numRequired, CFArrayRef constraints,
                                                                         CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// What stands in that constraint's dictionary.
CF_EXPORT SecAccessConstraintRef _Nullable
SecAccessConstraintCreateValueOfKofN(CFAllocatorRef _Nullable allocator, size_t numRequired, CFArrayRef constraints,
                                     CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

// Passwords

/// The types of passwords, each with a format of its own.
typedef CF_ENUM(uint32_t, SecPasswordType) {
    /// For websites: four groups of three.
    kSecPasswordTypeSafari = 0,
    /// Six groups of four.
    kSecPasswordTypeiCloudRecovery = 1,
    /// For wireless networks: three groups of four.
    kSecPasswordTypeWifi = 2,
    /// Four digits.
    kSecPasswordTypePIN = 3,
    /// Seven groups of four, the last two characters being a checksum.
    kSecPasswordTypeiCloudRecoveryKey = 4,
};

/// "true" or true: the type's own format, whatever else is said.
CF_EXPORT const CFStringRef kSecPasswordDefaultForType;

/// The least length, separators included; a number.
CF_EXPORT const CFStringRef kSecPasswordMinLengthKey;

/// The greatest length, separators included; a number.
CF_EXPORT const CFStringRef kSecPasswordMaxLengthKey;

/// The characters that may occur; a string.
CF_EXPORT const CFStringRef kSecPasswordAllowedCharactersKey;

/// Of each of these one character occurs at least; an array of strings and character sets.
CF_EXPORT const CFStringRef kSecPasswordRequiredCharactersKey;

/// The characters that may not occur; a string.
CF_EXPORT const CFStringRef kSecPasswordDisallowedCharacters;

/// The characters that may not come first; a string.
CF_EXPORT const CFStringRef kSecPasswordCantStartWithChars;

/// The characters that may not come last; a string.
CF_EXPORT const CFStringRef kSecPasswordCantEndWithChars;

/// How many of some characters may occur; a dictionary of `kSecPasswordCharacters` and `kSecPasswordCharacterCount`.
CF_EXPORT const CFStringRef kSecPasswordContainsNoMoreThanNSpecificCharacters;

/// How many of some characters have to occur; such a dictionary.
CF_EXPORT const CFStringRef kSecPasswordContainsAtLeastNSpecificCharacters;

/// How often a character may occur in a row; a number.
CF_EXPORT const CFStringRef kSecPasswordContainsNoMoreThanNConsecutiveIdenticalCharacters;

/// The characters of such a dictionary; a string.
CF_EXPORT const CFStringRef kSecPasswordCharacters;

/// The number of such a dictionary.
CF_EXPORT const CFStringRef kSecPasswordCharacterCount;

/// How many characters a group has; a number.
CF_EXPORT const CFStringRef kSecPasswordGroupSize;

/// How many groups there are; a number.
CF_EXPORT const CFStringRef kSecPasswordNumberOfGroups;

/// What stands between groups; a string. Without it, a hyphen.
CF_EXPORT const CFStringRef kSecPasswordSeparator;

/// Makes a password.
///
/// - `error`: may be NULL. Receives an error of code `errSecParam`, which the caller owns, for another type, and for
///   requirements that are incomplete, of other types, or met by no password that could be found.
/// - `passwordRequirements`: of the types for websites and wireless networks: the lengths, the allowed and the required
///   characters, and whatever else is demanded. NULL for the type's own format.
/// - Returns: the password, which the caller owns; each that is allowed is as likely as any other, unless those that are
///   allowed are rare.
CF_EXPORT CFStringRef _Nullable SecPasswordGenerate(SecPasswordType type, CFErrorRef _Nullable *_Nullable error,
                                                    CFDictionaryRef _Nullable passwordRequirements)
    CF_RETURNS_RETAINED;

/// `kSecPasswordGroupSize` and `kSecPasswordNumberOfGroups` of a type's own format.
CF_EXPORT CFDictionaryRef _Nullable SecPasswordCopyDefaultPasswordLength(SecPasswordType type,
                                                                         CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// Whether a password has a type's own format: groups, characters, checksum. A PIN may have six digits too.
CF_EXPORT bool SecPasswordValidatePasswordFormat(SecPasswordType type, CFStringRef password,
                                                 CFErrorRef _Nullable *_Nullable error);

/// Whether a passcode is guessed early, by its pattern and length: there is no dictionary. Four or six digits are judged as
/// a PIN.
CF_EXPORT bool SecPasswordIsPasswordWeak(CFStringRef passcode);

/// The same.
///
/// - `isSimple`: whether it is a PIN.
CF_EXPORT bool SecPasswordIsPasswordWeak2(bool isSimple, CFStringRef passcode);

/// So many decimal digits, from 1 to 1,024. Another number is `errSecParam`.
CF_EXPORT CFStringRef _Nullable SecPasswordCreateWithRandomDigits(int n, CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
