#ifndef CHATELAINE_COMMONRANDOM_H
#define CHATELAINE_COMMONRANDOM_H

#include <stddef.h>

#include "CommonCryptoError.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef CCCryptorStatus CCRNGStatus;

/// Fills `bytes` with `count` random bytes of the kernel's. `kCCParamError` for NULL, unless `count` is 0.
CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
