/// Cryptographic keys. Those of the Secure Enclave never leave it: they are references.
#ifndef SECURITY_SEC_KEY_H
#define SECURITY_SEC_KEY_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecKeyConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type identifier of keys.
CF_EXPORT CFTypeID SecKeyGetTypeID(void);

// What functions with "Create" or "Copy" in their names return belongs to the caller, as do errors. They return NULL on
// failure and then leave an error where there is a place for one.

/// Makes a pair of keys.
///
/// - `parameters`: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`, at the top; attributes of both halves.
/// - Returns: the private key.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateRandomKey(CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// Makes a pair of keys, by an earlier function.
CF_EXPORT OSStatus SecKeyGeneratePair(CFDictionaryRef parameters,
                                      SecKeyRef _Nullable *_Nullable CF_RETURNS_RETAINED publicKey,
                                      SecKeyRef _Nullable *_Nullable CF_RETURNS_RETAINED privateKey);

/// Makes a key from its external representation.
///
/// - `attributes`: `kSecAttrKeyType` and `kSecAttrKeyClass`; others mean nothing.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateWithData(CFDataRef keyData, CFDictionaryRef attributes,
                                                   CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// How many bytes a key works on at a time: the modulus of RSA, the field of an elliptic curve. 0 for an object that is
/// no key.
CF_EXPORT size_t SecKeyGetBlockSize(SecKeyRef key);

/// The key as others read it: PKCS #1 for RSA, X9.63 for elliptic curves.
CF_EXPORT CFDataRef _Nullable SecKeyCopyExternalRepresentation(SecKeyRef key, CFErrorRef _Nullable *_Nullable error)
    CF_RETURNS_RETAINED;

/// The attributes of a key, as an item of the keychain has them.
CF_EXPORT CFDictionaryRef _Nullable SecKeyCopyAttributes(SecKeyRef key) CF_RETURNS_RETAINED;

/// The public half of a key.
CF_EXPORT SecKeyRef _Nullable SecKeyCopyPublicKey(SecKeyRef key) CF_RETURNS_RETAINED;

/// Signs data, or a digest, as the algorithm says.
CF_EXPORT CFDataRef _Nullable SecKeyCreateSignature(SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef dataToSign,
                                                    CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// Whether a signature is right; if not, and on failure, there is an error.
CF_EXPORT Boolean SecKeyVerifySignature(SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef signedData,
                                        CFDataRef signature, CFErrorRef _Nullable *_Nullable error);

/// Encrypts with a public key.
CF_EXPORT CFDataRef _Nullable SecKeyCreateEncryptedData(SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef plaintext,
                                                        CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// Decrypts with a private key.
CF_EXPORT CFDataRef _Nullable SecKeyCreateDecryptedData(SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef ciphertext,
                                                        CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// Agrees with somebody, whose public key is given, on a secret.
///
/// - `parameters`: `kSecKeyKeyExchangeParameter…` keys.
CF_EXPORT CFDataRef _Nullable SecKeyCopyKeyExchangeResult(SecKeyRef privateKey, SecKeyAlgorithm algorithm,
                                                          SecKeyRef publicKey, CFDictionaryRef parameters,
                                                          CFErrorRef _Nullable *_Nullable error) CF_RETURNS_RETAINED;

/// Whether a key can do an operation with an algorithm.
CF_EXPORT Boolean SecKeyIsAlgorithmSupported(SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm);

// Earlier functions. Lengths are in bytes; those that are written to say how much room there is, then how much was used.

/// Signs a digest.
CF_EXPORT OSStatus SecKeyRawSign(SecKeyRef key, SecPadding padding, const uint8_t *dataToSign, size_t dataToSignLen,
                                 uint8_t *sig, size_t *sigLen);

/// Verifies a signature of a digest.
CF_EXPORT OSStatus SecKeyRawVerify(SecKeyRef key, SecPadding padding, const uint8_t *signedData, size_t signedDataLen,
                                   const uint8_t *sig, size_t sigLen);

/// Encrypts a block.
CF_EXPORT OSStatus SecKeyEncrypt(SecKeyRef key, SecPadding padding, const uint8_t *plainText, size_t plainTextLen,
                                 uint8_t *cipherText, size_t *cipherTextLen);

/// Decrypts a block.
CF_EXPORT OSStatus SecKeyDecrypt(SecKeyRef key, SecPadding padding, const uint8_t *cipherText, size_t cipherTextLen,
                                 uint8_t *plainText, size_t *plainTextLen);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
