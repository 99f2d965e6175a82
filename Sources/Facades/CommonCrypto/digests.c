#include "include/CommonCrypto/CommonDigest.h"

#include "libcrypto.h"

_Static_assert(sizeof(CC_SHA256_CTX) == sizeof(struct small_state), "the tag and a state");
_Static_assert(sizeof(CC_SHA512_CTX) == sizeof(struct digest_state), "the tag and a state");

static void *digest_once(enum digest which, const void *data, CC_LONG length, unsigned char *md) {
    struct digest_state state;
    if (md == NULL) {
        return NULL;
    }
    if (!digest_init(which, &state) || !digest_update(which, &state, data, length)) {
        random_fill(md, digest_table[which].length);
        return NULL;
    }
    return digest_final(which, &state, md) ? md : NULL;
}

#define DIGEST(NAME, CONTEXT)                                                                                          \
    int CC_##NAME##_Init(CONTEXT *c) { return digest_init(DIGEST_##NAME, c); }                                         \
    int CC_##NAME##_Update(CONTEXT *c, const void *data, CC_LONG len) {                                                \
        return digest_update(DIGEST_##NAME, c, data, len);                                                             \
    }                                                                                                                  \
    int CC_##NAME##_Final(unsigned char *md, CONTEXT *c) { return digest_final(DIGEST_##NAME, c, md); }                \
    unsigned char *CC_##NAME(const void *data, CC_LONG len, unsigned char *md) {                                       \
        return digest_once(DIGEST_##NAME, data, len, md);                                                              \
    }

DIGEST(MD4, CC_MD4_CTX)
DIGEST(MD5, CC_MD5_CTX)
DIGEST(SHA1, CC_SHA1_CTX)
DIGEST(SHA224, CC_SHA256_CTX)
DIGEST(SHA256, CC_SHA256_CTX)
DIGEST(SHA384, CC_SHA512_CTX)
DIGEST(SHA512, CC_SHA512_CTX)

// OpenSSL is built without MD2.
int CC_MD2_Init(CC_MD2_CTX *c) {
    if (c != NULL) {
        wipe(c, sizeof *c);
    }
    return 0;
}

int CC_MD2_Update(CC_MD2_CTX *c, const void *data, CC_LONG len) {
    (void)c;
    (void)data;
    (void)len;
    return 0;
}

int CC_MD2_Final(unsigned char *md, CC_MD2_CTX *c) {
    (void)c;
    if (md != NULL) {
        random_fill(md, CC_MD2_DIGEST_LENGTH);
    }
    return 0;
}

unsigned char *CC_MD2(const void *data, CC_LONG len, unsigned char *md) {
    (void)data;
    (void)len;
    CC_MD2_Final(md, NULL);
    return NULL;
}
