// A program that calls each function as often as it is told and releases what it owns, for a tool that finds what nobody
// does: leaks TIMES LEAF.der ISSUER.der. With a fourth argument, it forgets one release each time.
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <dispatch/dispatch.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int forgets;
static CFDataRef leaf_data, issuer_data;

/// Releases what a function returned, if it returned anything.
static void done_with(const void *object) {
    if (object) CFRelease(object);
}

static void items(int round) {
    CFMutableDictionaryRef query = new_dictionary(), changes = new_dictionary();
    CFStringRef account = CFStringCreateWithFormat(NULL, NULL, CFSTR("account-%d"), round);
    CFDataRef data = new_data("secret", 6);
    CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(query, kSecAttrAccount, account);
    CFDictionarySetValue(query, kSecValueData, data);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFTypeRef result = NULL;
    CHECK_EQUAL(SecItemAdd(query, &result), errSecSuccess);
    done_with(result);
    CHECK_EQUAL(SecItemAdd(query, &result), errSecDuplicateItem);
    result = NULL;
    CHECK_EQUAL(SecItemCopyMatching(query, &result), errSecSuccess);
    if (!forgets) done_with(result);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    result = NULL;
    CHECK_EQUAL(SecItemCopyMatching(query, &result), errSecSuccess);
    done_with(result);
    CHECK_EQUAL(SecItemCopyMatching(query, NULL), errSecSuccess);
    CFDictionaryRemoveValue(query, kSecMatchLimit);
    CFDictionaryRemoveValue(query, kSecReturnData);
    CFDictionaryRemoveValue(query, kSecReturnAttributes);
    CFDictionarySetValue(changes, kSecAttrComment, CFSTR("changed"));
    CHECK_EQUAL(SecItemUpdate(query, changes), errSecSuccess);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CHECK_EQUAL(SecItemDelete(query), errSecItemNotFound);
    CHECK_EQUAL(SecItemDelete(changes), errSecParam);
    CFRelease(data);
    CFRelease(account);
    CFRelease(changes);
    CFRelease(query);
}

static void certificates(void) {
    SecCertificateRef certificate = SecCertificateCreateWithData(NULL, leaf_data);
    CFErrorRef error = NULL;
    CFTypeRef out = NULL;
    done_with(SecCertificateCreateWithBytes(NULL, (const UInt8 *)"x", 1));
    done_with(SecCertificateCopyData(certificate));
    done_with(SecCertificateCopySubjectSummary(certificate));
    SecCertificateCopyCommonName(certificate, (CFStringRef *)&out);
    done_with(out);
    out = NULL;
    SecCertificateCopyEmailAddresses(certificate, (CFArrayRef *)&out);
    done_with(out);
    done_with(SecCertificateCopyNormalizedIssuerSequence(certificate));
    done_with(SecCertificateCopyNormalizedSubjectSequence(certificate));
    done_with(SecCertificateCopyNormalizedIssuerContent(certificate, &error));
    done_with(SecCertificateCopyNormalizedSubjectContent(certificate, &error));
    done_with(SecCertificateCopySerialNumberData(certificate, &error));
    done_with(SecCertificateCopySerialNumber(certificate, &error));
    done_with(SecCertificateCopyNotValidBeforeDate(certificate));
    done_with(SecCertificateCopyNotValidAfterDate(certificate));
    done_with(SecCertificateCopyValues(certificate, NULL, &error));
    done_with(SecCertificateCopyLongDescription(NULL, certificate, &error));
    done_with(SecCertificateCopyShortDescription(NULL, certificate, &error));
    SecCertificateGetNormalizedIssuerContent(certificate);
    SecCertificateGetNormalizedSubjectContent(certificate);
    SecCertificateGetNormalizedIssuerContent(certificate);
    done_with(SecDistinguishedNameCopyNormalizedContent(leaf_data));
    done_with(CFCopyDescription(certificate));
    CHECK(error == NULL);
    CFMutableDictionaryRef query = new_dictionary();
    CFDictionarySetValue(query, kSecValueRef, certificate);
    CHECK_EQUAL(SecCertificateAddToKeychain(certificate, NULL), errSecSuccess);
    CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    out = NULL;
    CHECK_EQUAL(SecItemCopyMatching(query, &out), errSecSuccess);
    done_with(out);
    CFDictionaryRemoveValue(query, kSecReturnRef);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);

    SecKeyRef key = SecCertificateCopyKey(certificate);
    out = NULL;
    SecCertificateCopyPublicKey(certificate, (SecKeyRef *)&out);
    done_with(out);
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error);
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    done_with(SecKeyCopyPublicKey(key));
    done_with(SecKeyCreateWithData(bytes, attributes, &error));
    CHECK(error == NULL);
    done_with(SecKeyCreateWithData(leaf_data, attributes, &error));
    CHECK(error != NULL);
    done_with(error);
    error = NULL;
    done_with(SecKeyCreateRandomKey(attributes, &error));
    done_with(error);
    error = NULL;
    SecKeyGeneratePair(attributes, NULL, NULL);
    done_with(SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, bytes, &error));
    done_with(error);
    error = NULL;
    SecKeyVerifySignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, bytes, bytes, &error);
    done_with(error);
    error = NULL;
    done_with(SecKeyCreateEncryptedData(key, kSecKeyAlgorithmRSAEncryptionRaw, bytes, &error));
    done_with(error);
    error = NULL;
    done_with(SecKeyCreateDecryptedData(key, kSecKeyAlgorithmRSAEncryptionRaw, bytes, &error));
    done_with(error);
    error = NULL;
    done_with(SecKeyCopyKeyExchangeResult(key, kSecKeyAlgorithmECDHKeyExchangeStandard, key, attributes, &error));
    done_with(error);
    error = NULL;
    SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, kSecKeyAlgorithmRSASignatureRaw);
    SecKeyGetBlockSize(key);
    SecKeyGetSize(key, kSecKeySignatureSize);
    out = NULL;
    SecKeyCopyPublicBytes(key, (CFDataRef *)&out);
    done_with(out);
    done_with(SecKeyCreateECPublicKey(NULL, CFDataGetBytePtr(bytes), CFDataGetLength(bytes), kSecKeyEncodingRaw));
    done_with(SecIdentityCreate(NULL, certificate, key));
    out = NULL;
    SecIdentityCreateWithCertificate(NULL, certificate, (SecIdentityRef *)&out);
    done_with(out);
    done_with(SecIdentityCopyPreferred(CFSTR("x"), NULL, NULL));
    SecPKCS12Import(leaf_data, attributes, (CFArrayRef *)&out);
    CFRelease(attributes);
    CFRelease(bytes);
    CFRelease(key);
    CFRelease(certificate);
}

static void trust_objects(void) {
    SecCertificateRef leaf = SecCertificateCreateWithData(NULL, leaf_data),
                      issuer = SecCertificateCreateWithData(NULL, issuer_data);
    SecPolicyRef policy = SecPolicyCreateSSL(true, CFSTR("www.example.com")), basic = SecPolicyCreateBasicX509();
    done_with(SecPolicyCopyProperties(policy));
    done_with(SecPolicyCreateRevocation(kSecRevocationOCSPMethod));
    done_with(SecPolicyCreateWithProperties(kSecPolicyAppleX509Basic, NULL));
    done_with(SecPolicyCreateWithProperties(CFSTR("x"), NULL));
    SecTrustRef trust = NULL;
    CHECK_EQUAL(SecTrustCreateWithCertificates(leaf, policy, &trust), errSecSuccess);
    CFErrorRef error = NULL;
    CHECK(!SecTrustEvaluateWithError(trust, &error));
    done_with(error);
    error = NULL;
    CHECK(!SecTrustEvaluateWithError(trust, NULL));
    CFArrayRef anchors = CFArrayCreate(NULL, (const void **)&issuer, 1, &kCFTypeArrayCallBacks), array = NULL;
    CHECK_EQUAL(SecTrustSetAnchorCertificates(trust, anchors), errSecSuccess);
    CHECK_EQUAL(SecTrustSetAnchorCertificatesOnly(trust, true), errSecSuccess);
    CHECK(SecTrustEvaluateWithError(trust, &error));
    CHECK(error == NULL);
    SecTrustResultType result;
    SecTrustEvaluate(trust, &result);
    SecTrustGetTrustResult(trust, &result);
    done_with(SecTrustCopyCertificateChain(trust));
    SecTrustGetCertificateAtIndex(trust, 0);
    SecTrustGetCertificateAtIndex(trust, 1);
    SecTrustGetCertificateAtIndex(trust, 0);
    done_with(SecTrustCopyResult(trust));
    done_with(SecTrustCopyKey(trust));
    done_with(SecTrustCopyPublicKey(trust));
    done_with(SecTrustCopyProperties(trust));
    CFDataRef exceptions = SecTrustCopyExceptions(trust);
    SecTrustSetExceptions(trust, exceptions);
    done_with(exceptions);
    SecTrustCopyPolicies(trust, &array);
    done_with(array);
    array = NULL;
    SecTrustCopyCustomAnchorCertificates(trust, &array);
    done_with(array);
    SecTrustSetPolicies(trust, basic);
    CFDateRef date = CFDateCreate(NULL, 7e8);
    SecTrustSetVerifyDate(trust, date);
    CFRelease(date);
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    SecTrustEvaluateAsyncWithError(trust, dispatch_get_global_queue(0, 0), ^(SecTrustRef t, bool good, CFErrorRef e) {
        (void)t, (void)good, (void)e;
        dispatch_semaphore_signal(done);
    });
    SecTrustEvaluateAsync(trust, NULL, ^(SecTrustRef t, SecTrustResultType outcome) {
        (void)t, (void)outcome;
        dispatch_semaphore_signal(done);
    });
    SecAddSharedWebCredential(CFSTR("example.com"), CFSTR("x"), NULL, ^(CFErrorRef e) {
        (void)e;
        dispatch_semaphore_signal(done);
    });
    for (int index = 0; index < 3; index++) dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    dispatch_release(done);
    CFRelease(anchors);
    CFRelease(trust);
    CFRelease(basic);
    CFRelease(policy);
    CFRelease(issuer);
    CFRelease(leaf);
}

static void others(void) {
    CFErrorRef error = NULL;
    SecAccessControlRef control = SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleAlways,
                                                                  kSecAccessControlUserPresence, &error);
    SecAccessControlGetProtection(control);
    SecAccessControlGetConstraint(control, CFSTR("od"));
    SecAccessControlGetConstraint(control, CFSTR("od"));
    done_with(control);
    done_with(SecAccessControlCreateWithFlags(NULL, CFSTR("nonsense"), 0, &error));
    done_with(error);
    done_with(SecAccessControlCreateWithFlags(NULL, CFSTR("nonsense"), 0, NULL));
    done_with(SecCopyErrorMessageString(errSecParam, NULL));
    done_with(SecCopyErrorMessageString(1, NULL));
    done_with(SecCreateSharedWebCredentialPassword());
    SecAccessControlRef built = SecAccessControlCreate(NULL, NULL);
    CFTypeRef passcode = SecAccessConstraintCreatePasscode(NULL);
    SecAccessControlSetProtection(built, kSecAttrAccessibleAlways, NULL);
    SecAccessControlAddConstraintForOperation(built, kAKSKeyOpDecrypt, passcode, NULL);
    SecAccessControlGetConstraints(built);
    CFDataRef encoded = SecAccessControlCopyData(built);
    done_with(SecAccessControlCreateFromData(NULL, encoded, NULL));
    done_with(encoded);
    done_with(passcode);
    done_with(built);
    const SecKeyDescriptor table = {.version = kSecKeyDescriptorVersion, .extraBytes = 64};
    SecKeyRef custom = SecKeyCreate(NULL, &table, NULL, 0, kSecKeyEncodingRaw);
    CFErrorRef refusal = NULL;
    done_with(SecKeyCreateSignature(custom, kSecKeyAlgorithmRSASignatureRaw, leaf_data, &refusal));
    done_with(SecKeyCreateSignature(custom, kSecKeyAlgorithmRSASignatureRaw, leaf_data, NULL));
    done_with(refusal);
    done_with(custom);
    done_with(SecPasswordGenerate(kSecPasswordTypeWifi, NULL, NULL));
    done_with(SecPasswordCopyDefaultPasswordLength(kSecPasswordTypePIN, NULL));
    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    done_with(SecTaskCopyValueForEntitlement(task, CFSTR("absent"), NULL));
    done_with(SecTaskCopySigningIdentifier(task, NULL));
    done_with(task);
    UInt8 bytes[16];
    CHECK_EQUAL(SecRandomCopyBytes(NULL, sizeof bytes, bytes), errSecSuccess);
}

int main(int count, char **arguments) {
    if (count < 4) return 2;
    int rounds = atoi(arguments[1]);
    leaf_data = read_file(arguments[2]);
    issuer_data = read_file(arguments[3]);
    forgets = count > 4;
    for (int round = 0; round < rounds; round++) {
        items(round);
        certificates();
        trust_objects();
        others();
    }
    CFRelease(leaf_data);
    CFRelease(issuer_data);
    return all_is_well();
}
