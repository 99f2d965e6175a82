/// Random numbers that nobody can predict.
#ifndef SECURITY_SEC_RANDOM_H
#define SECURITY_SEC_RANDOM_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE


CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// A source of random numbers.
typedef const struct __SecRandom *SecRandomRef;

/// The system's cryptographically secure source of random numbers. It is NULL.
CF_EXPORT const SecRandomRef _Nullable kSecRandomDefault;

/// Fills memory with random bytes.
///
/// - `rnd`: `kSecRandomDefault`; there is no other source.
/// - Returns: `errSecSuccess`, `errSecParam` for NULL memory or a length beyond what memory can have, or `errSecIO` if
///   the system has no random bytes to give; then the memory must not be used.
CF_EXPORT int SecRandomCopyBytes(SecRandomRef _Nullable rnd, size_t count, void *bytes)
    __attribute__((warn_unused_result));

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
