#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "include/CommonCrypto/CommonRandom.h"
#include "libcrypto.h"

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count) {
    if (count == 0) {
        return kCCSuccess;
    }
    if (bytes == NULL) {
        return kCCParamError;
    }
    unsigned char *rest = bytes;
    while (count > 0) {
        ssize_t got = getrandom(rest, count, 0);
        if (got > 0) {
            rest += got;
            count -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return kCCRNGFailure;
        }
    }
    return kCCSuccess;
}

void random_fill(void *bytes, size_t count) { (void)CCRandomGenerateBytes(bytes, count); }

void wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }
