/// Whether a certificate is to be trusted.
#ifndef SECURITY_SEC_TRUST_H
#define SECURITY_SEC_TRUST_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecTrustConstants.h>
#include <dispatch/dispatch.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// A certificate with what is needed to judge it.
typedef struct __SecTrust *SecTrustRef;

/// What is called with the outcome of `SecTrustEvaluateAsync`.
typedef void (^SecTrustCallback)(SecTrustRef trustRef, SecTrustResultType trustResult);

/// What is called with the outcome of `SecTrustEvaluateAsyncWithError`. The error belongs to nobody but the call.
typedef void (^SecTrustWithErrorCallback)(SecTrustRef trustRef, bool result, CFErrorRef _Nullable error);

/// The type identifier of trust objects.
CF_EXPORT CFTypeID SecTrustGetTypeID(void);

// What functions with "Create" or "Copy" in their names return, or leave, belongs to the caller. A status is `errSecParam`
// where an argument is missing or of another type.

/// Makes a trust object.
///
/// - `certificates`: a certificate, or an array of them: the one that is judged, then others that may lead to an anchor.
/// - `policies`: a policy, an array of them, or NULL for the basic one.
CF_EXPORT OSStatus SecTrustCreateWithCertificates(CFTypeRef certificates, CFTypeRef _Nullable policies,
                                                  SecTrustRef _Nullable *_Nonnull CF_RETURNS_RETAINED trust);

/// Puts other policies into a trust object: a policy or an array of them.
CF_EXPORT OSStatus SecTrustSetPolicies(SecTrustRef trust, CFTypeRef policies);

/// The policies of a trust object.
CF_EXPORT OSStatus SecTrustCopyPolicies(SecTrustRef trust,
                                        CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED policies);

/// Whether servers may be asked about revocation, if a policy of revocation names a method.
CF_EXPORT OSStatus SecTrustSetNetworkFetchAllowed(SecTrustRef trust, Boolean allowFetch);

/// Whether issuers may be fetched from the network.
CF_EXPORT OSStatus SecTrustGetNetworkFetchAllowed(SecTrustRef trust, Boolean *allowFetch);

/// Which certificates chains may end with; NULL for the system's.
CF_EXPORT OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef _Nullable anchorCertificates);

/// Whether only the anchors that were set count, or the system's too.
CF_EXPORT OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly);

/// The anchors that were set.
CF_EXPORT OSStatus SecTrustCopyCustomAnchorCertificates(SecTrustRef trust,
                                                        CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED anchors);

/// The system's anchors.
CF_EXPORT OSStatus SecTrustCopyAnchorCertificates(CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED anchors);

/// For which moment certificates are judged.
CF_EXPORT OSStatus SecTrustSetVerifyDate(SecTrustRef trust, CFDateRef verifyDate);

/// For which moment certificates are judged; now unless another was set.
CF_EXPORT CFAbsoluteTime SecTrustGetVerifyTime(SecTrustRef trust);

/// Judges a certificate.
///
/// - Returns: whether it is trusted. If not, there is an error, which the caller owns.
CF_EXPORT bool SecTrustEvaluateWithError(SecTrustRef trust, CFErrorRef _Nullable *_Nullable CF_RETURNS_RETAINED error)
    __attribute__((warn_unused_result));

/// Judges a certificate, by an earlier function.
CF_EXPORT OSStatus SecTrustEvaluate(SecTrustRef trust, SecTrustResultType *result);

/// Judges a certificate on a queue, and calls there.
CF_EXPORT OSStatus SecTrustEvaluateAsyncWithError(SecTrustRef trust, dispatch_queue_t queue,
                                                  SecTrustWithErrorCallback result);

/// Judges a certificate on a queue, NULL for a global one, and calls there. An earlier function.
CF_EXPORT OSStatus SecTrustEvaluateAsync(SecTrustRef trust, dispatch_queue_t _Nullable queue, SecTrustCallback result);

/// The outcome of the last evaluation.
CF_EXPORT OSStatus SecTrustGetTrustResult(SecTrustRef trust, SecTrustResultType *result);

/// The chain from the certificate to its anchor, as far as one was found.
CF_EXPORT CFArrayRef _Nullable SecTrustCopyCertificateChain(SecTrustRef trust) CF_RETURNS_RETAINED;

/// The public key of the certificate that is judged, trusted or not.
///
/// - Returns: NULL for a kind of key that is not known here.
CF_EXPORT SecKeyRef _Nullable SecTrustCopyKey(SecTrustRef trust) CF_RETURNS_RETAINED;

/// The same, by an earlier function.
CF_EXPORT SecKeyRef _Nullable SecTrustCopyPublicKey(SecTrustRef trust) CF_RETURNS_RETAINED;

/// How many certificates the chain has; 0 for an object that is no trust object.
CF_EXPORT CFIndex SecTrustGetCertificateCount(SecTrustRef trust);

/// A certificate of the chain, by an earlier function. It belongs to the trust object. NULL where there is none.
CF_EXPORT SecCertificateRef _Nullable SecTrustGetCertificateAtIndex(SecTrustRef trust, CFIndex ix);

/// What the evaluation found out, with `kSecTrust…` keys.
CF_EXPORT CFDictionaryRef _Nullable SecTrustCopyResult(SecTrustRef trust) CF_RETURNS_RETAINED;

/// A readable form of the outcome, by an earlier function.
CF_EXPORT CFArrayRef _Nullable SecTrustCopyProperties(SecTrustRef trust) CF_RETURNS_RETAINED;

/// What would have to be excepted for the certificate to be trusted.
CF_EXPORT CFDataRef _Nullable SecTrustCopyExceptions(SecTrustRef trust) CF_RETURNS_RETAINED;

/// Makes exceptions; NULL takes them back.
CF_EXPORT bool SecTrustSetExceptions(SecTrustRef trust, CFDataRef _Nullable exceptions);

/// Gives answers of revocation servers: data or an array of data.
CF_EXPORT OSStatus SecTrustSetOCSPResponse(SecTrustRef trust, CFTypeRef _Nullable responseData);

/// Gives signed timestamps of certificate logs.
CF_EXPORT OSStatus SecTrustSetSignedCertificateTimestamps(SecTrustRef trust, CFArrayRef _Nullable sctArray);

/// What is let pass.
CF_EXPORT OSStatus SecTrustSetOptions(SecTrustRef trustRef, SecTrustOptionFlags options);

/// In which keychain files issuers are looked for. An earlier function without effect.
CF_EXPORT OSStatus SecTrustSetKeychains(SecTrustRef trust, CFTypeRef _Nullable keychainOrArray);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
