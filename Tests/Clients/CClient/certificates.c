// A program that reads certificates, keeps them in the keychain and judges them. It is given, in this order, files in DER:
// a certificate for www.example.com, the one of its issuer, and an unrelated one.
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <dispatch/dispatch.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static CFDataRef leaf_data, issuer_data, other_data;

static SecCertificateRef new_certificate(CFDataRef data) {
    SecCertificateRef certificate = SecCertificateCreateWithData(kCFAllocatorDefault, data);
    if (!certificate) {
        printf("NOT OK: no certificate\n");
        exit(2);
    }
    return certificate;
}

static void certificates_are_objects_like_others(void) {
    SecCertificateRef first = new_certificate(leaf_data), second = new_certificate(leaf_data),
                      other = new_certificate(other_data);
    CHECK_EQUAL(CFGetTypeID(first), SecCertificateGetTypeID());
    CHECK(SecCertificateGetTypeID() != SecKeyGetTypeID());
    CHECK_EQUAL(swift_retainCount(first), 1);
    CFRetain(first);
    CHECK_EQUAL(swift_retainCount(first), 2);
    CFRelease(first);
    CHECK(first != second);
    CHECK(CFEqual(first, second));
    CHECK_EQUAL(CFHash(first), CFHash(second));
    CHECK(!CFEqual(first, other));
    CHECK(!CFEqual(first, leaf_data));
    CFStringRef text = CFCopyDescription(first);
    CHECK(text && CFStringGetLength(text) > 0);
    if (text) CFRelease(text);

    // Collections find them by value.
    const void *elements[] = {first, other};
    CFArrayRef array = CFArrayCreate(NULL, elements, 2, &kCFTypeArrayCallBacks);
    CHECK(CFArrayContainsValue(array, CFRangeMake(0, 2), second));
    CFRelease(array);
    CFSetRef set = CFSetCreate(NULL, elements, 2, &kCFTypeSetCallBacks);
    CHECK(CFSetContainsValue(set, second));
    CFRelease(set);
    CHECK_EQUAL(swift_retainCount(first), 1);
    CFRelease(first);
    CFRelease(second);
    CFRelease(other);
}

static void certificates_say_what_is_in_them(void) {
    SecCertificateRef certificate = new_certificate(leaf_data);
    CFDataRef data = SecCertificateCopyData(certificate);
    CHECK(CFEqual(data, leaf_data));
    CHECK_EQUAL(swift_retainCount(data), 1);
    CFRelease(data);

    CFStringRef summary = SecCertificateCopySubjectSummary(certificate), name = NULL;
    CHECK(summary && CFEqual(summary, CFSTR("www.example.com")));
    CHECK_EQUAL(SecCertificateCopyCommonName(certificate, &name), errSecSuccess);
    CHECK(name && CFEqual(name, CFSTR("www.example.com")));
    CHECK(name && swift_retainCount(name) == 1);
    if (summary) CFRelease(summary);
    if (name) CFRelease(name);

    CFArrayRef addresses = NULL;
    CHECK_EQUAL(SecCertificateCopyEmailAddresses(certificate, &addresses), errSecSuccess);
    CHECK(addresses && CFArrayGetCount(addresses) == 1);
    CHECK(addresses && CFEqual(CFArrayGetValueAtIndex(addresses, 0), CFSTR("post@example.com")));
    if (addresses) CFRelease(addresses);

    CFErrorRef error = NULL;
    CFDataRef serial = SecCertificateCopySerialNumberData(certificate, &error);
    CFDataRef earlier = SecCertificateCopySerialNumber(certificate, NULL), short_form = SecCertificateCopySerialNumber(certificate);
    CHECK(serial && earlier && short_form && CFEqual(serial, earlier) && CFEqual(serial, short_form));
    CHECK(error == NULL);
    if (serial) CFRelease(serial);
    if (earlier) CFRelease(earlier);
    if (short_form) CFRelease(short_form);

    CFDateRef from = SecCertificateCopyNotValidBeforeDate(certificate), to = SecCertificateCopyNotValidAfterDate(certificate);
    CHECK(from && to && CFDateCompare(from, to, NULL) == kCFCompareLessThan);
    if (from) CFRelease(from);
    if (to) CFRelease(to);

    CFDataRef issuer = SecCertificateCopyNormalizedIssuerSequence(certificate);
    CFDataRef content = SecCertificateCopyNormalizedIssuerContent(certificate, NULL);
    CHECK(issuer && content && CFDataGetLength(issuer) > CFDataGetLength(content));
    // What a function with "Get" in its name returns is lent, and the same each time.
    CFDataRef lent = SecCertificateGetNormalizedIssuerContent(certificate);
    CHECK(lent && CFEqual(lent, content));
    CHECK(lent == SecCertificateGetNormalizedIssuerContent(certificate));
    CHECK(lent && swift_retainCount(lent) == 1);
    CFDataRef subject = SecCertificateGetNormalizedSubjectContent(certificate);
    CHECK(subject && subject != lent && !CFEqual(subject, lent));
    CFDataRef normalized = issuer ? SecDistinguishedNameCopyNormalizedContent(issuer) : NULL;
    CHECK(normalized && CFEqual(normalized, lent));
    if (normalized) CFRelease(normalized);
    if (issuer) CFRelease(issuer);
    if (content) CFRelease(content);
    issuer = SecCertificateCopyNormalizedSubjectSequence(certificate);
    CHECK(issuer != NULL);
    if (issuer) CFRelease(issuer);
    content = SecCertificateCopyNormalizedSubjectContent(certificate, NULL);
    CHECK(content && CFEqual(content, subject));
    if (content) CFRelease(content);

    CFDictionaryRef values = SecCertificateCopyValues(certificate, NULL, &error);
    CHECK(values && CFDictionaryGetCount(values) > 3 && CFDictionaryContainsKey(values, kSecOIDX509V1SubjectName));
    if (values) CFRelease(values);
    const void *wanted[] = {kSecOIDX509V1SerialNumber};
    CFArrayRef keys = CFArrayCreate(NULL, wanted, 1, &kCFTypeArrayCallBacks);
    values = SecCertificateCopyValues(certificate, keys, NULL);
    CHECK(values && CFDictionaryGetCount(values) == 1);
    if (values) CFRelease(values);
    CFRelease(keys);
    CFStringRef text = SecCertificateCopyLongDescription(NULL, certificate, NULL);
    CHECK(text && CFStringGetLength(text) > 0);
    if (text) CFRelease(text);
    text = SecCertificateCopyShortDescription(NULL, certificate, NULL);
    CHECK(text && CFStringGetLength(text) > 0);
    if (text) CFRelease(text);

    const UInt8 *bytes = CFDataGetBytePtr(leaf_data);
    SecCertificateRef again = SecCertificateCreateWithBytes(NULL, bytes, CFDataGetLength(leaf_data));
    CHECK(again && CFEqual(again, certificate));
    if (again) CFRelease(again);
    for (CFIndex length = 0; length < CFDataGetLength(leaf_data); length++) {
        CHECK(SecCertificateCreateWithBytes(NULL, bytes, length) == NULL);
    }
    CHECK(SecCertificateCreateWithBytes(NULL, bytes, -1) == NULL);
    CFRelease(certificate);
}

static void public_keys_are_objects_like_others(void) {
    SecCertificateRef certificate = new_certificate(leaf_data);
    SecKeyRef key = SecCertificateCopyKey(certificate), same = NULL, short_form = SecCertificateCopyPublicKey(certificate);
    CHECK(key != NULL);
    CHECK_EQUAL(SecCertificateCopyPublicKey(certificate, &same), errSecSuccess);
    CHECK(same && short_form && CFEqual(same, key) && CFEqual(short_form, key) && CFHash(same) == CFHash(key));
    if (short_form) CFRelease(short_form);
    if (same) CFRelease(same);
    CFRelease(certificate);
    if (!key) return;

    CHECK_EQUAL(CFGetTypeID(key), SecKeyGetTypeID());
    CHECK_EQUAL(swift_retainCount(key), 1);
    CHECK_EQUAL(SecKeyGetBlockSize(key), 32);
    CHECK_EQUAL(SecKeyGetSize(key, kSecKeyKeySizeInBits), 256);
    CHECK_EQUAL(SecKeyGetSize(key, kSecKeySignatureSize), 72);
    CHECK_EQUAL(SecKeyGetSize(key, (SecKeySize)77), 0);

    CFErrorRef error = NULL;
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error), public_bytes = NULL;
    CHECK(bytes && CFDataGetLength(bytes) == 65);
    CHECK_EQUAL(SecKeyCopyPublicBytes(key, &public_bytes), errSecSuccess);
    CHECK(bytes && public_bytes && CFEqual(bytes, public_bytes));
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    CHECK(attributes && CFEqual(CFDictionaryGetValue(attributes, kSecAttrKeyClass), kSecAttrKeyClassPublic));
    if (bytes && attributes) {
        SecKeyRef again = SecKeyCreateWithData(bytes, attributes, &error);
        CHECK(again && CFEqual(again, key));
        if (again) CFRelease(again);
        again = SecKeyCreateECPublicKey(NULL, CFDataGetBytePtr(bytes), CFDataGetLength(bytes), kSecKeyEncodingRaw);
        CHECK(again && CFEqual(again, key));
        if (again) CFRelease(again);
        CHECK(SecKeyCreateRSAPublicKey(NULL, CFDataGetBytePtr(bytes), CFDataGetLength(bytes), kSecKeyEncodingPkcs1) == NULL);
        CHECK(SecKeyCreateECPublicKey(NULL, CFDataGetBytePtr(bytes), 5, kSecKeyEncodingRaw) == NULL);
        CHECK(SecKeyCreateECPrivateKey(NULL, CFDataGetBytePtr(bytes), 65, kSecKeyEncodingRaw) == NULL);
        CHECK(SecKeyCreateRSAPrivateKey(NULL, CFDataGetBytePtr(bytes), 65, kSecKeyEncodingPkcs1) == NULL);
    }
    CHECK(error == NULL);
    SecKeyRef public_half = SecKeyCopyPublicKey(key);
    CHECK(public_half && CFEqual(public_half, key));
    if (public_half) CFRelease(public_half);

    // A public key cannot sign: there is an error, not only NULL.
    CHECK(bytes && SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, bytes, &error) == NULL);
    CHECK(error != NULL);
    if (error) {
        CHECK_EQUAL(CFGetTypeID(error), CFErrorGetTypeID());
        CHECK(CFErrorGetCode(error) != 0);
        CHECK_EQUAL(swift_retainCount(error), 1);
        CFRelease(error);
    }
    if (attributes) CFRelease(attributes);
    if (bytes) CFRelease(bytes);
    if (public_bytes) CFRelease(public_bytes);
    CFRelease(key);
}

static void certificates_are_items_of_the_keychain(void) {
    SecCertificateRef certificate = new_certificate(leaf_data);
    CFMutableDictionaryRef query = new_dictionary();
    CFDictionarySetValue(query, kSecValueRef, certificate);
    CFDictionarySetValue(query, kSecAttrLabel, CFSTR("mine"));
    CHECK_EQUAL(SecItemAdd(query, NULL), errSecSuccess);
    CHECK_EQUAL(SecItemAdd(query, NULL), errSecDuplicateItem);
    CHECK_EQUAL(SecCertificateAddToKeychain(certificate, NULL), errSecDuplicateItem);

    CFMutableDictionaryRef search = new_dictionary();
    CFDictionarySetValue(search, kSecClass, kSecClassCertificate);
    CFDictionarySetValue(search, kSecAttrLabel, CFSTR("mine"));
    CFDictionarySetValue(search, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef found = NULL;
    CHECK_EQUAL(SecItemCopyMatching(search, &found), errSecSuccess);
    CHECK(found && CFGetTypeID(found) == SecCertificateGetTypeID() && CFEqual(found, certificate));
    CHECK(found && swift_retainCount(found) == 1);
    if (found) CFRelease(found);

    // With attributes, the object is in a dictionary; with no limit, in an array.
    CFDictionarySetValue(search, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(search, kSecMatchLimit, kSecMatchLimitAll);
    found = NULL;
    CHECK_EQUAL(SecItemCopyMatching(search, &found), errSecSuccess);
    CHECK(found && CFGetTypeID(found) == CFArrayGetTypeID() && CFArrayGetCount(found) == 1);
    if (found) {
        CFDictionaryRef item = CFArrayGetValueAtIndex(found, 0);
        CHECK(CFEqual(CFDictionaryGetValue(item, kSecValueRef), certificate));
        CHECK_EQUAL(CFGetTypeID(CFDictionaryGetValue(item, kSecAttrAccessControl)), SecAccessControlGetTypeID());
        CFRelease(found);
    }
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CHECK_EQUAL(SecCertificateAddToKeychain(certificate, NULL), errSecSuccess);
    CFDictionaryRemoveValue(query, kSecAttrLabel);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(search);
    CFRelease(query);
    CFRelease(certificate);
}

static void policies_are_objects_like_others(void) {
    SecPolicyRef basic = SecPolicyCreateBasicX509(), server = SecPolicyCreateSSL(true, CFSTR("www.example.com"));
    SecPolicyRef same = SecPolicyCreateSSL(2, CFSTR("www.example.com")), any = SecPolicyCreateSSL(true, NULL);
    CHECK(basic && server && same && any);
    CHECK_EQUAL(CFGetTypeID(basic), SecPolicyGetTypeID());
    CHECK_EQUAL(swift_retainCount(basic), 1);
    CHECK(CFEqual(server, same) && !CFEqual(server, basic) && !CFEqual(server, any));
    CFDictionaryRef properties = SecPolicyCopyProperties(server);
    CHECK(properties && CFEqual(CFDictionaryGetValue(properties, kSecPolicyOid), kSecPolicyAppleSSL));
    CHECK(properties && CFEqual(CFDictionaryGetValue(properties, kSecPolicyName), CFSTR("www.example.com")));
    if (properties) CFRelease(properties);
    SecPolicyRef named = SecPolicyCreateWithProperties(kSecPolicyAppleX509Basic, NULL);
    CHECK(named && CFEqual(named, basic));
    if (named) CFRelease(named);
    CHECK(SecPolicyCreateWithProperties(CFSTR("nonsense"), NULL) == NULL);
    SecPolicyRef revocation = SecPolicyCreateRevocation(kSecRevocationOCSPMethod);
    CHECK(revocation != NULL);
    if (revocation) CFRelease(revocation);
    CHECK(SecPolicyCreateRevocation(0) == NULL);
    CHECK(SecPolicyCreateSSL(true, (CFStringRef)basic) == NULL);
    CFRelease(basic);
    CFRelease(server);
    CFRelease(same);
    CFRelease(any);
}

static SecTrustRef new_trust(SecCertificateRef leaf, SecCertificateRef anchor) {
    SecPolicyRef policy = SecPolicyCreateSSL(true, CFSTR("www.example.com"));
    SecTrustRef trust = NULL;
    CHECK_EQUAL(SecTrustCreateWithCertificates(leaf, policy, &trust), errSecSuccess);
    CFRelease(policy);
    if (!trust) exit(2);
    const void *anchors[] = {anchor};
    CFArrayRef array = CFArrayCreate(NULL, anchors, 1, &kCFTypeArrayCallBacks);
    CHECK_EQUAL(SecTrustSetAnchorCertificates(trust, array), errSecSuccess);
    CFRelease(array);
    return trust;
}

static void certificates_are_judged(void) {
    SecCertificateRef leaf = new_certificate(leaf_data), issuer = new_certificate(issuer_data),
                      other = new_certificate(other_data);
    SecTrustRef trust = new_trust(leaf, issuer);
    CHECK_EQUAL(CFGetTypeID(trust), SecTrustGetTypeID());
    CHECK_EQUAL(swift_retainCount(trust), 1);
    CFErrorRef error = NULL;
    CHECK(SecTrustEvaluateWithError(trust, &error));
    CHECK(error == NULL);
    SecTrustResultType result = kSecTrustResultInvalid;
    CHECK_EQUAL(SecTrustEvaluate(trust, &result), errSecSuccess);
    CHECK_EQUAL(result, kSecTrustResultUnspecified);
    result = kSecTrustResultInvalid;
    CHECK_EQUAL(SecTrustGetTrustResult(trust, &result), errSecSuccess);
    CHECK_EQUAL(result, kSecTrustResultUnspecified);

    CFArrayRef chain = SecTrustCopyCertificateChain(trust);
    CHECK(chain && CFArrayGetCount(chain) == 2 && CFEqual(CFArrayGetValueAtIndex(chain, 0), leaf) &&
          CFEqual(CFArrayGetValueAtIndex(chain, 1), issuer));
    CHECK_EQUAL(SecTrustGetCertificateCount(trust), 2);
    SecCertificateRef lent = SecTrustGetCertificateAtIndex(trust, 1);
    CHECK(lent && CFEqual(lent, issuer) && swift_retainCount(lent) == 1);
    CHECK(lent == SecTrustGetCertificateAtIndex(trust, 1));
    CHECK(SecTrustGetCertificateAtIndex(trust, 2) == NULL);
    CHECK(SecTrustGetCertificateAtIndex(trust, -1) == NULL);
    if (chain) CFRelease(chain);

    SecKeyRef key = SecTrustCopyKey(trust), same_key = SecTrustCopyPublicKey(trust);
    CHECK(key && same_key && CFEqual(key, same_key) && CFGetTypeID(key) == SecKeyGetTypeID());
    if (key) CFRelease(key);
    if (same_key) CFRelease(same_key);
    CFDictionaryRef details = SecTrustCopyResult(trust);
    CHECK(details == NULL || CFGetTypeID(details) == CFDictionaryGetTypeID());
    if (details) CFRelease(details);
    CFArrayRef properties = SecTrustCopyProperties(trust);
    if (properties) CFRelease(properties);
    CFArrayRef policies = NULL, anchors = NULL;
    CHECK_EQUAL(SecTrustCopyPolicies(trust, &policies), errSecSuccess);
    CHECK(policies && CFGetTypeID(CFArrayGetValueAtIndex(policies, 0)) == SecPolicyGetTypeID());
    CHECK_EQUAL(SecTrustCopyCustomAnchorCertificates(trust, &anchors), errSecSuccess);
    CHECK(anchors && CFEqual(CFArrayGetValueAtIndex(anchors, 0), issuer));
    CHECK_EQUAL(SecTrustSetPolicies(trust, policies), errSecSuccess);
    if (policies) CFRelease(policies);
    if (anchors) CFRelease(anchors);

    Boolean fetches = 7;
    CHECK_EQUAL(SecTrustSetNetworkFetchAllowed(trust, 0), errSecSuccess);
    CHECK_EQUAL(SecTrustGetNetworkFetchAllowed(trust, &fetches), errSecSuccess);
    CHECK_EQUAL(fetches, 0);
    CFDateRef long_ago = CFDateCreate(NULL, 0);
    CHECK_EQUAL(SecTrustSetVerifyDate(trust, long_ago), errSecSuccess);
    CHECK_EQUAL(SecTrustGetVerifyTime(trust), 0);
    CFRelease(long_ago);
    CHECK(!SecTrustEvaluateWithError(trust, NULL));
    CHECK(!SecTrustEvaluateWithError(trust, &error));
    CHECK(error && CFGetTypeID(error) == CFErrorGetTypeID() && CFErrorGetCode(error) == errSecCertificateNotValidYet);
    if (error) CFRelease(error);
    CFRelease(trust);

    // Another anchor.
    trust = new_trust(leaf, other);
    error = NULL;
    CHECK(!SecTrustEvaluateWithError(trust, &error));
    CHECK(error && swift_retainCount(error) == 1);
    CFStringRef text = error ? CFErrorCopyDescription(error) : NULL;
    CHECK(text && CFStringGetLength(text) > 0);
    if (text) CFRelease(text);
    if (error) CFRelease(error);
    CFRelease(trust);
    CFRelease(leaf);
    CFRelease(issuer);
    CFRelease(other);
}

static void certificates_are_judged_on_a_queue(void) {
    SecCertificateRef leaf = new_certificate(leaf_data), issuer = new_certificate(issuer_data);
    SecTrustRef trust = new_trust(leaf, issuer);
    dispatch_queue_t queue = dispatch_queue_create("judge", NULL);
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    __block bool trusted = false;
    CHECK_EQUAL(SecTrustEvaluateAsyncWithError(trust, queue, ^(SecTrustRef judged, bool result, CFErrorRef error) {
        trusted = result && error == NULL && judged == trust;
        dispatch_semaphore_signal(done);
    }), errSecSuccess);
    CHECK(dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 60 * NSEC_PER_SEC)) == 0);
    CHECK(trusted);
    __block SecTrustResultType outcome = kSecTrustResultInvalid;
    CHECK_EQUAL(SecTrustEvaluateAsync(trust, NULL, ^(SecTrustRef judged, SecTrustResultType result) {
        (void)judged;
        outcome = result;
        dispatch_semaphore_signal(done);
    }), errSecSuccess);
    // It is kept until it has been judged.
    CFRelease(trust);
    CHECK(dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 60 * NSEC_PER_SEC)) == 0);
    CHECK_EQUAL(outcome, kSecTrustResultUnspecified);
    dispatch_sync(queue, ^{});
    dispatch_release(queue);
    dispatch_release(done);
    CFRelease(leaf);
    CFRelease(issuer);
}

static void web_credentials_report_that_there_are_none(void) {
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    __block CFIndex code = 0;
    SecAddSharedWebCredential(CFSTR("example.com"), CFSTR("ada"), NULL, ^(CFErrorRef error) {
        code = error ? CFErrorGetCode(error) : 0;
        dispatch_semaphore_signal(done);
    });
    CHECK(dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 60 * NSEC_PER_SEC)) == 0);
    CHECK_EQUAL(code, errSecUnimplemented);
    SecRequestSharedWebCredential(NULL, NULL, ^(CFArrayRef credentials, CFErrorRef error) {
        code = credentials || !error ? 0 : CFErrorGetCode(error) + 1;
        dispatch_semaphore_signal(done);
    });
    CHECK(dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 60 * NSEC_PER_SEC)) == 0);
    CHECK_EQUAL(code, errSecUnimplemented + 1);
    dispatch_release(done);
    CFStringRef password = SecCreateSharedWebCredentialPassword();
    CHECK(password && CFStringGetLength(password) == 15);
    if (password) CFRelease(password);
}

static void access_controls_say_what_they_demand(void) {
    SecAccessControlRef control = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleWhenUnlocked, kSecAccessControlBiometryAny | kSecAccessControlOr | kSecAccessControlDevicePasscode, NULL);
    CHECK(control != NULL);
    if (!control) return;
    CHECK(CFEqual(SecAccessControlGetProtection(control), kSecAttrAccessibleWhenUnlocked));
    CFTypeRef reading = SecAccessControlGetConstraint(control, CFSTR("od"));
    CHECK(reading && CFGetTypeID(reading) == CFDictionaryGetTypeID() && CFDictionaryContainsKey(reading, CFSTR("ckon")));
    CFTypeRef choice = reading ? CFDictionaryGetValue(reading, CFSTR("ckon")) : NULL;
    CHECK(choice && CFDictionaryContainsKey(choice, CFSTR("cbio")) && CFDictionaryContainsKey(choice, CFSTR("cup")));
    CHECK(SecAccessControlGetConstraint(control, CFSTR("odel")) == kCFBooleanTrue);
    CHECK(SecAccessControlGetConstraint(control, CFSTR("nope")) == NULL);
    SecAccessControlRef plain = SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked, 0, NULL);
    CHECK(plain && SecAccessControlGetConstraint(plain, CFSTR("od")) == kCFBooleanTrue);
    CHECK(plain && !CFEqual(plain, control));
    CFStringRef text = CFCopyDescription(plain);
    CHECK(text && CFEqual(text, CFSTR("<SecAccessControlRef: ak>")));
    if (text) CFRelease(text);
    if (plain) CFRelease(plain);
    CFRelease(control);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    leaf_data = read_file(arguments[1]);
    issuer_data = read_file(arguments[2]);
    other_data = read_file(arguments[3]);
    certificates_are_objects_like_others();
    certificates_say_what_is_in_them();
    public_keys_are_objects_like_others();
    certificates_are_items_of_the_keychain();
    policies_are_objects_like_others();
    certificates_are_judged();
    certificates_are_judged_on_a_queue();
    web_credentials_report_that_there_are_none();
    access_controls_say_what_they_demand();
    CFRelease(leaf_data);
    CFRelease(issuer_data);
    CFRelease(other_data);
    return all_is_well();
}
