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

/// A key that has one algorithm, for digests of SHA-256 in the form of X9.62; its signatures are always the same.
static const uint8_t x962[] = {0x30, 6, 2, 1, 5, 2, 1, 7};

static CFTypeRef digests_alone(SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm, CFArrayRef all,
                               SecKeyOperationMode mode, CFTypeRef in1, CFTypeRef in2, CFErrorRef *error) {
    (void)key;
    (void)error;
    CHECK(CFEqual(CFArrayGetValueAtIndex(all, CFArrayGetCount(all) - 1), algorithm));
    if (!CFEqual(algorithm, kSecKeyAlgorithmECDSASignatureDigestX962SHA256)) return kCFNull;
    if (mode == kSecKeyOperationModeCheckIfSupported) return CFRetain(kCFBooleanTrue);
    CHECK_EQUAL(CFDataGetLength(in1), 32);
    // SHA-256 of "text" begins with these, and a digest that a caller brings is of sevens.
    uint8_t first = CFDataGetBytePtr(in1)[0];
    CHECK(first == 0x98 || first == 7);
    if (operation == kSecKeyOperationTypeSign) return CFDataCreate(NULL, x962, sizeof x962);
    bool is_right = CFDataGetLength(in2) == sizeof x962 && memcmp(CFDataGetBytePtr(in2), x962, sizeof x962) == 0;
    return CFRetain(is_right ? kCFBooleanTrue : kCFBooleanFalse);
}

static size_t coordinate(SecKeyRef key) {
    (void)key;
    return 32;
}

static void other_forms_follow_from_a_digest_algorithm(void) {
    SecKeyDescriptor table = {.version = kSecKeyDescriptorVersion, .name = "digests", .blockSize = coordinate,
                              .copyOperationResult = digests_alone};
    SecKeyRef key = SecKeyCreate(NULL, &table, NULL, 0, kSecKeyEncodingRaw);
    CHECK(key != NULL);
    if (!key) return;
    CHECK_EQUAL(SecKeyGetSize(key, kSecKeyKeySizeInBits), 256);
    CFDataRef text = new_data("text", 4);
    uint8_t sevens[32], raw[64] = {0};
    memset(sevens, 7, sizeof sevens);
    raw[31] = 5;
    raw[63] = 7;
    CFDataRef digest = CFDataCreate(NULL, sevens, sizeof sevens);
    struct {
        SecKeyAlgorithm algorithm;
        CFDataRef data;
        const uint8_t *signature;
        size_t length;
    } cases[] = {
        {kSecKeyAlgorithmECDSASignatureMessageX962SHA256, text, x962, sizeof x962},
        {kSecKeyAlgorithmECDSASignatureDigestX962SHA256, digest, x962, sizeof x962},
        {kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256, text, raw, sizeof raw},
        {kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256, digest, raw, sizeof raw},
    };
    for (size_t index = 0; index < 4; index++) {
        CFErrorRef error = NULL;
        CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, cases[index].algorithm));
        CFDataRef signature = SecKeyCreateSignature(key, cases[index].algorithm, cases[index].data, &error);
        CHECK(signature && !error && (size_t)CFDataGetLength(signature) == cases[index].length &&
              memcmp(CFDataGetBytePtr(signature), cases[index].signature, cases[index].length) == 0);
        if (signature) {
            CHECK(SecKeyVerifySignature(key, cases[index].algorithm, cases[index].data, signature, &error) && !error);
            CFRelease(signature);
        }
        CHECK(!SecKeyVerifySignature(key, cases[index].algorithm, cases[index].data, text, &error));
        CHECK_EQUAL(code_of(&error), errSecVerifyFailed);
    }
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, kSecKeyAlgorithmECDSASignatureMessageX962SHA512));
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256));

    uint8_t made[64];
    size_t room = sizeof made;
    CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, sevens, 32, made, &room), errSecSuccess);
    CHECK(room == sizeof x962 && memcmp(made, x962, room) == 0);
    CHECK_EQUAL(SecKeyRawVerify(key, kSecPaddingPKCS1SHA256, sevens, 32, made, room), errSecSuccess);
    made[4] ^= 1;
    CHECK_EQUAL(SecKeyRawVerify(key, kSecPaddingPKCS1SHA256, sevens, 32, made, room), errSSLCrypto);
    room = 7;
    CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, sevens, 32, made, &room), errSecParam);
    CHECK_EQUAL(room, 7);
    CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1SHA512, sevens, 32, made, &room), errSecUnimplemented);
    CFRelease(text);
    CFRelease(digest);
    CFRelease(key);
}

static void earlier_tables_end_earlier(void) {
    uint8_t mask = 3;
    for (uint32_t version = 0; version < 4; version++) {
        // What stands behind the end of the table is never read as a function.
        SecKeyDescriptor table = full;
        table.version = version;
        table.copyExternalRepresentation = (CFDataRef(*)(SecKeyRef, CFErrorRef *))(uintptr_t)1;
        table.copyOperationResult = NULL;
        table.copyPublicKey = (SecKeyRef(*)(SecKeyRef))(uintptr_t)1;
        table.isEqual = (Boolean(*)(SecKeyRef, SecKeyRef))(uintptr_t)1;
        SecKeyRef key = SecKeyCreate(NULL, &table, &mask, 1, kSecKeyEncodingRaw);
        CHECK(key != NULL);
        if (!key) continue;
        CHECK_EQUAL(SecKeyGetBlockSize(key), 3);
        CFErrorRef error = NULL;
        CHECK(!SecKeyCopyExternalRepresentation(key, &error));
        CHECK_EQUAL(code_of(&error), errSecUnimplemented);
        CHECK(!SecKeyCopyPublicKey(key));
        uint8_t signature[4];
        size_t length = sizeof signature;
        CHECK_EQUAL(SecKeyRawSign(key, kSecPaddingPKCS1, (const uint8_t *)"text", 4, signature, &length), errSecSuccess);
        CFRelease(key);
    }
}

static void what_is_no_table_makes_no_key(void) {
    uint8_t mask = 1;
    CHECK(SecKeyCreate(NULL, NULL, &mask, 1, kSecKeyEncodingRaw) == NULL);
    CHECK(SecKeyCreate(NULL, &full, &mask, -1, kSecKeyEncodingRaw) == NULL);
    SecKeyDescriptor table = full;
    table.version = 5;
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
    other_forms_follow_from_a_digest_algorithm();
    earlier_tables_end_earlier();
    what_is_no_table_makes_no_key();
    return all_is_well();
}
