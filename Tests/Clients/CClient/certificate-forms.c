// A program that makes objects of odd certificates. It is given files in DER, in this order: a certificate whose time
// is not in UTC, one whose subject is malformed, one with a key on Ed25519, and one whose use of keys is malformed.
#include <Security/Security.h>
#include <stdlib.h>

#include "check.h"

static SecCertificateRef certificate(const char *path) {
    CFDataRef data = read_file(path);
    SecCertificateRef certificate = SecCertificateCreateWithData(kCFAllocatorDefault, data);
    CFRelease(data);
    return certificate;
}

static void a_time_with_an_offset_is_an_instant(const char *path) {
    SecCertificateRef odd = certificate(path);
    CHECK(odd != NULL);
    if (!odd) return;
    CFDateRef from = SecCertificateCopyNotValidBeforeDate(odd);
    // Midnight at an hour and a half east of Greenwich.
    CHECK(from && CFDateGetAbsoluteTime(from) == 599524200);
    if (from) CFRelease(from);

    // It is an object, and nothing that can be verified.
    SecPolicyRef policy = SecPolicyCreateBasicX509();
    SecTrustRef trust = NULL;
    CHECK_EQUAL(SecTrustCreateWithCertificates(odd, policy, &trust), errSecSuccess);
    CFErrorRef error = NULL;
    CHECK(trust && !SecTrustEvaluateWithError(trust, &error));
    CHECK(error && CFErrorGetCode(error) == errSecUnknownFormat);
    if (error) CFRelease(error);
    if (trust) CFRelease(trust);
    CFRelease(policy);
    CFRelease(odd);
}

static void a_malformed_subject_is_absent(const char *path) {
    SecCertificateRef odd = certificate(path);
    CHECK(odd != NULL);
    if (!odd) return;
    CFStringRef summary = SecCertificateCopySubjectSummary(odd);
    CHECK(summary == NULL || CFStringGetLength(summary) == 0);
    if (summary) CFRelease(summary);
    CHECK(SecCertificateCopyNormalizedSubjectSequence(odd) == NULL);
    CFErrorRef error = NULL;
    CHECK(SecCertificateCopyNormalizedSubjectContent(odd, &error) == NULL);
    CHECK(error && CFErrorGetCode(error) == errSecDecode);
    if (error) CFRelease(error);
    CFDataRef issuer = SecCertificateCopyNormalizedIssuerSequence(odd);
    CHECK(issuer != NULL);
    if (issuer) CFRelease(issuer);
    CFRelease(odd);
}

static void a_key_on_edwards_curve_is_an_object(const char *path) {
    SecCertificateRef odd = certificate(path);
    CHECK(odd != NULL);
    if (!odd) return;
    SecKeyRef key = SecCertificateCopyKey(odd);
    CHECK(key && SecKeyGetBlockSize(key) == 32);
    if (key) CFRelease(key);
    CFRelease(odd);
}

int main(int count, char **paths) {
    if (count != 5) return 2;
    a_time_with_an_offset_is_an_instant(paths[1]);
    a_malformed_subject_is_absent(paths[2]);
    a_key_on_edwards_curve_is_an_object(paths[3]);
    CHECK(certificate(paths[4]) == NULL);
    return all_is_well();
}
