#include "clibcrypto.h"
#include "symbols.h"

#include <limits.h>

// As OpenSSL's manual has them (BN_mod_exp(3), BN_bn2bin(3)).
struct bignum;
struct bignum_ctx;

struct functions {
    struct bignum_ctx *(*new_context)(void);
    void (*free_context)(struct bignum_ctx *);
    struct bignum *(*new_number)(void);
    void (*clear_number)(struct bignum *);
    struct bignum *(*read)(const unsigned char *, int, struct bignum *);
    int (*write)(const struct bignum *, unsigned char *, int);
    int (*power)(struct bignum *, const struct bignum *, const struct bignum *, const struct bignum *,
                 struct bignum_ctx *, void *);
    int (*mark_errors)(void);
    int (*drop_errors)(void);
};

static const struct symbol symbols[] = {
    SYMBOL(struct functions, new_context, "BN_CTX_secure_new"),
    SYMBOL(struct functions, free_context, "BN_CTX_free"),
    SYMBOL(struct functions, new_number, "BN_new"),
    SYMBOL(struct functions, clear_number, "BN_clear_free"),
    SYMBOL(struct functions, read, "BN_bin2bn"),
    SYMBOL(struct functions, write, "BN_bn2binpad"),
    SYMBOL(struct functions, power, "BN_mod_exp_mont_consttime"),
    SYMBOL(struct functions, mark_errors, "ERR_set_mark"),
    SYMBOL(struct functions, drop_errors, "ERR_pop_to_mark"),
};

static bool load(const char *name, struct functions *crypto) {
    return find_symbols(name, symbols, sizeof symbols / sizeof symbols[0], crypto);
}

enum clibcrypto_status clibcrypto_power(const char *library, struct clibcrypto_bytes base,
                                        struct clibcrypto_bytes exponent, struct clibcrypto_bytes modulus,
                                        uint8_t *power, size_t size) {
    struct functions crypto;
    if (!load(library, &crypto)) {
        return CLIBCRYPTO_NO_LIBRARY;
    }
    if (base.count > INT_MAX || exponent.count > INT_MAX || modulus.count > INT_MAX || size > INT_MAX) {
        return CLIBCRYPTO_REFUSED;
    }
    crypto.mark_errors();
    struct bignum_ctx *context = crypto.new_context();
    struct bignum *result = crypto.new_number();
    struct bignum *a = crypto.read(base.start, (int)base.count, NULL);
    struct bignum *x = crypto.read(exponent.start, (int)exponent.count, NULL);
    struct bignum *m = crypto.read(modulus.start, (int)modulus.count, NULL);
    const bool succeeded = context != NULL && result != NULL && a != NULL && x != NULL && m != NULL &&
                           crypto.power(result, a, x, m, context, NULL) == 1 &&
                           crypto.write(result, power, (int)size) == (int)size;
    crypto.clear_number(m);
    crypto.clear_number(x);
    crypto.clear_number(a);
    crypto.clear_number(result);
    crypto.free_context(context);
    crypto.drop_errors();
    return succeeded ? CLIBCRYPTO_OK : CLIBCRYPTO_REFUSED;
}
