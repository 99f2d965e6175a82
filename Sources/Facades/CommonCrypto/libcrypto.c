#include "libcrypto.h"

#include <dlfcn.h>
#include <pthread.h>

#include "digest_functions.h"

static struct libcrypto library;
static bool is_loaded;

static void load(void) {
    void *handle = dlopen(CHATELAINE_LIBCRYPTO, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return;
    }
#define FIND(member, symbol)                                                                                           \
    if ((library.member = (__typeof__(library.member))dlsym(handle, symbol)) == NULL) {                                \
        return;                                                                                                        \
    }
    FIND(cipher_fetch, "EVP_CIPHER_fetch")
    FIND(cipher_free, "EVP_CIPHER_free")
    FIND(context_new, "EVP_CIPHER_CTX_new")
    FIND(context_free, "EVP_CIPHER_CTX_free")
    FIND(context_set_flags, "EVP_CIPHER_CTX_set_flags")
    FIND(set_padding, "EVP_CIPHER_CTX_set_padding")
    FIND(init, "EVP_CipherInit_ex")
    FIND(update, "EVP_CipherUpdate")
    FIND(final, "EVP_CipherFinal_ex")
    FIND(digest_by_name, "EVP_get_digestbyname")
    FIND(pbkdf2, "PKCS5_PBKDF2_HMAC")
    FIND(clear_errors, "ERR_clear_error")
    is_loaded = digest_functions_load(handle);
}

const struct libcrypto *libcrypto(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
