#include "include/CommonCrypto/CommonCryptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcrypto.h"

struct _CCCryptor {
    EVP_CIPHER_CTX *context;
    size_t block;
    /// How many bytes the library holds back.
    size_t pending;
    bool encrypts, is_block_mode, pads, has_ended;
    /// The end of a decryption that did not fit: the next call gets it.
    bool has_rest;
    size_t rest;
    unsigned char last[32];
};

static const char *name_of(CCMode mode) {
    switch (mode) {
    case kCCModeECB: return "ECB";
    case kCCModeCBC: return "CBC";
    case kCCModeCFB: return "CFB";
    case kCCModeCTR: return "CTR";
    case kCCModeOFB: return "OFB";
    case kCCModeCFB8: return "CFB8";
    default: return NULL;
    }
}

/// The library's name of a cipher, or the status that says why there is none.
static CCCryptorStatus find_name(CCAlgorithm alg, CCMode mode, size_t keyLength, char name[24]) {
    const char *suffix = name_of(mode);
    if (alg > kCCAlgorithmBlowfish) {
        return kCCParamError;
    }
    bool is_des = alg == kCCAlgorithmDES || alg == kCCAlgorithm3DES;
    if (suffix == NULL || (alg != kCCAlgorithmAES && !is_des) || (is_des && mode == kCCModeCTR)) {
        return kCCUnimplemented;
    }
    if (is_des) {
        snprintf(name, 24, "DES-EDE3-%s", suffix);
        size_t expected = alg == kCCAlgorithmDES ? kCCKeySizeDES : kCCKeySize3DES;
        return keyLength == expected ? kCCSuccess : kCCKeySizeError;
    }
    if (keyLength != kCCKeySizeAES128 && keyLength != kCCKeySizeAES192 && keyLength != kCCKeySizeAES256) {
        return kCCKeySizeError;
    }
    snprintf(name, 24, "AES-%d-%s", (int)keyLength * 8, suffix);
    return kCCSuccess;
}

CCCryptorStatus CCCryptorCreateWithMode(CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv,
                                        const void *key, size_t keyLength, const void *tweak, size_t tweakLength,
                                        int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef) {
    (void)tweak;
    (void)tweakLength;
    if (cryptorRef == NULL) {
        return kCCParamError;
    }
    *cryptorRef = NULL;
    if (op > kCCDecrypt || padding > ccPKCS7Padding || key == NULL) {
        return kCCParamError;
    }
    char name[24];
    CCCryptorStatus status = find_name(alg, mode, keyLength, name);
    if (status != kCCSuccess) {
        return status;
    }
    const struct libcrypto *crypto = libcrypto();
    if (numRounds != 0 || (options & ~(CCModeOptions)kCCModeOptionCTR_BE) != 0 || crypto == NULL) {
        return kCCUnimplemented;
    }
    struct _CCCryptor *cryptor = calloc(1, sizeof *cryptor);
    EVP_CIPHER_CTX *context = crypto->context_new();
    EVP_CIPHER *cipher = crypto->cipher_fetch(NULL, name, NULL);
    static const unsigned char zeroes[16];
    // Triple DES with one key thrice is DES, which OpenSSL keeps apart.
    unsigned char des_key[kCCKeySize3DES];
    if (alg == kCCAlgorithmDES) {
        for (size_t place = 0; place < sizeof des_key; place += kCCKeySizeDES) {
            memcpy(des_key + place, key, kCCKeySizeDES);
        }
        key = des_key;
    }
    if (cryptor == NULL || context == NULL) {
        status = kCCMemoryFailure;
    } else if (cipher == NULL) {
        // The library must not use it (FIPS mode).
        status = kCCUnimplemented;
    } else if (crypto->init(context, cipher, NULL, key, iv == NULL ? zeroes : iv, op == kCCEncrypt) != 1) {
        status = kCCInvalidKey;
    } else {
        cryptor->context = context;
        cryptor->block = alg == kCCAlgorithmAES ? kCCBlockSizeAES128 : kCCBlockSize3DES;
        cryptor->encrypts = op == kCCEncrypt;
        cryptor->is_block_mode = mode == kCCModeECB || mode == kCCModeCBC;
        cryptor->pads = cryptor->is_block_mode && padding == ccPKCS7Padding;
        crypto->set_padding(context, cryptor->pads);
    }
    wipe(des_key, sizeof des_key);
    if (cipher != NULL) {
        crypto->cipher_free(cipher);
    }
    if (status != kCCSuccess) {
        if (context != NULL) {
            crypto->context_free(context);
        }
        free(cryptor);
        crypto->clear_errors();
        return status;
    }
    *cryptorRef = cryptor;
    return kCCSuccess;
}

CCCryptorStatus CCCryptorCreate(CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength,
                                const void *iv, CCCryptorRef *cryptorRef) {
    if ((options & ~(CCOptions)(kCCOptionPKCS7Padding | kCCOptionECBMode)) != 0) {
        return kCCParamError;
    }
    CCMode mode = options & kCCOptionECBMode ? kCCModeECB : kCCModeCBC;
    CCPadding padding = options & kCCOptionPKCS7Padding ? ccPKCS7Padding : ccNoPadding;
    return CCCryptorCreateWithMode(op, mode, alg, padding, iv, key, keyLength, NULL, 0, 0, 0, cryptorRef);
}

CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef) {
    if (cryptorRef == NULL) {
        return kCCParamError;
    }
    // The library wipes the key.
    libcrypto()->context_free(cryptorRef->context);
    wipe(cryptorRef, sizeof *cryptorRef);
    free(cryptorRef);
    return kCCSuccess;
}

/// How many bytes an update writes. Where padding is to be taken off, the last block is held back. The caller has made
/// sure that the sum fits.
static size_t update_length(const struct _CCCryptor *cryptor, size_t count) {
    if (!cryptor->is_block_mode) {
        return count;
    }
    size_t total = cryptor->pending + count;
    if (cryptor->pads && !cryptor->encrypts && total > 0) {
        total -= 1;
    }
    return total - total % cryptor->block;
}

static size_t final_length(const struct _CCCryptor *cryptor) { return cryptor->pads ? cryptor->block : 0; }

size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, bool final) {
    if (cryptorRef == NULL || inputLength > SIZE_MAX - 64) {
        return 0;
    }
    size_t count = update_length(cryptorRef, inputLength);
    return final ? count + final_length(cryptorRef) : count;
}

static bool overlaps(const unsigned char *in, const unsigned char *out, size_t count, size_t available) {
    return (uintptr_t)in < (uintptr_t)out + available && (uintptr_t)out < (uintptr_t)in + count;
}

/// The library counts in `int`, and wants whole blocks between the pieces.
static bool process(struct _CCCryptor *cryptor, const unsigned char *in, size_t count, unsigned char *out) {
    const struct libcrypto *crypto = libcrypto();
    while (count > 0) {
        size_t piece = count < ((size_t)1 << 30) ? count : (size_t)1 << 30;
        size_t expected = update_length(cryptor, piece);
        int written = 0;
        // Where nothing is written, it wants a place all the same.
        unsigned char nowhere[32];
        if (crypto->update(cryptor->context, expected == 0 ? nowhere : out, &written, in, (int)piece) != 1 ||
            written < 0 || (size_t)written != expected) {
            crypto->clear_errors();
            return false;
        }
        if (cryptor->is_block_mode) {
            cryptor->pending = cryptor->pending + piece - expected;
        }
        in += piece;
        out += expected;
        count -= piece;
    }
    return true;
}

CCCryptorStatus CCCryptorUpdate(CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut,
                                size_t dataOutAvailable, size_t *dataOutMoved) {
    size_t ignored;
    size_t *moved = dataOutMoved == NULL ? &ignored : dataOutMoved;
    *moved = 0;
    if (cryptorRef == NULL || (dataIn == NULL && dataInLength > 0) || (dataOut == NULL && dataOutAvailable > 0)) {
        return kCCParamError;
    }
    if (cryptorRef->has_ended || cryptorRef->has_rest) {
        return kCCCallSequenceError;
    }
    if (dataInLength == 0) {
        return kCCSuccess;
    }
    if (dataInLength > SIZE_MAX - 64) {
        return kCCOverflow;
    }
    size_t needed = update_length(cryptorRef, dataInLength);
    if (dataOutAvailable < needed) {
        *moved = needed;
        return kCCBufferTooSmall;
    }
    // Input is read before output lands on it only where both begin together and nothing waits.
    unsigned char *copy = NULL;
    if (needed > 0 && overlaps(dataIn, dataOut, dataInLength, needed) &&
        (dataIn != dataOut || cryptorRef->pending > 0)) {
        copy = malloc(dataInLength);
        if (copy == NULL) {
            return kCCMemoryFailure;
        }
        memcpy(copy, dataIn, dataInLength);
    }
    bool succeeded = process(cryptorRef, copy == NULL ? dataIn : copy, dataInLength, dataOut);
    if (copy != NULL) {
        wipe(copy, dataInLength);
        free(copy);
    }
    if (!succeeded) {
        cryptorRef->has_ended = true;
        return kCCUnspecifiedError;
    }
    *moved = needed;
    return kCCSuccess;
}

CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved) {
    size_t ignored;
    size_t *moved = dataOutMoved == NULL ? &ignored : dataOutMoved;
    *moved = 0;
    if (cryptorRef == NULL || (dataOut == NULL && dataOutAvailable > 0)) {
        return kCCParamError;
    }
    if (cryptorRef->has_ended) {
        return kCCCallSequenceError;
    }
    if (!cryptorRef->is_block_mode) {
        cryptorRef->has_ended = true;
        return kCCSuccess;
    }
    bool takes_off = cryptorRef->pads && !cryptorRef->encrypts;
    if (!takes_off && !cryptorRef->pads) {
        if (cryptorRef->pending > 0) {
            return kCCAlignmentError;
        }
        cryptorRef->has_ended = true;
        return kCCSuccess;
    }
    if (takes_off && cryptorRef->pending % cryptorRef->block != 0) {
        return kCCAlignmentError;
    }
    // An encryption ends with one block exactly; what is left of a decryption is known only afterwards, and is less.
    if (cryptorRef->encrypts && dataOutAvailable < cryptorRef->block) {
        *moved = cryptorRef->block;
        return kCCBufferTooSmall;
    }
    if (!cryptorRef->has_rest) {
        const struct libcrypto *crypto = libcrypto();
        int written = 0;
        if (crypto->final(cryptorRef->context, cryptorRef->last, &written) != 1 || written < 0 ||
            (size_t)written > cryptorRef->block) {
            crypto->clear_errors();
            cryptorRef->has_ended = true;
            return kCCDecodeError;
        }
        cryptorRef->has_rest = true;
        cryptorRef->rest = (size_t)written;
    }
    *moved = cryptorRef->rest;
    if (cryptorRef->rest > dataOutAvailable) {
        return kCCBufferTooSmall;
    }
    if (cryptorRef->rest > 0) {
        memcpy(dataOut, cryptorRef->last, cryptorRef->rest);
    }
    wipe(cryptorRef->last, sizeof cryptorRef->last);
    cryptorRef->has_rest = false;
    cryptorRef->has_ended = true;
    return kCCSuccess;
}

CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv) {
    static const unsigned char zeroes[16];
    if (cryptorRef == NULL) {
        return kCCParamError;
    }
    const struct libcrypto *crypto = libcrypto();
    if (crypto->init(cryptorRef->context, NULL, NULL, NULL, iv == NULL ? zeroes : iv, -1) != 1) {
        crypto->clear_errors();
        cryptorRef->has_ended = true;
        return kCCUnspecifiedError;
    }
    wipe(cryptorRef->last, sizeof cryptorRef->last);
    cryptorRef->pending = 0;
    cryptorRef->has_rest = false;
    cryptorRef->has_ended = false;
    return kCCSuccess;
}

CCCryptorStatus CCCrypt(CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength,
                        const void *iv, const void *dataIn, size_t dataInLength, void *dataOut,
                        size_t dataOutAvailable, size_t *dataOutMoved) {
    size_t ignored;
    size_t *moved = dataOutMoved == NULL ? &ignored : dataOutMoved;
    *moved = 0;
    CCCryptorRef cryptor = NULL;
    CCCryptorStatus status = CCCryptorCreate(op, alg, options, key, keyLength, iv, &cryptor);
    if (status != kCCSuccess) {
        return status;
    }
    if (dataInLength > SIZE_MAX - 64) {
        status = kCCParamError;
    } else if ((!cryptor->pads || !cryptor->encrypts) && dataInLength % cryptor->block != 0) {
        status = kCCAlignmentError;
    } else if (!cryptor->encrypts && cryptor->pads && dataOutAvailable < update_length(cryptor, dataInLength)) {
        // How much of the last block is padding is not known yet.
        *moved = dataInLength;
        status = kCCBufferTooSmall;
    } else {
        size_t needed = CCCryptorGetOutputLength(cryptor, dataInLength, true);
        if (cryptor->encrypts && dataOutAvailable < needed) {
            *moved = needed;
            status = dataIn == NULL && dataInLength > 0 ? kCCParamError : kCCBufferTooSmall;
        }
    }
    size_t written = 0, rest = 0;
    if (status == kCCSuccess) {
        status = CCCryptorUpdate(cryptor, dataIn, dataInLength, dataOut, dataOutAvailable, &written);
        *moved = written;
    }
    if (status == kCCSuccess) {
        unsigned char *end = dataOut == NULL ? NULL : (unsigned char *)dataOut + written;
        status = CCCryptorFinal(cryptor, end, dataOutAvailable - written, &rest);
        *moved = status == kCCDecodeError ? 0 : written + rest;
    }
    CCCryptorRelease(cryptor);
    return status;
}
