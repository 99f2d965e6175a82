// A program that implements keys itself: signing turns each byte, verifying turns it back.
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <string.h>

#include "check.h"

typedef struct {
    uint8_t mask;
} Secret;

static int destroyed, initialized, refuses;

static Secret *secret(SecKeyRef key) { return key->key; }

static OSStatus init(SecKeyRef key, const uint8_t *data, CFIndex length, SecKeyEncoding encoding) {
    initialized++;
    if (refuses) return errSecDecode;
    CHECK(key->key && secret(key)->mask == 0 && encoding == kSecKeyEncodingRaw);
    CHECK_EQUAL(length, 1);
    secret(key)->mask = data[0];
    return errSecSuccess;
}

static void destroy(SecKeyRef key) {
    CHECK(secret(key)->mask != 0);
    destroyed++;
}

static OSStatus raw_sign(SecKeyRef key, SecPadding padding, const uint8_t *data, size_t length, uint8_t *signature,
                         size_t *signature_length) {
    if (padding != kSecPaddingPKCS1 || *signature_length < length) return errSecParam;
    for (size_t index = 0; index < length; index++) signature[index] = data[index] ^ secret(key)->mask;
    *signature_length = length;
    return errSecSuccess;
}

static OSStatus raw_verify(SecKeyRef key, SecPadding padding, const uint8_t *data, size_t length,
                           const uint8_t *signature, size_t signature_length) {
    (void)padding;
    if (length != signature_length) return errSSLCrypto;
    for (size_t index = 0; index < length; index++) {
        if (signature[index] != (data[index] ^ secret(key)->mask)) return errSSLCrypto;
    }
    return errSecSuccess;
}

static size_t block_size(SecKeyRef key) { return secret(key)->mask; }

static CFDictionaryRef copy_dictionary(SecKeyRef key) {
    (void)key;
    CFMutableDictionaryRef attributes = new_dictionary();
    CFDictionarySetValue(attributes, kSecAttrLabel, CFSTR("custom"));
    return attributes;
}

static CFStringRef describe(SecKeyRef key) {
    (void)key;
    return CFStringCreateWithCString(NULL, "a key of mine", kCFStringEncodingUTF8);
}

static CFDataRef copy_representation(SecKeyRef key, CFErrorRef *error) {
    (void)error;
    return CFDataCreate(NULL, &secret(key)->mask, 1);
}

static SecKeyRef copy_public(SecKeyRef key) { return (SecKeyRef)(void *)CFRetain(key); }

static Boolean is_equal(SecKeyRef one, SecKeyRef other) { return secret(one)->mask == secret(other)->mask; }

static CFTypeRef result_of(SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm, CFArrayRef all,
                           SecKeyOperationMode mode, CFTypeRef in1, CFTypeRef in2, CFErrorRef *error) {
    CHECK(CFEqual(CFArrayGetValueAtIndex(all, CFArrayGetCount(all) - 1), algorithm));
    if (!CFEqual(algorithm, kSecKeyAlgorithmRSASignatureRaw) && operation != kSecKeyOperationTypeKeyExchange) {
        return kCFNull;
    }
    if (mode == kSecKeyOperationModeCheckIfSupported) return CFRetain(kCFBooleanTrue);
    switch (operation) {
    case kSecKeyOperationTypeVerify: return CFRetain(CFEqual(in1, in2) ? kCFBooleanTrue : kCFBooleanFalse);
    case kSecKeyOperationTypeKeyExchange:
        CHECK(in1 && CFGetTypeID(in1) == SecKeyGetTypeID() && in2 && CFGetTypeID(in2) == CFDictionaryGetTypeID());
        return copy_representation(key, NULL);
    case kSecKeyOperationTypeDecrypt:
        *error = CFErrorCreate(NULL, CFSTR("mine"), 77, NULL);
        return NULL;
    // Not what the caller is promised.
    case kSecKeyOperationTypeEncrypt: return CFRetain(kCFBooleanTrue);
    default: return CFRetain(in1);
    }
}

static const SecKeyDescriptor full = {
    .version = kSecKeyDescriptorVersion,
    .name = "full",
    .extraBytes = sizeof(Secret),
    .init = init,
    .destroy = destroy,
    .rawSign = raw_sign,
    .rawVerify = raw_verify,
    .blockSize = block_size,
    .copyDictionary = copy_dictionary,
    .describe = describe,
    .copyExternalRepresentation = copy_representation,
    .copyPublicKey = copy_public,
    .copyOperationResult = result_of,
    .isEqual = is_equal,
};

static const SecKeyDescriptor empty = {.version = kSecKeyDescriptorVersion, .name = "empty"};

static CFIndex code_of(CFErrorRef *error) {
    CFIndex code = *error ? CFErrorGetCode(*error) : 0;
    if (*error) CFRelease(*error);
    *error = NULL;
    return code;
}

static SecKeyRef new_key(uint8_t mask) { return SecKeyCreate(NULL, &full, &mask, 1, kSecKeyEncodingRaw); }

static void its_functions_are_called(void) {
    SecKeyRef key = new_key(0x55), same = new_key(0x55), other = new_key(0x66);
    CHECK(key && same && other && CFGetTypeID(key) == SecKeyGetTypeID());
    CHECK_EQUAL(swift_retainCount(key), 1);
    CHECK(CFEqual(key, same) && CFHash(key) == CFHash(same) && !CFEqual(key, other));
    CHECK_EQUAL(SecKeyGetBlockSize(key), 0x55);
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    CHECK(attributes && CFEqual(CFDictionaryGetValue(attributes, kSecAttrLabel), CFSTR("custom")));
    if (attributes) CFRelease(attributes);
    CFStringRef text = CFCopyDescription(key);
    CHECK(text && CFEqual(text, CFSTR("a key of mine")));
    if (text) CFRelease(text);
    SecKeyRef half = SecKeyCopyPublicKey(key);
    CHECK(half == key);
    if (half) CFRelease(half);
    CFErrorRef error = NULL;
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error);
    CHECK(bytes && !error && CFDataGetBytePtr(bytes)[0] == 0x55);
    if (bytes) CFRelease(bytes);

    uint8_t signature[8];
    size_t length = sizeof signature;
    CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1, (const uint8_t *)"text", 4, signature, &length), errSecSuccess);
    CHECK_EQUAL(length, 4);
    CHECK_EQUAL(SecKeyRawVerify(key, kSecPaddingPKCS1, (const uint8_t *)"text", 4, signature, 4), errSecSuccess);
    CHECK_EQUAL(SecKeyRawVerify(other, kSecPaddingPKCS1, (const uint8_t *)"text", 4, signature, 4), errSSLCrypto);
    CHECK_EQUAL(SecKeyEncrypt(key, kSecPaddingPKCS1, (const uint8_t *)"text", 4, signature, &length),
                errSecUnimplemented);

    SecKeyAlgorithm known = kSecKeyAlgorithmRSASignatureRaw, unknown = kSecKeyAlgorithmRSASignatureMessagePSSSHA1;
    CFDataRef data = new_data("text", 4), more = new_data("more", 4);
    CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, known));
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, unknown));
    CFDataRef made = SecKeyCreateSignature(key, known, data, &error);
    CHECK(made && !error && CFEqual(made, data));
    if (made) CFRelease(made);
    CHECK(SecKeyCreateSignature(key, unknown, data, &error) == NULL);
    CHECK_EQUAL(code_of(&error), errSecParam);
    CHECK(SecKeyCreateSignature(key, known, (CFDataRef)CFSTR("text"), &error) == NULL);
    CHECK_EQUAL(code_of(&error), errSecParam);
    CHECK(SecKeyVerifySignature(key, known, data, data, &error) && !error);
    CHECK(!SecKeyVerifySignature(key, known, data, more, &error));
    CHECK_EQUAL(code_of(&error), errSecVerifyFailed);
    CHECK(SecKeyCreateDecryptedData(key, known, data, &error) == NULL);
    CHECK_EQUAL(code_of(&error), 77);
    CHECK(SecKeyCreateDecryptedData(key, known, data, NULL) == NULL);
    CHECK(SecKeyCreateEncryptedData(key, known, data, &error) == NULL);
    CHECK_EQUAL(code_of(&error), errSecInternalComponent);
    CFMutableDictionaryRef none = new_dictionary();
    made = SecKeyCopyKeyExchangeResult(key, kSecKeyAlgorithmECDHKeyExchangeStandard, other, none, &error);
    CHECK(made && !error && CFDataGetLength(made) == 1);
    if (made) CFRelease(made);

    // It is no item.
    CFDictionarySetValue(none, kSecClass, kSecClassKey);
    CFDictionarySetValue(none, kSecValueRef, key);
    CHECK_EQUAL(SecItemAdd(none, NULL), errSecParam);
    CFRelease(none);
    CFRelease(data);
    CFRelease(more);
    int before = destroyed;
    CFRelease(key);
    CFRelease(same);
    CFRelease(other);
    CHECK_EQUAL(destroyed, before + 3);
}

static void without_functions_it_does_nothing(void) {
    SecKeyRef key = SecKeyCreate(NULL, &empty, NULL, 0, kSecKeyEncodingRaw), other = new_key(1);
    CHECK(key && !key->key && CFEqual(key, key) && !CFEqual(key, other));
    CFErrorRef error = NULL;
    CFDataRef data = new_data("text", 4);
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmRSASignatureRaw;
    CHECK_EQUAL(SecKeyGetBlockSize(key), 0);
    CHECK(!SecKeyCopyAttributes(key) && !SecKeyCopyPublicKey(key));
    CHECK(!SecKeyCopyExternalRepresentation(key, &error));
    CHECK_EQUAL(code_of(&error), errSecUnimplemented);
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, algorithm));
    CHECK(!SecKeyCreateSignature(key, algorithm, data, &error));
    CHECK_EQUAL(code_of(&error), errSecUnimplemented);
    CHECK(!SecKeyVerifySignature(key, algorithm, data, data, &error));
    CHECK_EQUAL(code_of(&error), errSecUnimplemented);
    uint8_t memory[8];
    size_t room = sizeof memory;
    CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1, memory, 8, memory, &room), errSecUnimplemented);
    CHECK_EQUAL(SecKeyRawVerify(key, kSecPaddingPKCS1, memory, 8, memory, 8), errSecUnimplemented);
    CHECK_EQUAL(SecKeyDecrypt(key, kSecPaddingPKCS1, memory, 8, memory, &room), errSecUnimplemented);
    CFDataRef bytes = NULL;
    CHECK_EQUAL(SecKeyCopyPublicBytes(key, &bytes), errSecUnimplemented);
    CHECK_EQUAL(SecKeyGetSize(key, kSecKeyKeySizeInBits), 0);
    CFStringRef text = CFCopyDescription(key);
    CHECK(text != NULL);
    if (text) CFRelease(text);
    CFRelease(data);
    CFRelease(key);
    CFRelease(other);
}

static void what_is_no_table_makes_no_key(void) {
    uint8_t mask = 1;
    CHECK(SecKeyCreate(NULL, NULL, &mask, 1, kSecKeyEncodingRaw) == NULL);
    CHECK(SecKeyCreate(NULL, &full, &mask, -1, kSecKeyEncodingRaw) == NULL);
    SecKeyDescriptor table = full;
    table.version = 3;
    CHECK(SecKeyCreate(NULL, &table, &mask, 1, kSecKeyEncodingRaw) == NULL);
    table = full;
    table.extraBytes = UINT32_MAX;
    CHECK(SecKeyCreate(NULL, &table, &mask, 1, kSecKeyEncodingRaw) == NULL);
    int before = destroyed, calls = initialized;
    refuses = 1;
    CHECK(SecKeyCreate(NULL, &full, &mask, 1, kSecKeyEncodingRaw) == NULL);
    refuses = 0;
    CHECK_EQUAL(initialized, calls + 1);
    CHECK_EQUAL(destroyed, before);
}

int main(void) {
    its_functions_are_called();
    without_functions_it_does_nothing();
    what_is_no_table_makes_no_key();
    return all_is_well();
}
