/// X.509 certificates.
#ifndef SECURITY_SEC_CERTIFICATE_H
#define SECURITY_SEC_CERTIFICATE_H

#include <Security/SecBase.h>

#ifdef __clang__

#include <Security/SecCertificateConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The type identifier of certificates.
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

/// Makes a certificate from its DER form.
///
/// - `allocator`: ignored.
/// - Returns: the object, which the caller owns; NULL for anything that is no certificate.
CF_EXPORT SecCertificateRef _Nullable SecCertificateCreateWithData(CFAllocatorRef _Nullable allocator, CFDataRef data)
    CF_RETURNS_RETAINED;

/// The DER form of a certificate, which the caller owns.
CF_EXPORT CFDataRef SecCertificateCopyData(SecCertificateRef certificate) CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
