// A program that gives each function objects of every type but the right one, and NULL. Nothing may end it, and whatever
// answers with a status, an object or an error must say that something was wrong.
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <dispatch/dispatch.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static CFTypeRef certificate, key, policy, trust, access_control, task, string, data, dictionary, array, date;

/// A call of one function with one argument exchanged. `status` is what it said, `object` what it returned; both are 0
/// and NULL unless the function has them.
typedef struct {
    OSStatus status;
    CFTypeRef object;
    CFErrorRef error;
    long long number;
} Answer;

/// The arguments that calls below take, by number. What is exchanged is one of them.
static CFTypeRef given[8];

typedef Answer (*Call)(void);

static Answer with_status(OSStatus status) { return (Answer){.status = status}; }
static Answer with_object(const void *object) { return (Answer){.object = object}; }
static Answer with_number(long long number) { return (Answer){.number = number}; }
static Answer with_error(const void *object, CFErrorRef error) { return (Answer){.object = object, .error = error}; }

#define G(index) ((void *)given[index])
#define STATUS(name, ...) static Answer name##_call(void) { return with_status(name(__VA_ARGS__)); }
#define OBJECT(name, ...) static Answer name##_call(void) { return with_object(name(__VA_ARGS__)); }
#define NUMBER(name, ...) static Answer name##_call(void) { return with_number((long long)name(__VA_ARGS__)); }
#define STATUS_AND_OBJECT(name, ...)                       \
    static Answer name##_call(void) {                      \
        CFTypeRef out = NULL;                              \
        Answer answer = with_status(name(__VA_ARGS__));    \
        answer.object = out;                               \
        return answer;                                     \
    }
#define OBJECT_OR_ERROR(name, ...)                         \
    static Answer name##_call(void) {                      \
        CFErrorRef error = NULL;                           \
        const void *object = name(__VA_ARGS__);            \
        return with_error(object, error);                  \
    }
#define OUT ((void *)&out)

STATUS_AND_OBJECT(SecItemAdd, G(0), OUT)
STATUS_AND_OBJECT(SecItemCopyMatching, G(0), OUT)
STATUS(SecItemUpdate, G(0), G(1))
STATUS(SecItemDelete, G(0))
OBJECT_OR_ERROR(SecAccessControlCreateWithFlags, NULL, G(0), 0, &error)
OBJECT(SecCertificateCreateWithData, NULL, G(0))
OBJECT(SecCertificateCopyData, G(0))
OBJECT(SecCertificateCopySubjectSummary, G(0))
STATUS_AND_OBJECT(SecCertificateCopyCommonName, G(0), OUT)
STATUS_AND_OBJECT(SecCertificateCopyEmailAddresses, G(0), OUT)
OBJECT(SecCertificateCopyNormalizedIssuerSequence, G(0))
OBJECT(SecCertificateCopyNormalizedSubjectSequence, G(0))
OBJECT_OR_ERROR(SecCertificateCopyNormalizedIssuerContent, G(0), &error)
OBJECT_OR_ERROR(SecCertificateCopyNormalizedSubjectContent, G(0), &error)
OBJECT_OR_ERROR(SecCertificateCopySerialNumberData, G(0), &error)
OBJECT_OR_ERROR(SecCertificateCopySerialNumber, G(0), &error)
OBJECT(SecCertificateCopyNotValidBeforeDate, G(0))
OBJECT(SecCertificateCopyNotValidAfterDate, G(0))
OBJECT(SecCertificateCopyKey, G(0))
STATUS_AND_OBJECT(SecCertificateCopyPublicKey, G(0), OUT)
OBJECT_OR_ERROR(SecCertificateCopyValues, G(0), G(1), &error)
OBJECT_OR_ERROR(SecCertificateCopyLongDescription, NULL, G(0), &error)
OBJECT_OR_ERROR(SecCertificateCopyShortDescription, NULL, G(0), &error)
STATUS(SecCertificateAddToKeychain, G(0), G(1))
OBJECT_OR_ERROR(SecKeyCreateRandomKey, G(0), &error)
STATUS(SecKeyGeneratePair, G(0), NULL, NULL)
OBJECT_OR_ERROR(SecKeyCreateWithData, G(0), G(1), &error)
NUMBER(SecKeyGetBlockSize, G(0))
OBJECT_OR_ERROR(SecKeyCopyExternalRepresentation, G(0), &error)
OBJECT(SecKeyCopyAttributes, G(0))
OBJECT(SecKeyCopyPublicKey, G(0))
OBJECT_OR_ERROR(SecKeyCreateSignature, G(0), G(1), G(2), &error)
OBJECT_OR_ERROR(SecKeyCreateEncryptedData, G(0), G(1), G(2), &error)
OBJECT_OR_ERROR(SecKeyCreateDecryptedData, G(0), G(1), G(2), &error)
OBJECT_OR_ERROR(SecKeyCreateEncryptedDataWithParameters, G(0), G(1), G(2), NULL, &error)
OBJECT_OR_ERROR(SecKeyCreateDecryptedDataWithParameters, G(0), G(1), G(2), NULL, &error)
OBJECT_OR_ERROR(SecKeyCopyKeyExchangeResult, G(0), G(1), G(2), G(3), &error)
NUMBER(SecKeyIsAlgorithmSupported, G(0), 0, G(1))
static Answer SecKeyVerifySignature_call(void) {
    Answer answer = {0};
    answer.number = SecKeyVerifySignature(G(0), G(1), G(2), G(3), &answer.error);
    return answer;
}
static uint8_t memory[600];
static size_t room = sizeof memory;
STATUS(SecKeyRawSign, G(0), 0, memory, 32, memory, &room)
STATUS(SecKeyRawVerify, G(0), 0, memory, 32, memory, 32)
STATUS(SecKeyEncrypt, G(0), 0, memory, 32, memory, &room)
STATUS(SecKeyDecrypt, G(0), 0, memory, 32, memory, &room)
OBJECT(SecIdentityCreate, NULL, G(0), G(1))
STATUS_AND_OBJECT(SecIdentityCreateWithCertificate, NULL, G(0), OUT)
STATUS_AND_OBJECT(SecIdentityCopyCertificate, G(0), OUT)
STATUS_AND_OBJECT(SecIdentityCopyPrivateKey, G(0), OUT)
OBJECT(SecIdentityCopyPreferred, G(0), NULL, NULL)
STATUS(SecIdentitySetPreferred, NULL, G(0), NULL)
STATUS_AND_OBJECT(SecPKCS12Import, G(0), G(1), OUT)
STATUS_AND_OBJECT(SecItemExport, G(0), kSecFormatUnknown, 0, NULL, OUT)
STATUS_AND_OBJECT(SecItemImport, G(0), NULL, NULL, NULL, 0, NULL, NULL, OUT)
OBJECT(SecPolicyCopyProperties, G(0))
OBJECT(SecPolicyCreateWithProperties, G(0), NULL)
STATUS_AND_OBJECT(SecTrustCreateWithCertificates, G(0), NULL, OUT)
STATUS(SecTrustSetPolicies, G(0), G(1))
STATUS_AND_OBJECT(SecTrustCopyPolicies, G(0), OUT)
STATUS(SecTrustSetNetworkFetchAllowed, G(0), 1)
static Boolean allowed;
STATUS(SecTrustGetNetworkFetchAllowed, G(0), &allowed)
STATUS(SecTrustSetAnchorCertificates, G(0), G(1))
STATUS(SecTrustSetAnchorCertificatesOnly, G(0), 1)
STATUS_AND_OBJECT(SecTrustCopyCustomAnchorCertificates, G(0), OUT)
STATUS(SecTrustSetVerifyDate, G(0), G(1))
NUMBER(SecTrustGetVerifyTime, G(0))
static Answer SecTrustEvaluateWithError_call(void) {
    Answer answer = {0};
    answer.number = SecTrustEvaluateWithError(G(0), &answer.error);
    return answer;
}
static SecTrustResultType result;
STATUS(SecTrustEvaluate, G(0), &result)
STATUS(SecTrustGetTrustResult, G(0), &result)
static Answer SecTrustEvaluateAsyncWithError_call(void) {
    return with_status(SecTrustEvaluateAsyncWithError(G(0), dispatch_get_global_queue(0, 0),
                                                      ^(SecTrustRef judged, bool good, CFErrorRef error) {
                                                          (void)judged, (void)good, (void)error;
                                                      }));
}
static Answer SecTrustEvaluateAsync_call(void) {
    return with_status(SecTrustEvaluateAsync(G(0), NULL, ^(SecTrustRef judged, SecTrustResultType outcome) {
        (void)judged, (void)outcome;
    }));
}
OBJECT(SecTrustCopyCertificateChain, G(0))
NUMBER(SecTrustGetCertificateCount, G(0))
OBJECT(SecTrustGetCertificateAtIndex, G(0), 0)
OBJECT(SecTrustCopyResult, G(0))
OBJECT(SecTrustCopyProperties, G(0))
OBJECT(SecTrustCopyExceptions, G(0))
OBJECT(SecTrustCopyKey, G(0))
OBJECT(SecTrustCopyPublicKey, G(0))
NUMBER(SecTrustSetExceptions, G(0), G(1))
STATUS(SecTrustSetOCSPResponse, G(0), NULL)
STATUS(SecTrustSetSignedCertificateTimestamps, G(0), NULL)
STATUS(SecTrustSetOptions, G(0), 0)
STATUS(SecTrustSetKeychains, G(0), NULL)
OBJECT(SecCertificateGetNormalizedIssuerContent, G(0))
OBJECT(SecCertificateGetNormalizedSubjectContent, G(0))
OBJECT(SecDistinguishedNameCopyNormalizedContent, G(0))
NUMBER(SecKeyGetSize, G(0), kSecKeyKeySizeInBits)
STATUS_AND_OBJECT(SecKeyCopyPublicBytes, G(0), OUT)
OBJECT(SecAccessControlGetProtection, G(0))
OBJECT(SecAccessControlGetConstraint, G(0), G(1))
static Answer SecAccessControlSetProtection_call(void) {
    Answer answer = {0};
    answer.number = SecAccessControlSetProtection(G(0), G(1), &answer.error);
    return answer;
}
static Answer SecAccessControlAddConstraintForOperation_call(void) {
    Answer answer = {0};
    answer.number = SecAccessControlAddConstraintForOperation(G(0), G(1), G(2), &answer.error);
    return answer;
}
static Answer SecAccessControlRemoveConstraintForOperation_call(void) {
    Answer answer = {0};
    answer.number = SecAccessControlRemoveConstraintForOperation(G(0), G(1), &answer.error);
    return answer;
}
OBJECT(SecAccessControlGetConstraints, G(0))
NUMBER(SecAccessControlGetRequirePassword, G(0))
NUMBER(SecAccessControlIsBound, G(0))
OBJECT(SecAccessControlCopyData, G(0))
OBJECT_OR_ERROR(SecAccessControlCreateFromData, NULL, G(0), &error)
OBJECT_OR_ERROR(SecAccessConstraintCreatePolicy, NULL, G(0), &error)
OBJECT(SecAccessConstraintCreateBiometryAny, NULL, G(0))
OBJECT(SecAccessConstraintCreateTouchIDAny, NULL, G(0))
OBJECT(SecAccessConstraintCreateBiometryCurrentSet, NULL, G(0), G(1))
OBJECT(SecAccessConstraintCreateTouchIDCurrentSet, NULL, G(0), G(1))
OBJECT_OR_ERROR(SecAccessConstraintCreateKofN, NULL, 1, G(0), &error)
OBJECT_OR_ERROR(SecAccessConstraintCreateValueOfKofN, NULL, 1, G(0), &error)
OBJECT_OR_ERROR(SecPasswordGenerate, kSecPasswordTypeSafari, &error, G(0))
static Answer SecPasswordValidatePasswordFormat_call(void) {
    Answer answer = {0};
    answer.number = SecPasswordValidatePasswordFormat(kSecPasswordTypeSafari, G(0), &answer.error);
    return answer;
}
static Answer SecPasswordIsPasswordWeak_call(void) { return with_number(!SecPasswordIsPasswordWeak(G(0))); }
static Answer SecPasswordIsPasswordWeak2_call(void) { return with_number(!SecPasswordIsPasswordWeak2(true, G(0))); }
OBJECT_OR_ERROR(SecTaskCopyValueForEntitlement, G(0), G(1), &error)
OBJECT_OR_ERROR(SecTaskCopyValuesForEntitlements, G(0), G(1), &error)
OBJECT_OR_ERROR(SecTaskCopySigningIdentifier, G(0), &error)

/// What a function takes.
typedef struct {
    const char *name;
    Call call;
    /// The right arguments, of which one at a time is exchanged.
    CFTypeRef *arguments[4];
    /// Whether a wrong argument is answered with an error object.
    enum { by_status, by_null, by_zero, by_error } refuses;
} Function;

#define F(name, refuses, ...) {#name, name##_call, {__VA_ARGS__}, refuses}

static Function functions[] = {
    F(SecItemAdd, by_status, &dictionary), F(SecItemCopyMatching, by_status, &dictionary),
    F(SecItemUpdate, by_status, &dictionary, &dictionary), F(SecItemDelete, by_status, &dictionary),
    F(SecAccessControlCreateWithFlags, by_error, &string),
    F(SecCertificateCreateWithData, by_null, &data), F(SecCertificateCopyData, by_null, &certificate),
    F(SecCertificateCopySubjectSummary, by_null, &certificate),
    F(SecCertificateCopyCommonName, by_status, &certificate),
    F(SecCertificateCopyEmailAddresses, by_status, &certificate),
    F(SecCertificateCopyNormalizedIssuerSequence, by_null, &certificate),
    F(SecCertificateCopyNormalizedSubjectSequence, by_null, &certificate),
    F(SecCertificateCopyNormalizedIssuerContent, by_error, &certificate),
    F(SecCertificateCopyNormalizedSubjectContent, by_error, &certificate),
    F(SecCertificateCopySerialNumberData, by_error, &certificate),
    F(SecCertificateCopySerialNumber, by_error, &certificate),
    F(SecCertificateCopyNotValidBeforeDate, by_null, &certificate),
    F(SecCertificateCopyNotValidAfterDate, by_null, &certificate),
    F(SecCertificateCopyKey, by_null, &certificate), F(SecCertificateCopyPublicKey, by_status, &certificate),
    F(SecCertificateCopyValues, by_error, &certificate, &array),
    F(SecCertificateCopyLongDescription, by_error, &certificate),
    F(SecCertificateCopyShortDescription, by_error, &certificate),
    F(SecCertificateAddToKeychain, by_status, &certificate),
    F(SecKeyCreateRandomKey, by_error, &dictionary), F(SecKeyGeneratePair, by_status, &dictionary),
    F(SecKeyCreateWithData, by_error, &data, &dictionary), F(SecKeyGetBlockSize, by_zero, &key),
    F(SecKeyCopyExternalRepresentation, by_error, &key), F(SecKeyCopyAttributes, by_null, &key),
    F(SecKeyCopyPublicKey, by_null, &key), F(SecKeyCreateSignature, by_error, &key, &string, &data),
    F(SecKeyCreateEncryptedData, by_error, &key, &string, &data),
    F(SecKeyCreateDecryptedData, by_error, &key, &string, &data),
    F(SecKeyCreateEncryptedDataWithParameters, by_error, &key, &string, &data),
    F(SecKeyCreateDecryptedDataWithParameters, by_error, &key, &string, &data),
    F(SecKeyCopyKeyExchangeResult, by_error, &key, &string, &key, &dictionary),
    F(SecKeyIsAlgorithmSupported, by_zero, &key, &string),
    F(SecKeyVerifySignature, by_error, &key, &string, &data, &data), F(SecKeyRawSign, by_status, &key),
    F(SecKeyRawVerify, by_status, &key), F(SecKeyEncrypt, by_status, &key), F(SecKeyDecrypt, by_status, &key),
    F(SecIdentityCreate, by_null, &certificate, &key), F(SecIdentityCreateWithCertificate, by_status, &certificate),
    F(SecIdentityCopyCertificate, by_status, NULL), F(SecIdentityCopyPrivateKey, by_status, NULL),
    F(SecIdentityCopyPreferred, by_null, &string), F(SecIdentitySetPreferred, by_status, &string),
    F(SecPKCS12Import, by_status, &data, &dictionary), F(SecItemExport, by_status, &certificate),
    F(SecItemImport, by_status, &data), F(SecPolicyCopyProperties, by_null, &policy),
    F(SecPolicyCreateWithProperties, by_null, &string),
    F(SecTrustCreateWithCertificates, by_status, &certificate), F(SecTrustSetPolicies, by_status, &trust, &policy),
    F(SecTrustCopyPolicies, by_status, &trust), F(SecTrustSetNetworkFetchAllowed, by_status, &trust),
    F(SecTrustGetNetworkFetchAllowed, by_status, &trust),
    F(SecTrustSetAnchorCertificates, by_status, &trust, &array),
    F(SecTrustSetAnchorCertificatesOnly, by_status, &trust),
    F(SecTrustCopyCustomAnchorCertificates, by_status, &trust), F(SecTrustSetVerifyDate, by_status, &trust, &date),
    F(SecTrustGetVerifyTime, by_zero, &trust), F(SecTrustEvaluateWithError, by_error, &trust),
    F(SecTrustEvaluate, by_status, &trust), F(SecTrustGetTrustResult, by_status, &trust),
    F(SecTrustEvaluateAsyncWithError, by_status, &trust), F(SecTrustEvaluateAsync, by_status, &trust),
    F(SecTrustCopyCertificateChain, by_null, &trust), F(SecTrustGetCertificateCount, by_zero, &trust),
    F(SecTrustGetCertificateAtIndex, by_null, &trust), F(SecTrustCopyResult, by_null, &trust),
    F(SecTrustCopyProperties, by_null, &trust), F(SecTrustCopyExceptions, by_null, &trust),
    F(SecTrustCopyKey, by_null, &trust), F(SecTrustCopyPublicKey, by_null, &trust),
    F(SecTrustSetExceptions, by_zero, &trust, &data), F(SecTrustSetOCSPResponse, by_status, &trust),
    F(SecTrustSetSignedCertificateTimestamps, by_status, &trust), F(SecTrustSetOptions, by_status, &trust),
    F(SecTrustSetKeychains, by_status, &trust), F(SecCertificateGetNormalizedIssuerContent, by_null, &certificate),
    F(SecCertificateGetNormalizedSubjectContent, by_null, &certificate),
    F(SecDistinguishedNameCopyNormalizedContent, by_null, &data), F(SecKeyGetSize, by_zero, &key),
    F(SecKeyCopyPublicBytes, by_status, &key), F(SecAccessControlGetProtection, by_null, &access_control),
    F(SecAccessControlGetConstraint, by_null, &access_control, &string),
    F(SecAccessControlSetProtection, by_error, &access_control, &string),
    F(SecAccessControlAddConstraintForOperation, by_error, &access_control, &string, &dictionary),
    F(SecAccessControlRemoveConstraintForOperation, by_error, &access_control, &string),
    F(SecAccessControlGetConstraints, by_null, &access_control),
    F(SecAccessControlGetRequirePassword, by_zero, &access_control),
    F(SecAccessControlIsBound, by_zero, &access_control), F(SecAccessControlCopyData, by_null, &access_control),
    F(SecAccessControlCreateFromData, by_error, &data), F(SecAccessConstraintCreatePolicy, by_error, &string),
    F(SecAccessConstraintCreateBiometryAny, by_null, &data), F(SecAccessConstraintCreateTouchIDAny, by_null, &data),
    F(SecAccessConstraintCreateBiometryCurrentSet, by_null, &data, &data),
    F(SecAccessConstraintCreateTouchIDCurrentSet, by_null, &data, &data),
    F(SecAccessConstraintCreateKofN, by_error, &array), F(SecAccessConstraintCreateValueOfKofN, by_error, &array),
    F(SecPasswordGenerate, by_error, &dictionary), F(SecPasswordValidatePasswordFormat, by_error, &string),
    F(SecPasswordIsPasswordWeak, by_zero, &string), F(SecPasswordIsPasswordWeak2, by_zero, &string),
    F(SecTaskCopyValueForEntitlement, by_error, &task, &string),
    F(SecTaskCopyValuesForEntitlements, by_error, &task, &array), F(SecTaskCopySigningIdentifier, by_error, &task),
};

/// Whether NULL is a legal value of an argument, so that the function need not refuse it.
static int may_be_null(const Function *function, int position) {
    const char *optional[] = {
        "SecCertificateCopyValues1", "SecTrustSetAnchorCertificates1", "SecTrustSetExceptions1",
        "SecPasswordGenerate0", "SecAccessConstraintCreateBiometryAny0", "SecAccessConstraintCreateTouchIDAny0",
        "SecAccessConstraintCreateBiometryCurrentSet0", "SecAccessConstraintCreateBiometryCurrentSet1",
        "SecAccessConstraintCreateTouchIDCurrentSet0", "SecAccessConstraintCreateTouchIDCurrentSet1",
    };
    char name[100];
    snprintf(name, sizeof name, "%s%d", function->name, position);
    for (size_t index = 0; index < sizeof optional / sizeof *optional; index++) {
        if (strcmp(name, optional[index]) == 0) return 1;
    }
    return 0;
}

static int is_refused(const Function *function, Answer answer) {
    switch (function->refuses) {
    case by_status: return answer.status != errSecSuccess && answer.object == NULL;
    case by_null: return answer.object == NULL;
    case by_zero: return answer.number == 0;
    case by_error: return answer.object == NULL && answer.number == 0 && answer.error != NULL;
    }
    return 0;
}

static int calls;

static void call_with(const Function *function, int position, CFTypeRef wrong, const char *what) {
    for (int index = 0; index < 4; index++) given[index] = function->arguments[index] ? *function->arguments[index] : NULL;
    given[position] = wrong;
    room = sizeof memory;
    Answer answer = function->call();
    calls++;
    if (!is_refused(function, answer)) {
        failures++;
        printf("NOT OK: %s with %s as argument %d: status %d, object %p, error %p, number %lld\n", function->name, what,
               position, (int)answer.status, answer.object, (void *)answer.error, answer.number);
    }
    if (answer.error) {
        CHECK_EQUAL(CFGetTypeID(answer.error), CFErrorGetTypeID());
        CFRelease(answer.error);
    }
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    FILE *file = fopen(arguments[1], "rb");
    UInt8 bytes[20000];
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    certificate = SecCertificateCreateWithBytes(NULL, bytes, (CFIndex)length);
    if (!certificate) return 2;
    key = SecCertificateCopyKey((SecCertificateRef)certificate);
    policy = SecPolicyCreateBasicX509();
    SecTrustRef created = NULL;
    SecTrustCreateWithCertificates(certificate, policy, &created);
    trust = created;
    access_control = SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleAlways, 0, NULL);
    task = SecTaskCreateFromSelf(NULL);
    string = CFSTR("a string");
    data = new_data("some data", 9);
    dictionary = new_dictionary();
    CFDictionarySetValue((CFMutableDictionaryRef)dictionary, kSecClass, kSecClassGenericPassword);
    array = CFArrayCreate(NULL, &certificate, 1, &kCFTypeArrayCallBacks);
    date = CFDateCreate(NULL, 1e9);
    int seven = 7;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &seven);
    CFMutableArrayRef deep = NULL;
    for (int level = 0; level < 40; level++) {
        CFMutableArrayRef outer = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
        if (deep) {
            CFArrayAppendValue(outer, deep);
            CFRelease(deep);
        }
        deep = outer;
    }
    const void *nulls[] = {NULL, NULL};
    CFArrayRef array_of_nulls = CFArrayCreate(NULL, nulls, 2, NULL);
    const UniChar half_a_pair[] = {0xd800};
    CFStringRef broken = CFStringCreateWithCharacters(NULL, half_a_pair, 1);

    struct { const char *name; CFTypeRef object; } objects[] = {
        {"NULL", NULL}, {"a certificate", certificate}, {"a key", key}, {"a policy", policy}, {"a trust object", trust},
        {"an access control", access_control}, {"a string", string}, {"data", data}, {"a dictionary", dictionary},
        {"an array", array}, {"a date", date}, {"a number", number}, {"true", kCFBooleanTrue}, {"null", kCFNull},
        {"a deep array", deep}, {"an array of NULL", array_of_nulls}, {"half a surrogate pair", broken},
        {"an allocator", kCFAllocatorSystemDefault}, {"a run loop", CFRunLoopGetCurrent()},
    };
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const Function *function = &functions[f];
        for (int position = 0; position < 4; position++) {
            CFTypeRef *right = function->arguments[position];
            if (!right && position > 0) break;
            for (size_t o = 0; o < sizeof objects / sizeof *objects; o++) {
                CFTypeRef object = objects[o].object;
                // The right type is no wrong one; an array is a list of certificates and of policies.
                if (object && right && CFGetTypeID(object) == CFGetTypeID(*right) && object != broken && object != deep &&
                    object != array_of_nulls) {
                    continue;
                }
                if (object == array && (right == &certificate || right == &policy)) continue;
                // A public key can be exported as well as a certificate.
                if (object == key && function->call == SecItemExport_call) continue;
                // A truth value is a constraint as well as a dictionary.
                if (object == kCFBooleanTrue && position == 2 &&
                    function->call == SecAccessControlAddConstraintForOperation_call) {
                    continue;
                }
                // An entry that there is not is not in the answer.
                if (object == array_of_nulls && function->call == SecCertificateCopyValues_call) continue;
                if (!object && may_be_null(function, position)) continue;
                call_with(function, position, object, objects[o].name);
            }
        }
    }

    // Places that are needed, and blocks.
    void *nothing = NULL;
    SecTrustRef trust_ref = (SecTrustRef)trust;
    CHECK_EQUAL(SecCertificateCopyCommonName((SecCertificateRef)certificate, nothing), errSecParam);
    CHECK_EQUAL(SecCertificateCopyEmailAddresses((SecCertificateRef)certificate, nothing), errSecParam);
    CHECK_EQUAL(SecCertificateCopyPublicKey((SecCertificateRef)certificate, nothing), errSecParam);
    CHECK_EQUAL(SecTrustCreateWithCertificates(certificate, NULL, nothing), errSecParam);
    CHECK_EQUAL(SecTrustCopyPolicies(trust_ref, nothing), errSecParam);
    CHECK_EQUAL(SecTrustCopyCustomAnchorCertificates(trust_ref, nothing), errSecParam);
    CHECK_EQUAL(SecTrustCopyAnchorCertificates(nothing), errSecParam);
    CHECK_EQUAL(SecTrustEvaluate(trust_ref, nothing), errSecParam);
    CHECK_EQUAL(SecTrustGetTrustResult(trust_ref, nothing), errSecParam);
    CHECK_EQUAL(SecTrustGetNetworkFetchAllowed(trust_ref, nothing), errSecParam);
    CHECK_EQUAL(SecTrustEvaluateAsync(trust_ref, NULL, nothing), errSecParam);
    CHECK_EQUAL(SecTrustEvaluateAsyncWithError(trust_ref, nothing, ^(SecTrustRef t, bool b, CFErrorRef e) {
        (void)t, (void)b, (void)e;
    }), errSecParam);
    CHECK_EQUAL(SecTrustEvaluateAsyncWithError(trust_ref, dispatch_get_global_queue(0, 0), nothing), errSecParam);
    CHECK_EQUAL(SecPKCS12Import(data, dictionary, nothing), errSecParam);
    CHECK_EQUAL(SecItemExport(certificate, kSecFormatUnknown, 0, NULL, nothing), errSecParam);
    CHECK_EQUAL(SecIdentityCreateWithCertificate(NULL, (SecCertificateRef)certificate, nothing), errSecParam);
    CHECK_EQUAL(SecKeyCopyPublicBytes((SecKeyRef)key, nothing), errSecParam);
    CHECK_EQUAL(SecKeyRawSign((SecKeyRef)key, 0, nothing, 8, nothing, nothing), errSecParam);
    CHECK_EQUAL(SecKeyRawVerify((SecKeyRef)key, 0, nothing, 8, nothing, 8), errSecParam);
    CHECK_EQUAL(SecKeyEncrypt((SecKeyRef)key, 0, nothing, 8, nothing, nothing), errSecParam);
    CHECK_EQUAL(SecKeyDecrypt((SecKeyRef)key, 0, nothing, 8, nothing, nothing), errSecParam);
    CHECK_EQUAL(SecKeyRawVerify((SecKeyRef)key, 0, memory, (size_t)-1, memory, (size_t)-1), errSecParam);
    CHECK(SecCertificateCreateWithBytes(NULL, nothing, 8) == NULL);
    CHECK(SecKeyCreateECPublicKey(NULL, nothing, 65, kSecKeyEncodingRaw) == NULL);
    CHECK(!SecKeyIsAlgorithmSupported((SecKeyRef)key, (SecKeyOperationType)99, kSecKeyAlgorithmRSASignatureRaw));
    SecAddSharedWebCredential(nothing, nothing, NULL, nothing);
    SecRequestSharedWebCredential(NULL, NULL, nothing);
    __block CFIndex code = 0;
    SecAddSharedWebCredential(nothing, CFSTR("x"), NULL, ^(CFErrorRef error) { code = CFErrorGetCode(error); });
    CHECK_EQUAL(code, errSecParam);

    CHECK(calls > 1500);
    printf("%d calls\n", calls);
    return all_is_well();
}
