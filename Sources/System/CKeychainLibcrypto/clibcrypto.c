#include "clibcrypto.h"
#include "symbols.h"

#include <limits.h>

// As OpenSSL's manual has them (EVP_PKEY_encrypt(3), EVP_PKEY_CTX_ctrl(3), EVP_Digest(3)); the ABI of libcrypto.so.3 keeps
// them.
struct evp_md;
struct evp_pkey;
struct evp_pkey_ctx;
struct engine;
enum { EVP_PKEY_RSA = 6 };
enum { RSA_PKCS1_PADDING = 1, RSA_NO_PADDING = 3, RSA_PKCS1_OAEP_PADDING = 4, RSA_PKCS1_PSS_PADDING = 6 };
enum { RSA_PSS_SALTLEN_DIGEST = -1 };

struct functions {
    const struct evp_md *(*digest_by_name)(const char *);
    int (*digest)(const void *, size_t, unsigned char *, unsigned *, const struct evp_md *, struct engine *);
    struct evp_pkey *(*read_public)(int, struct evp_pkey **, const unsigned char **, long);
    struct evp_pkey *(*read_private)(int, struct evp_pkey **, const unsigned char **, long);
    int (*write_private)(const struct evp_pkey *, unsigned char **);
    void (*free_key)(struct evp_pkey *);
    struct evp_pkey_ctx *(*context)(struct evp_pkey *, struct engine *);
    struct evp_pkey_ctx *(*context_by_id)(int, struct engine *);
    void (*free_context)(struct evp_pkey_ctx *);
    int (*set_padding)(struct evp_pkey_ctx *, int);
    int (*set_oaep_hash)(struct evp_pkey_ctx *, const struct evp_md *);
    int (*set_mask_hash)(struct evp_pkey_ctx *, const struct evp_md *);
    int (*set_salt_size)(struct evp_pkey_ctx *, int);
    int (*set_signature_hash)(struct evp_pkey_ctx *, const struct evp_md *);
    int (*set_key_size)(struct evp_pkey_ctx *, int);
    int (*encrypt_init)(struct evp_pkey_ctx *);
    int (*encrypt)(struct evp_pkey_ctx *, unsigned char *, size_t *, const unsigned char *, size_t);
    int (*sign_init)(struct evp_pkey_ctx *);
    int (*sign)(struct evp_pkey_ctx *, unsigned char *, size_t *, const unsigned char *, size_t);
    int (*verify_init)(struct evp_pkey_ctx *);
    int (*verify)(struct evp_pkey_ctx *, const unsigned char *, size_t, const unsigned char *, size_t);
    int (*keygen_init)(struct evp_pkey_ctx *);
    int (*keygen)(struct evp_pkey_ctx *, struct evp_pkey **);
    // Leaves nothing in the thread's queue of errors, which a program that uses the library itself would read.
    int (*mark_errors)(void);
    int (*drop_errors)(void);
};

static const struct symbol symbols[] = {
    SYMBOL(struct functions, digest_by_name, "EVP_get_digestbyname"),
    SYMBOL(struct functions, digest, "EVP_Digest"),
    SYMBOL(struct functions, read_public, "d2i_PublicKey"),
    SYMBOL(struct functions, read_private, "d2i_PrivateKey"),
    SYMBOL(struct functions, write_private, "i2d_PrivateKey"),
    SYMBOL(struct functions, free_key, "EVP_PKEY_free"),
    SYMBOL(struct functions, context, "EVP_PKEY_CTX_new"),
    SYMBOL(struct functions, context_by_id, "EVP_PKEY_CTX_new_id"),
    SYMBOL(struct functions, free_context, "EVP_PKEY_CTX_free"),
    SYMBOL(struct functions, set_padding, "EVP_PKEY_CTX_set_rsa_padding"),
    SYMBOL(struct functions, set_oaep_hash, "EVP_PKEY_CTX_set_rsa_oaep_md"),
    SYMBOL(struct functions, set_mask_hash, "EVP_PKEY_CTX_set_rsa_mgf1_md"),
    SYMBOL(struct functions, set_salt_size, "EVP_PKEY_CTX_set_rsa_pss_saltlen"),
    SYMBOL(struct functions, set_signature_hash, "EVP_PKEY_CTX_set_signature_md"),
    SYMBOL(struct functions, set_key_size, "EVP_PKEY_CTX_set_rsa_keygen_bits"),
    SYMBOL(struct functions, encrypt_init, "EVP_PKEY_encrypt_init"),
    SYMBOL(struct functions, encrypt, "EVP_PKEY_encrypt"),
    SYMBOL(struct functions, sign_init, "EVP_PKEY_sign_init"),
    SYMBOL(struct functions, sign, "EVP_PKEY_sign"),
    SYMBOL(struct functions, verify_init, "EVP_PKEY_verify_init"),
    SYMBOL(struct functions, verify, "EVP_PKEY_verify"),
    SYMBOL(struct functions, keygen_init, "EVP_PKEY_keygen_init"),
    SYMBOL(struct functions, keygen, "EVP_PKEY_keygen"),
    SYMBOL(struct functions, mark_errors, "ERR_set_mark"),
    SYMBOL(struct functions, drop_errors, "ERR_pop_to_mark"),
};

static bool load(const char *name, struct functions *crypto) {
    return find_symbols(name, symbols, sizeof symbols / sizeof symbols[0], crypto);
}

bool clibcrypto_is_present(const char *library) {
    struct functions crypto;
    return load(library, &crypto);
}

enum clibcrypto_status clibcrypto_sha224(const char *library, struct clibcrypto_bytes data,
                                         uint8_t digest[CLIBCRYPTO_SHA224_SIZE]) {
    struct functions crypto;
    if (!load(library, &crypto)) {
        return CLIBCRYPTO_NO_LIBRARY;
    }
    crypto.mark_errors();
    const struct evp_md *hash = crypto.digest_by_name("SHA224");
    unsigned size = 0;
    bool succeeded = hash != NULL && crypto.digest(data.start, data.count, digest, &size, hash, NULL) == 1 &&
                     size == CLIBCRYPTO_SHA224_SIZE;
    crypto.drop_errors();
    return succeeded ? CLIBCRYPTO_OK : CLIBCRYPTO_REFUSED;
}

// A key that is read, and what is done with it; NULL for what is no such key.
struct operation {
    struct functions crypto;
    struct evp_pkey *key;
    struct evp_pkey_ctx *context;
};

static enum clibcrypto_status begin(struct operation *operation, const char *library, struct clibcrypto_bytes key,
                                    bool is_private) {
    *operation = (struct operation){0};
    if (!load(library, &operation->crypto)) {
        return CLIBCRYPTO_NO_LIBRARY;
    }
    operation->crypto.mark_errors();
    if (key.count <= LONG_MAX) {
        const unsigned char *next = key.start;
        operation->key = (is_private ? operation->crypto.read_private
                                     : operation->crypto.read_public)(EVP_PKEY_RSA, NULL, &next, (long)key.count);
    }
    if (operation->key != NULL) {
        operation->context = operation->crypto.context(operation->key, NULL);
    }
    return operation->context == NULL ? CLIBCRYPTO_REFUSED : CLIBCRYPTO_OK;
}

static enum clibcrypto_status end(struct operation *operation, bool succeeded) {
    if (operation->crypto.drop_errors == NULL) {
        return CLIBCRYPTO_NO_LIBRARY;
    }
    // Both take NULL; the numbers of a private key are zeroed.
    operation->crypto.free_context(operation->context);
    operation->crypto.free_key(operation->key);
    operation->crypto.drop_errors();
    return succeeded ? CLIBCRYPTO_OK : CLIBCRYPTO_REFUSED;
}

static bool pad(struct operation *operation, enum clibcrypto_padding padding, const char *hash) {
    struct functions *crypto = &operation->crypto;
    switch (padding) {
    case CLIBCRYPTO_RAW: return crypto->set_padding(operation->context, RSA_NO_PADDING) > 0;
    case CLIBCRYPTO_PKCS1: return crypto->set_padding(operation->context, RSA_PKCS1_PADDING) > 0;
    case CLIBCRYPTO_OAEP: break;
    }
    const struct evp_md *function = crypto->digest_by_name(hash);
    return function != NULL && crypto->set_padding(operation->context, RSA_PKCS1_OAEP_PADDING) > 0 &&
           crypto->set_oaep_hash(operation->context, function) > 0 &&
           crypto->set_mask_hash(operation->context, function) > 0;
}

static bool pad_pss(struct operation *operation, const char *hash) {
    struct functions *crypto = &operation->crypto;
    const struct evp_md *function = crypto->digest_by_name(hash);
    return function != NULL && crypto->set_padding(operation->context, RSA_PKCS1_PSS_PADDING) > 0 &&
           crypto->set_signature_hash(operation->context, function) > 0 &&
           crypto->set_mask_hash(operation->context, function) > 0 &&
           crypto->set_salt_size(operation->context, RSA_PSS_SALTLEN_DIGEST) > 0;
}

enum clibcrypto_status clibcrypto_rsa_encrypt(const char *library, struct clibcrypto_bytes key,
                                              enum clibcrypto_padding padding, const char *hash,
                                              struct clibcrypto_bytes input, uint8_t *output, size_t size) {
    struct operation operation;
    size_t written = size;
    bool succeeded = begin(&operation, library, key, false) == CLIBCRYPTO_OK &&
                     operation.crypto.encrypt_init(operation.context) > 0 && pad(&operation, padding, hash) &&
                     operation.crypto.encrypt(operation.context, output, &written, input.start, input.count) > 0 &&
                     written == size;
    return end(&operation, succeeded);
}

enum clibcrypto_status clibcrypto_rsa_sign_pss(const char *library, struct clibcrypto_bytes key, const char *hash,
                                               struct clibcrypto_bytes digest, uint8_t *signature, size_t size) {
    struct operation operation;
    size_t written = size;
    bool succeeded = begin(&operation, library, key, true) == CLIBCRYPTO_OK &&
                     operation.crypto.sign_init(operation.context) > 0 && pad_pss(&operation, hash) &&
                     operation.crypto.sign(operation.context, signature, &written, digest.start, digest.count) > 0 &&
                     written == size;
    return end(&operation, succeeded);
}

enum clibcrypto_status clibcrypto_rsa_verify_pss(const char *library, struct clibcrypto_bytes key, const char *hash,
                                                 struct clibcrypto_bytes digest, struct clibcrypto_bytes signature) {
    struct operation operation;
    bool succeeded = begin(&operation, library, key, false) == CLIBCRYPTO_OK &&
                     operation.crypto.verify_init(operation.context) > 0 && pad_pss(&operation, hash) &&
                     operation.crypto.verify(operation.context, signature.start, signature.count, digest.start,
                                             digest.count) == 1;
    return end(&operation, succeeded);
}

enum clibcrypto_status clibcrypto_rsa_generate(const char *library, int bits, uint8_t *der, size_t *size) {
    struct operation operation = {0};
    if (!load(library, &operation.crypto)) {
        return CLIBCRYPTO_NO_LIBRARY;
    }
    operation.crypto.mark_errors();
    operation.context = operation.crypto.context_by_id(EVP_PKEY_RSA, NULL);
    bool succeeded = operation.context != NULL && operation.crypto.keygen_init(operation.context) > 0 &&
                     operation.crypto.set_key_size(operation.context, bits) > 0 &&
                     operation.crypto.keygen(operation.context, &operation.key) > 0;
    if (succeeded) {
        int needed = operation.crypto.write_private(operation.key, NULL);
        unsigned char *next = der;
        succeeded = needed > 0 && (size_t)needed <= *size &&
                    operation.crypto.write_private(operation.key, &next) == needed;
        *size = succeeded ? (size_t)needed : 0;
    }
    return end(&operation, succeeded);
}
