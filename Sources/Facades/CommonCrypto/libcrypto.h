// OpenSSL's libcrypto, which computes everything here. It is loaded when something is first needed, and stays.
#ifndef CHATELAINE_COMMONCRYPTO_LIBCRYPTO_H
#define CHATELAINE_COMMONCRYPTO_LIBCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the dynamic linker is asked for. Tests compile these files with the name of a library that is not there.
#ifndef CHATELAINE_LIBCRYPTO
#define CHATELAINE_LIBCRYPTO "libcrypto.so.3"
#endif

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_md_st EVP_MD;

struct libcrypto {
    EVP_CIPHER *(*cipher_fetch)(void *, const char *, const char *);
    void (*cipher_free)(EVP_CIPHER *);
    EVP_CIPHER_CTX *(*context_new)(void);
    void (*context_free)(EVP_CIPHER_CTX *);
    void (*context_set_flags)(EVP_CIPHER_CTX *, int);
    int (*set_padding)(EVP_CIPHER_CTX *, int);
    int (*init)(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const unsigned char *, const unsigned char *, int);
    int (*update)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);
    int (*final)(EVP_CIPHER_CTX *, unsigned char *, int *);
    const EVP_MD *(*digest_by_name)(const char *);
    int (*pbkdf2)(const char *, int, const unsigned char *, int, int, const EVP_MD *, int, unsigned char *);
    void (*clear_errors)(void);
};

/// The library, or NULL if it is not installed or lacks something.
const struct libcrypto *libcrypto(void);

enum digest {
    DIGEST_MD4,
    DIGEST_MD5,
    DIGEST_SHA1,
    DIGEST_SHA224,
    DIGEST_SHA256,
    DIGEST_SHA384,
    DIGEST_SHA512,
    DIGEST_COUNT,
};

struct digest_information {
    const char *name;
    size_t length, block, state;
};
extern const struct digest_information digest_table[DIGEST_COUNT];

/// libcrypto's SHA256_CTX has 112 bytes, those before it fewer; its SHA512_CTX has 216.
struct small_state {
    uint64_t kind;
    uint64_t state[16];
};
struct digest_state {
    uint64_t kind;
    uint64_t state[28];
};

// These take a context of the digest's own size, small_state or digest_state, and return 1 or 0.
int digest_init(enum digest which, void *context);
int digest_update(enum digest which, void *context, const void *data, size_t length);
/// Wipes the context. Writes random bytes if the context was not set up.
int digest_final(enum digest which, void *context, unsigned char *md);

/// For what must not look like a result: nothing equals it.
void random_fill(void *bytes, size_t count);
/// Like memset to 0, but never left out by the compiler.
void wipe(void *bytes, size_t count);

#endif
