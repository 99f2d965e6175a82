// A program that makes keys, in the Secure Enclave and beside it, signs, agrees and encrypts with them, and reads a file of a
// key and its certificate. It is given a PKCS #12 file of the passphrase "secret".
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static CFDataRef file_data;

static void set_number(CFMutableDictionaryRef dictionary, CFStringRef key, int value) {
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    CFDictionarySetValue(dictionary, key, number);
    CFRelease(number);
}

static CFMutableDictionaryRef new_parameters(CFStringRef type, int bits) {
    CFMutableDictionaryRef parameters = new_dictionary();
    CFDictionarySetValue(parameters, kSecAttrKeyType, type);
    set_number(parameters, kSecAttrKeySizeInBits, bits);
    return parameters;
}

/// What signs verifies, and nothing else does.
static void sign_and_verify(SecKeyRef key, SecKeyAlgorithm algorithm) {
    SecKeyRef public_half = SecKeyCopyPublicKey(key);
    CFDataRef message = new_data("message", 7), other = new_data("massage", 7);
    CFErrorRef error = NULL;
    CFDataRef signature = SecKeyCreateSignature(key, algorithm, message, &error);
    CHECK(signature && !error && public_half);
    if (signature && public_half) {
        CHECK_EQUAL(swift_retainCount(signature), 1);
        CHECK(SecKeyVerifySignature(public_half, algorithm, message, signature, &error) && !error);
        CHECK(!SecKeyVerifySignature(public_half, algorithm, other, signature, &error));
        CHECK(error != NULL);
        if (error) CFRelease(error);
        CHECK(!SecKeyVerifySignature(public_half, algorithm, other, signature, NULL));
    }
    if (signature) CFRelease(signature);
    if (public_half) CFRelease(public_half);
    CFRelease(message);
    CFRelease(other);
}

static void keys_of_the_secure_enclave_never_leave(void) {
    CFMutableDictionaryRef parameters = new_parameters(kSecAttrKeyTypeECSECPrimeRandom, 256), half = new_dictionary();
    CFDataRef tag = new_data("c.client", 8);
    CFDictionarySetValue(parameters, kSecAttrTokenID, kSecAttrTokenIDSecureEnclave);
    CFDictionarySetValue(half, kSecAttrIsPermanent, kCFBooleanTrue);
    CFDictionarySetValue(half, kSecAttrApplicationTag, tag);
    CFDictionarySetValue(parameters, kSecPrivateKeyAttrs, half);
    CFErrorRef error = NULL;
    SecKeyRef made = SecKeyCreateRandomKey(parameters, &error);
    CHECK(made && !error);
    CFRelease(parameters);
    CFRelease(half);

    CFMutableDictionaryRef query = new_dictionary();
    CFDictionarySetValue(query, kSecClass, kSecClassKey);
    CFDictionarySetValue(query, kSecAttrApplicationTag, tag);
    CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef found = NULL;
    CHECK_EQUAL(SecItemCopyMatching(query, &found), errSecSuccess);
    SecKeyRef key = (SecKeyRef)found;
    CHECK(key && CFGetTypeID(key) == SecKeyGetTypeID() && made && CFEqual(key, made) && CFHash(key) == CFHash(made));
    if (!key) exit(2);
    CHECK(SecKeyCopyExternalRepresentation(key, &error) == NULL);
    CHECK(error != NULL);
    if (error) CFRelease(error);
    error = NULL;
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    CHECK(attributes && CFEqual(CFDictionaryGetValue(attributes, kSecAttrTokenID), kSecAttrTokenIDSecureEnclave));
    CHECK(attributes && CFEqual(CFDictionaryGetValue(attributes, kSecAttrKeyClass), kSecAttrKeyClassPrivate));
    if (attributes) CFRelease(attributes);
    sign_and_verify(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256);
    CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, kSecKeyAlgorithmECDSASignatureMessageX962SHA256));
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256));

    // With another's public key it agrees on what the other agrees on with its own.
    parameters = new_parameters(kSecAttrKeyTypeECSECPrimeRandom, 256);
    SecKeyRef other = SecKeyCreateRandomKey(parameters, NULL);
    CFMutableDictionaryRef none = new_dictionary();
    CHECK(other != NULL);
    if (other) {
        SecKeyRef public_half = SecKeyCopyPublicKey(key), others_half = SecKeyCopyPublicKey(other);
        CFDataRef one = SecKeyCopyKeyExchangeResult(key, kSecKeyAlgorithmECDHKeyExchangeStandard, others_half, none, NULL);
        CFDataRef two = SecKeyCopyKeyExchangeResult(other, kSecKeyAlgorithmECDHKeyExchangeStandard, public_half, none, NULL);
        CHECK(one && two && CFEqual(one, two));
        if (one) CFRelease(one);
        if (two) CFRelease(two);
        CFDataRef plain = new_data("plain", 5);
        SecKeyAlgorithm ecies = kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM;
        CFDataRef cipher = SecKeyCreateEncryptedData(public_half, ecies, plain, NULL);
        CFDataRef again = cipher ? SecKeyCreateDecryptedData(key, ecies, cipher, NULL) : NULL;
        CHECK(again && CFEqual(again, plain) && !CFEqual(cipher, plain));
        if (cipher) CFRelease(cipher);
        if (again) CFRelease(again);
        CFRelease(plain);
        CFRelease(public_half);
        CFRelease(others_half);
        CFRelease(other);
    }
    CFRelease(none);
    CFRelease(parameters);
    CFDictionaryRemoveValue(query, kSecReturnRef);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    CFRelease(tag);
    CFRelease(key);
    if (made) CFRelease(made);
}

static void encryption_takes_parameters(CFStringRef type, int bits, SecKeyAlgorithm algorithm) {
    CFMutableDictionaryRef making = new_parameters(type, bits), parameters = new_dictionary();
    SecKeyRef key = SecKeyCreateRandomKey(making, NULL), public_half = key ? SecKeyCopyPublicKey(key) : NULL;
    if (!key || !public_half) exit(2);
    CFDataRef plain = new_data("plain", 5), added = new_data("added", 5), other = new_data("other", 5);
    int size = 192;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &size);
    CFDictionarySetValue(parameters, kSecKeyEncryptionParameterSymmetricKeySizeInBits, number);
    CFDictionarySetValue(parameters, kSecKeyEncryptionParameterSymmetricAAD, added);
    CFDataRef cipher = SecKeyCreateEncryptedDataWithParameters(public_half, algorithm, plain, parameters, NULL);
    CHECK(cipher != NULL);
    if (!cipher) exit(2);
    CFDataRef again = SecKeyCreateDecryptedDataWithParameters(key, algorithm, cipher, parameters, NULL);
    CHECK(again && CFEqual(again, plain));
    if (again) CFRelease(again);
    // What was added is authenticated: without it, and with something else, nothing is decrypted.
    CFErrorRef error = NULL;
    CHECK(SecKeyCreateDecryptedDataWithParameters(key, algorithm, cipher, NULL, &error) == NULL);
    CHECK(error && CFErrorGetCode(error) == (CFEqual(type, kSecAttrKeyTypeRSA) ? errSecParam : errSecDecode));
    if (error) CFRelease(error);
    CFDictionarySetValue(parameters, kSecKeyEncryptionParameterSymmetricAAD, other);
    CHECK(SecKeyCreateDecryptedDataWithParameters(key, algorithm, cipher, parameters, NULL) == NULL);
    // No parameters are as if the function without were called.
    CFRelease(cipher);
    cipher = SecKeyCreateEncryptedDataWithParameters(public_half, algorithm, plain, NULL, NULL);
    again = cipher ? SecKeyCreateDecryptedData(key, algorithm, cipher, NULL) : NULL;
    CHECK(again && CFEqual(again, plain));
    if (again) CFRelease(again);
    if (cipher) CFRelease(cipher);
    // Other types, and sizes that AES does not have.
    CFTypeRef wrong[] = {plain, kCFBooleanTrue};
    for (size_t index = 0; index < 3; index++) {
        int none = 100;
        CFNumberRef no_size = CFNumberCreate(NULL, kCFNumberIntType, &none);
        CFDictionarySetValue(parameters, kSecKeyEncryptionParameterSymmetricKeySizeInBits,
                             index < 2 ? wrong[index] : (CFTypeRef)no_size);
        error = NULL;
        CHECK(SecKeyCreateEncryptedDataWithParameters(public_half, algorithm, plain, parameters, &error) == NULL);
        CHECK(error && CFErrorGetCode(error) == errSecParam);
        if (error) CFRelease(error);
        CFRelease(no_size);
    }
    CFDictionarySetValue(parameters, kSecKeyEncryptionParameterSymmetricKeySizeInBits, number);
    CFDictionarySetValue(parameters, kSecKeyEncryptionParameterSymmetricAAD, number);
    CHECK(SecKeyCreateEncryptedDataWithParameters(public_half, algorithm, plain, parameters, NULL) == NULL);
    CFRelease(number);
    CFRelease(plain);
    CFRelease(added);
    CFRelease(other);
    CFRelease(public_half);
    CFRelease(key);
    CFRelease(parameters);
    CFRelease(making);
}

// The number 1 is a private number on every curve, and the base point its public half.
static void the_length_of_a_number_names_its_curve(void) {
    struct {
        size_t size;
        size_t bits;
    } curves[] = {{32, 256}, {48, 384}, {66, 521}};
    for (size_t index = 0; index < 3; index++) {
        uint8_t der[80] = {0x30, (uint8_t)(curves[index].size + 5), 2, 1, 1, 4, (uint8_t)curves[index].size};
        size_t count = curves[index].size + 7;
        der[count - 1] = 1;
        SecKeyRef key = SecKeyCreateECPrivateKey(NULL, der, (CFIndex)count, kSecKeyEncodingPkcs1);
        CHECK(key && SecKeyGetSize(key, kSecKeyKeySizeInBits) == curves[index].bits);
        if (key) {
            sign_and_verify(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256);
            CFRelease(key);
        }
        CHECK(SecKeyCreateECPrivateKey(NULL, der, (CFIndex)count, kSecKeyEncodingRaw) == NULL);
        CHECK(SecKeyCreateECPrivateKey(NULL, der, (CFIndex)count - 1, kSecKeyEncodingPkcs1) == NULL);
        der[count - 1] = 0;
        CHECK(SecKeyCreateECPrivateKey(NULL, der, (CFIndex)count, kSecKeyEncodingPkcs1) == NULL);
        der[1]--;
        der[6]--;
        der[count - 2] = 1;
        CHECK(SecKeyCreateECPrivateKey(NULL, der, (CFIndex)count - 1, kSecKeyEncodingPkcs1) == NULL);
    }
}

static void keys_come_and_go_as_data(void) {
    CFMutableDictionaryRef parameters = new_parameters(kSecAttrKeyTypeRSA, 2048);
    SecKeyRef public_half = NULL, key = NULL;
    CHECK_EQUAL(SecKeyGeneratePair(parameters, &public_half, &key), errSecSuccess);
    if (!key || !public_half) exit(2);
    CHECK_EQUAL(SecKeyGetBlockSize(key), 256);
    sign_and_verify(key, kSecKeyAlgorithmRSASignatureMessagePSSSHA256);
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, NULL);
    CFDictionarySetValue(parameters, kSecAttrKeyClass, kSecAttrKeyClassPrivate);
    SecKeyRef again = bytes ? SecKeyCreateWithData(bytes, parameters, NULL) : NULL;
    CHECK(again && CFEqual(again, key));
    if (again) sign_and_verify(again, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512);
    SecKeyRef earlier = bytes ? SecKeyCreateRSAPrivateKey(NULL, CFDataGetBytePtr(bytes), CFDataGetLength(bytes),
                                                          kSecKeyEncodingPkcs1)
                              : NULL;
    CHECK(earlier && CFEqual(earlier, key));
    if (earlier) CFRelease(earlier);

    uint8_t cipher[256], plain[256];
    size_t cipher_length = sizeof cipher, plain_length = sizeof plain;
    CHECK_EQUAL(SecKeyEncrypt(public_half, kSecPaddingOAEP, (const uint8_t *)"plain", 5, cipher, &cipher_length),
                errSecSuccess);
    CHECK_EQUAL(cipher_length, 256);
    CHECK_EQUAL(SecKeyDecrypt(key, kSecPaddingOAEP, cipher, cipher_length, plain, &plain_length), errSecSuccess);
    CHECK(plain_length == 5 && memcmp(plain, "plain", 5) == 0);
    // There is no room for the outcome, and none is taken.
    plain_length = 4;
    memset(plain, 7, sizeof plain);
    CHECK(SecKeyDecrypt(key, kSecPaddingOAEP, cipher, cipher_length, plain, &plain_length) != errSecSuccess);
    CHECK(plain[0] == 7 && plain[4] == 7);
    size_t signature_length = 10;
    CHECK(SecKeyRawSign(key, kSecPaddingPKCS1, (const uint8_t *)"hash", 4, plain, &signature_length) != errSecSuccess);
    signature_length = sizeof plain;
    CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32, plain,
                              &signature_length),
                errSecSuccess);
    CHECK_EQUAL(SecKeyRawVerify(public_half, kSecPaddingPKCS1SHA256, (const uint8_t *)"0123456789abcdef0123456789abcdef",
                                32, plain, signature_length),
                errSecSuccess);
    plain[100] ^= 1;
    CFDictionaryRef described = SecKeyCopyAttributes(public_half);
    CHECK(described != NULL);
    CHECK(CFEqual(CFDictionaryGetValue(described, kSecAttrCanVerify), kCFBooleanTrue));
    CHECK(CFEqual(CFDictionaryGetValue(described, kSecAttrCanSign), kCFBooleanFalse));
    CHECK(CFGetTypeID(CFDictionaryGetValue(described, kSecAttrIsPermanent)) == CFBooleanGetTypeID());
    if (described) CFRelease(described);
    const uint8_t *no_signature = NULL;
    CHECK_EQUAL(SecKeyRawVerify(public_half, kSecPaddingPKCS1SHA256, (const uint8_t *)"0123456789abcdef0123456789abcdef",
                                32, no_signature, 0),
                errSSLCrypto);
    CHECK(SecKeyRawVerify(public_half, kSecPaddingPKCS1SHA256, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32,
                          plain, signature_length) != errSecSuccess);
    if (again) CFRelease(again);
    if (bytes) CFRelease(bytes);
    CFRelease(parameters);
    CFRelease(key);
    CFRelease(public_half);
}

static void identities_come_from_files_and_are_items(void) {
    CFMutableDictionaryRef options = new_dictionary();
    CFArrayRef items = NULL;
    CFDictionaryRef no_options = NULL;
    CHECK_EQUAL(SecPKCS12Import(file_data, no_options, &items), errSecAuthFailed);
    CHECK(SecPKCS12Import(file_data, options, &items) != errSecSuccess && !items);
    CFDictionarySetValue(options, kSecImportExportPassphrase, CFSTR("wrong"));
    CHECK_EQUAL(SecPKCS12Import(file_data, options, &items), errSecAuthFailed);
    CHECK(!items);
    CFDictionarySetValue(options, kSecImportExportPassphrase, CFSTR("secret"));
    CHECK_EQUAL(SecPKCS12Import(file_data, options, &items), errSecSuccess);
    if (!items || CFArrayGetCount(items) != 1) exit(2);
    CFDictionaryRef item = CFArrayGetValueAtIndex(items, 0);
    SecIdentityRef identity = (SecIdentityRef)CFDictionaryGetValue(item, kSecImportItemIdentity);
    CHECK(identity && CFGetTypeID(identity) == SecIdentityGetTypeID());
    if (!identity) exit(2);
    SecCertificateRef certificate = NULL;
    SecKeyRef key = NULL;
    CHECK_EQUAL(SecIdentityCopyCertificate(identity, &certificate), errSecSuccess);
    CHECK_EQUAL(SecIdentityCopyPrivateKey(identity, &key), errSecSuccess);
    if (!certificate || !key) exit(2);
    SecIdentityRef same = SecIdentityCreate(NULL, certificate, key);
    CHECK(same && CFEqual(same, identity) && CFHash(same) == CFHash(identity));
    if (same) CFRelease(same);
    sign_and_verify(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256);

    CFMutableDictionaryRef query = new_dictionary();
    CFDictionarySetValue(query, kSecValueRef, identity);
    CHECK_EQUAL(SecItemAdd(query, NULL), errSecSuccess);
    CHECK_EQUAL(SecItemAdd(query, NULL), errSecDuplicateItem);
    CFMutableDictionaryRef search = new_dictionary();
    CFDictionarySetValue(search, kSecClass, kSecClassIdentity);
    CFDictionarySetValue(search, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef found = NULL;
    CHECK_EQUAL(SecItemCopyMatching(search, &found), errSecSuccess);
    CHECK(found && CFGetTypeID(found) == SecIdentityGetTypeID() && CFEqual(found, identity));
    if (found) {
        CFDataRef data = NULL;
        SecItemImportExportKeyParameters parameters = {.passphrase = CFSTR("other")};
        CHECK_EQUAL(SecItemExport(found, kSecFormatPKCS12, 0, &parameters, &data), errSecSuccess);
        if (data) {
            SecExternalFormat format = kSecFormatUnknown;
            SecExternalItemType type = kSecItemTypeUnknown;
            CFArrayRef again = NULL;
            CHECK_EQUAL(SecItemImport(data, NULL, &format, &type, 0, &parameters, NULL, &again), errSecSuccess);
            CHECK_EQUAL(format, kSecFormatPKCS12);
            CHECK(again && CFArrayGetCount(again) > 0);
            if (again) CFRelease(again);
            CFRelease(data);
        }
        CFRelease(found);
    }
    SecIdentityRef from_certificate = NULL;
    CHECK_EQUAL(SecIdentityCreateWithCertificate(NULL, certificate, &from_certificate), errSecSuccess);
    CHECK(from_certificate && CFEqual(from_certificate, identity));
    if (from_certificate) CFRelease(from_certificate);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CHECK_EQUAL(SecItemCopyMatching(search, &found), errSecItemNotFound);
    CFRelease(search);
    CFRelease(query);
    CFRelease(certificate);
    CFRelease(key);
    CFRelease(items);
    CFRelease(options);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    file_data = read_file(arguments[1]);
    keys_of_the_secure_enclave_never_leave();
    keys_come_and_go_as_data();
    encryption_takes_parameters(kSecAttrKeyTypeECSECPrimeRandom, 256,
                                kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM);
    encryption_takes_parameters(kSecAttrKeyTypeRSA, 2048, kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM);
    the_length_of_a_number_names_its_curve();
    identities_come_from_files_and_are_items();
    CFRelease(file_data);
    return all_is_well();
}
