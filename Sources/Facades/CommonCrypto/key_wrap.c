#include "include/CommonCrypto/CommonSymmetricKeywrap.h"

#include "libcrypto.h"

static const uint8_t standard_value[8] = {0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6};
const uint8_t *const CCrfc3394_iv = standard_value;
const size_t CCrfc3394_ivLen = sizeof standard_value;

// No key is as long, and libcrypto counts in `int`.
#define LONGEST_KEY ((size_t)1 << 30)

size_t CCSymmetricWrappedSize(CCWrappingAlgorithm algorithm, size_t rawKeyLen) {
    return algorithm == kCCWRAPAES && rawKeyLen <= LONGEST_KEY ? rawKeyLen + 8 : 0;
}

size_t CCSymmetricUnwrappedSize(CCWrappingAlgorithm algorithm, size_t wrappedKeyLen) {
    return algorithm == kCCWRAPAES && wrappedKeyLen >= 8 && wrappedKeyLen <= LONGEST_KEY ? wrappedKeyLen - 8 : 0;
}

static const char *cipher_for(size_t length) {
    switch (length) {
    case 16: return "AES-128-WRAP";
    case 24: return "AES-192-WRAP";
    case 32: return "AES-256-WRAP";
    default: return NULL;
    }
}

// EVP_CIPHER_CTX_FLAG_WRAP_ALLOW
#define WRAP_ALLOW 1

static int run(const char *name, int wraps, const uint8_t *kek, const uint8_t *iv, const uint8_t *in, size_t count,
               uint8_t *out, size_t expected) {
    const struct libcrypto *crypto = libcrypto();
    EVP_CIPHER *cipher = crypto == NULL ? NULL : crypto->cipher_fetch(NULL, name, NULL);
    if (cipher == NULL) {
        return kCCUnimplemented;
    }
    int status = kCCMemoryFailure;
    EVP_CIPHER_CTX *context = crypto->context_new();
    if (context != NULL) {
        int done = 0;
        crypto->context_set_flags(context, WRAP_ALLOW);
        status = kCCUnspecifiedError;
        if (crypto->init(context, cipher, NULL, kek, iv, wraps) == 1) {
            status = crypto->update(context, out, &done, in, (int)count) == 1 && done >= 0 && (size_t)done == expected
                         ? kCCSuccess
                         : kCCDecodeError;
        }
        crypto->context_free(context);
    }
    crypto->cipher_free(cipher);
    crypto->clear_errors();
    return status;
}

static int wrap(int wraps, CCWrappingAlgorithm algorithm, const uint8_t *iv, size_t ivLen, const uint8_t *kek,
                size_t kekLen, const uint8_t *in, size_t count, uint8_t *out, size_t *outLen) {
    if (algorithm != kCCWRAPAES || iv == NULL || ivLen != sizeof standard_value || kek == NULL || in == NULL ||
        outLen == NULL || count % 8 != 0 || count < (wraps ? 16 : 24) || count > LONGEST_KEY) {
        return kCCParamError;
    }
    const char *name = cipher_for(kekLen);
    if (name == NULL) {
        return kCCKeySizeError;
    }
    size_t needed = wraps ? count + 8 : count - 8;
    if (out == NULL || *outLen < needed) {
        *outLen = needed;
        return kCCBufferTooSmall;
    }
    int status = run(name, wraps, kek, iv, in, count, out, needed);
    *outLen = status == kCCSuccess ? needed : 0;
    if (status != kCCSuccess) {
        wipe(out, needed);
    }
    return status;
}

int CCSymmetricKeyWrap(CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek,
                       size_t kekLen, const uint8_t *rawKey, size_t rawKeyLen, uint8_t *wrappedKey,
                       size_t *wrappedKeyLen) {
    return wrap(1, algorithm, iv, ivLen, kek, kekLen, rawKey, rawKeyLen, wrappedKey, wrappedKeyLen);
}

int CCSymmetricKeyUnwrap(CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek,
                         size_t kekLen, const uint8_t *wrappedKey, size_t wrappedKeyLen, uint8_t *rawKey,
                         size_t *rawKeyLen) {
    return wrap(0, algorithm, iv, ivLen, kek, kekLen, wrappedKey, wrappedKeyLen, rawKey, rawKeyLen);
}
