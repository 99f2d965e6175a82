#include "clegacyciphers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// As libgcrypt's documentation has them ("Symmetric cryptography"); its 20th ABI keeps them for ever.
struct gcry_cipher_handle;
enum { GCRY_CIPHER_3DES = 2, GCRY_CIPHER_RFC2268_40 = 307, GCRY_CIPHER_RFC2268_128 = 308 };
enum { GCRY_CIPHER_MODE_CBC = 3 };

struct functions {
    const char *(*check_version)(const char *);
    unsigned (*open)(struct gcry_cipher_handle **, int, int, unsigned);
    void (*close)(struct gcry_cipher_handle *);
    unsigned (*set_key)(struct gcry_cipher_handle *, const void *, size_t);
    unsigned (*set_vector)(struct gcry_cipher_handle *, const void *, size_t);
    unsigned (*encrypt)(struct gcry_cipher_handle *, void *, size_t, const void *, size_t);
    unsigned (*decrypt)(struct gcry_cipher_handle *, void *, size_t, const void *, size_t);
};

static bool load(const char *name, struct functions *gcry) {
    // It stays: a library that others of the process use as well is not unloaded under them.
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return false;
    }
#define FIND(member, symbol)                                                                                           \
    if ((gcry->member = (__typeof__(gcry->member))dlsym(library, symbol)) == NULL) {                                   \
        return false;                                                                                                  \
    }
    FIND(check_version, "gcry_check_version")
    FIND(open, "gcry_cipher_open")
    FIND(close, "gcry_cipher_close")
    FIND(set_key, "gcry_cipher_setkey")
    FIND(set_vector, "gcry_cipher_setiv")
    FIND(encrypt, "gcry_cipher_encrypt")
    FIND(decrypt, "gcry_cipher_decrypt")
    // The one call that has to come first. What else can be set up is left to a program that uses the library itself.
    return gcry->check_version("1.6.0") != NULL;
}

static int algorithm_of(enum clegacy_cipher cipher) {
    switch (cipher) {
    case CLEGACY_TRIPLE_DES: return GCRY_CIPHER_3DES;
    case CLEGACY_RC2_40: return GCRY_CIPHER_RFC2268_40;
    case CLEGACY_RC2_128: return GCRY_CIPHER_RFC2268_128;
    }
    return 0;
}

enum clegacy_status clegacy_crypt(const char *library, enum clegacy_cipher cipher, bool encrypts, const uint8_t *key,
                                  size_t key_size, const uint8_t vector[CLEGACY_BLOCK_SIZE], const uint8_t *input,
                                  uint8_t *output, size_t count) {
    // Of two threads that come first at once, the library would let one go on before it is set up.
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    struct functions gcry;
    pthread_mutex_lock(&loading);
    bool is_loaded = load(library, &gcry);
    pthread_mutex_unlock(&loading);
    if (!is_loaded) {
        return CLEGACY_NO_LIBRARY;
    }
    struct gcry_cipher_handle *handle = NULL;
    if (gcry.open(&handle, algorithm_of(cipher), GCRY_CIPHER_MODE_CBC, 0) != 0) {
        return CLEGACY_NO_CIPHER;
    }
    if (output != input) {
        memcpy(output, input, count);
    }
    // Without input, the library works in place.
    bool succeeded = gcry.set_key(handle, key, key_size) == 0 &&
                     gcry.set_vector(handle, vector, CLEGACY_BLOCK_SIZE) == 0 &&
                     (encrypts ? gcry.encrypt : gcry.decrypt)(handle, output, count, NULL, 0) == 0;
    // It wipes the key as well.
    gcry.close(handle);
    return succeeded ? CLEGACY_OK : CLEGACY_FAILED;
}
