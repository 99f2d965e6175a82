#include "include/CommonCrypto/CommonHMAC.h"

#include <string.h>

#include "libcrypto.h"

static enum digest digest_of(CCHmacAlgorithm algorithm) {
    switch (algorithm) {
    case kCCHmacAlgSHA1: return DIGEST_SHA1;
    case kCCHmacAlgMD5: return DIGEST_MD5;
    case kCCHmacAlgSHA256: return DIGEST_SHA256;
    case kCCHmacAlgSHA384: return DIGEST_SHA384;
    case kCCHmacAlgSHA512: return DIGEST_SHA512;
    case kCCHmacAlgSHA224: return DIGEST_SHA224;
    default: return DIGEST_COUNT;
    }
}

// libcrypto's own HMAC context is on the heap, and these are copied and dropped like any value. So this composes the
// library's digests as RFC 2104, section 2, says.
struct hmac {
    uint64_t algorithm_and_tag;
    struct digest_state inner, outer;
};
_Static_assert(sizeof(struct hmac) <= sizeof(CCHmacContext), "a context has room for both digests");

#define TAG 0x4343486d616300ULL

static enum digest digest_in(const struct hmac *hmac) {
    return hmac->algorithm_and_tag >> 8 == TAG ? digest_of(hmac->algorithm_and_tag & 0xff) : DIGEST_COUNT;
}

static int start(enum digest which, struct digest_state *state, const unsigned char *key, unsigned char pad) {
    unsigned char block[128];
    size_t count = digest_table[which].block;
    for (size_t index = 0; index < count; index++) {
        block[index] = key[index] ^ pad;
    }
    int done = digest_init(which, state) && digest_update(which, state, block, count);
    wipe(block, sizeof block);
    return done;
}

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength) {
    if (ctx == NULL) {
        return;
    }
    struct hmac *hmac = (struct hmac *)ctx;
    memset(hmac, 0, sizeof *hmac);
    enum digest which = digest_of(algorithm);
    if (which == DIGEST_COUNT) {
        return;
    }
    hmac->algorithm_and_tag = TAG << 8 | algorithm;
    unsigned char block[128] = {0};
    int done = key != NULL || keyLength == 0;
    if (done && keyLength > digest_table[which].block) {
        struct digest_state state;
        done = digest_init(which, &state) && digest_update(which, &state, key, keyLength) &&
               digest_final(which, &state, block);
    } else if (done && keyLength > 0) {
        memcpy(block, key, keyLength);
    }
    if (!done || !start(which, &hmac->inner, block, 0x36) || !start(which, &hmac->outer, block, 0x5c)) {
        // What is not set up ends in random bytes.
        hmac->inner.kind = 0;
    }
    wipe(block, sizeof block);
}

void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength) {
    struct hmac *hmac = (struct hmac *)ctx;
    if (hmac == NULL) {
        return;
    }
    enum digest which = digest_in(hmac);
    if (which != DIGEST_COUNT && !digest_update(which, &hmac->inner, data, dataLength)) {
        // A MAC that leaves this data out must not come of it.
        hmac->inner.kind = 0;
    }
}

void CCHmacFinal(CCHmacContext *ctx, void *macOut) {
    struct hmac *hmac = (struct hmac *)ctx;
    if (hmac == NULL || macOut == NULL) {
        return;
    }
    enum digest which = digest_in(hmac);
    if (which == DIGEST_COUNT) {
        return;
    }
    unsigned char inner[64];
    if (digest_final(which, &hmac->inner, inner) &&
        digest_update(which, &hmac->outer, inner, digest_table[which].length)) {
        digest_final(which, &hmac->outer, macOut);
    } else {
        random_fill(macOut, digest_table[which].length);
    }
    wipe(inner, sizeof inner);
    wipe(&hmac->inner, sizeof hmac->inner);
    wipe(&hmac->outer, sizeof hmac->outer);
}

void CCHmac(CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength,
            void *macOut) {
    CCHmacContext context;
    CCHmacInit(&context, algorithm, key, keyLength);
    CCHmacUpdate(&context, data, dataLength);
    CCHmacFinal(&context, macOut);
}
