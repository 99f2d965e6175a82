#ifndef CHATELAINE_COMMONKEYDERIVATION_H
#define CHATELAINE_COMMONKEYDERIVATION_H

#include <stddef.h>
#include <stdint.h>

#include "CommonCryptoError.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCPBKDF2 = 2,
};
typedef uint32_t CCPBKDFAlgorithm;

enum {
    kCCPRFHmacAlgSHA1 = 1,
    kCCPRFHmacAlgSHA224 = 2,
    kCCPRFHmacAlgSHA256 = 3,
    kCCPRFHmacAlgSHA384 = 4,
    kCCPRFHmacAlgSHA512 = 5,
};
typedef uint32_t CCPseudoRandomAlgorithm;

/// PBKDF2 (RFC 8018, section 5.2). Lengths are in bytes; a password or a salt without bytes may be NULL.
///
/// `kCCParamError`: NULL otherwise, no rounds or more than 2,147,483,647, no derived key, or longer lengths than that.
int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt,
                         size_t saltLen, CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey,
                         size_t derivedKeyLen);

/// Measures how many rounds take so many milliseconds here: 10,000 at least. If an argument is not valid or
/// libcrypto.so.3 is not installed, UINT_MAX, which CCKeyDerivationPBKDF refuses.
unsigned CCCalibratePBKDF(CCPBKDFAlgorithm algorithm, size_t passwordLen, size_t saltLen,
                          CCPseudoRandomAlgorithm prf, size_t derivedKeyLen, uint32_t msec);

#ifdef __cplusplus
}
#endif

#endif
