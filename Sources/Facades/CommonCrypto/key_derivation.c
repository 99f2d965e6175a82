#define _GNU_SOURCE
#include <limits.h>
#include <time.h>

#include "include/CommonCrypto/CommonKeyDerivation.h"
#include "libcrypto.h"

static const struct digest_information *digest_of(CCPseudoRandomAlgorithm prf) {
    switch (prf) {
    case kCCPRFHmacAlgSHA1: return &digest_table[DIGEST_SHA1];
    case kCCPRFHmacAlgSHA224: return &digest_table[DIGEST_SHA224];
    case kCCPRFHmacAlgSHA256: return &digest_table[DIGEST_SHA256];
    case kCCPRFHmacAlgSHA384: return &digest_table[DIGEST_SHA384];
    case kCCPRFHmacAlgSHA512: return &digest_table[DIGEST_SHA512];
    default: return NULL;
    }
}

int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt,
                         size_t saltLen, CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey,
                         size_t derivedKeyLen) {
    const struct digest_information *digest = digest_of(prf);
    if (algorithm != kCCPBKDF2 || digest == NULL || (password == NULL && passwordLen > 0) ||
        (salt == NULL && saltLen > 0) || rounds == 0 || derivedKey == NULL || derivedKeyLen == 0 ||
        passwordLen > INT_MAX || saltLen > INT_MAX || derivedKeyLen > INT_MAX || rounds > INT_MAX) {
        return kCCParamError;
    }
    const struct libcrypto *crypto = libcrypto();
    const EVP_MD *function = crypto == NULL ? NULL : crypto->digest_by_name(digest->name);
    if (function == NULL) {
        return kCCUnimplemented;
    }
    // The library would take NULL for no password, and read a salt without bytes nowhere.
    int done = crypto->pbkdf2(password == NULL ? "" : password, (int)passwordLen,
                              salt == NULL ? (const uint8_t *)"" : salt, (int)saltLen, (int)rounds, function,
                              (int)derivedKeyLen, derivedKey);
    if (done != 1) {
        crypto->clear_errors();
        wipe(derivedKey, derivedKeyLen);
        return kCCUnspecifiedError;
    }
    return kCCSuccess;
}

static uint64_t nanoseconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

unsigned CCCalibratePBKDF(CCPBKDFAlgorithm algorithm, size_t passwordLen, size_t saltLen, CCPseudoRandomAlgorithm prf,
                          size_t derivedKeyLen, uint32_t msec) {
    const struct digest_information *digest = digest_of(prf);
    if (derivedKeyLen == 0 || derivedKeyLen > INT_MAX || passwordLen > INT_MAX || saltLen > INT_MAX || digest == NULL) {
        return UINT_MAX;
    }
    // Passwords and salts are read once, whatever the number of rounds. Every block of the key costs all rounds.
    uint64_t blocks = (derivedKeyLen + digest->length - 1) / digest->length;
    uint8_t key[64];
    const unsigned most = 1u << 22;
    for (unsigned rounds = 10000; rounds <= most; rounds *= 2) {
        uint64_t before = nanoseconds();
        int status = CCKeyDerivationPBKDF(algorithm, "password", 8, (const uint8_t *)"saltsalt", 8, prf, rounds, key,
                                          digest->length);
        uint64_t elapsed = nanoseconds() - before;
        wipe(key, sizeof key);
        if (status != kCCSuccess) {
            return UINT_MAX;
        }
        // Twenty milliseconds are long enough to measure.
        if (elapsed < 20000000 && rounds * 2 <= most) {
            continue;
        }
        double wanted = (double)rounds * msec * 1e6 / ((double)(elapsed == 0 ? 1 : elapsed) * (double)blocks);
        return wanted < 10000 ? 10000 : wanted > INT_MAX ? INT_MAX : (unsigned)wanted;
    }
    return UINT_MAX;
}
