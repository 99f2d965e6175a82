// HMAC (RFC 2104). Contexts are plain values, as those of digests.
#ifndef CHATELAINE_COMMONHMAC_H
#define CHATELAINE_COMMONHMAC_H

#include <stddef.h>
#include <stdint.h>

#include "CommonDigest.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCHmacAlgSHA1 = 0,
    kCCHmacAlgMD5 = 1,
    kCCHmacAlgSHA256 = 2,
    kCCHmacAlgSHA384 = 3,
    kCCHmacAlgSHA512 = 4,
    kCCHmacAlgSHA224 = 5,
};
typedef uint32_t CCHmacAlgorithm;

#define CC_HMAC_CONTEXT_SIZE 118

typedef struct {
    CC_LONG64 ctx[CC_HMAC_CONTEXT_SIZE / 2];
} CCHmacContext;

// No function says whether it succeeded. Without libcrypto.so.3, and for NULL where bytes are needed, the MAC is
// random, so that nothing is ever taken for authentic. For an algorithm that is none of the above nothing is written.
void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength);
void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength);
void CCHmacFinal(CCHmacContext *ctx, void *macOut);
void CCHmac(CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength,
            void *macOut);

#ifdef __cplusplus
}
#endif

#endif
