// Wraps keys in keys (RFC 3394).
#ifndef CHATELAINE_COMMONSYMMETRICKEYWRAP_H
#define CHATELAINE_COMMONSYMMETRICKEYWRAP_H

#include <stddef.h>
#include <stdint.h>

#include "CommonCryptoError.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCWRAPAES = 1,
};
typedef uint32_t CCWrappingAlgorithm;

/// The initial value of RFC 3394, section 2.2.3.1: eight bytes.
extern const uint8_t *const CCrfc3394_iv;
extern const size_t CCrfc3394_ivLen;

/// Wraps a key of 16 bytes or more, in a multiple of 8. `*wrappedKeyLen` is the room for it, and then its length; with
/// `kCCBufferTooSmall`, the room that it needs.
int CCSymmetricKeyWrap(CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek,
                       size_t kekLen, const uint8_t *rawKey, size_t rawKeyLen, uint8_t *wrappedKey,
                       size_t *wrappedKeyLen);

/// `kCCDecodeError` if the key was changed, or was not wrapped in this one.
int CCSymmetricKeyUnwrap(CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek,
                         size_t kekLen, const uint8_t *wrappedKey, size_t wrappedKeyLen, uint8_t *rawKey,
                         size_t *rawKeyLen);

/// The length of a key, wrapped; 0 if there is none.
size_t CCSymmetricWrappedSize(CCWrappingAlgorithm algorithm, size_t rawKeyLen);
/// The length of a key, unwrapped; 0 if there is none.
size_t CCSymmetricUnwrappedSize(CCWrappingAlgorithm algorithm, size_t wrappedKeyLen);

#ifdef __cplusplus
}
#endif

#endif
