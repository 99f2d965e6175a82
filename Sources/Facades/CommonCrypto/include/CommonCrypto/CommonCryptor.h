// Symmetric ciphers: AES, DES and triple DES. The other algorithms have their numbers, and end in kCCUnimplemented.
#ifndef CHATELAINE_COMMONCRYPTOR_H
#define CHATELAINE_COMMONCRYPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CommonCryptoError.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _CCCryptor *CCCryptorRef;

enum {
    kCCEncrypt = 0,
    kCCDecrypt = 1,
};
typedef uint32_t CCOperation;

enum {
    kCCAlgorithmAES128 = 0,
    kCCAlgorithmAES = 0,
    kCCAlgorithmDES = 1,
    kCCAlgorithm3DES = 2,
    kCCAlgorithmCAST = 3,
    kCCAlgorithmRC4 = 4,
    kCCAlgorithmRC2 = 5,
    kCCAlgorithmBlowfish = 6,
};
typedef uint32_t CCAlgorithm;

enum {
    kCCOptionPKCS7Padding = 1,
    /// Without it, CBC.
    kCCOptionECBMode = 2,
};
typedef uint32_t CCOptions;

enum {
    kCCKeySizeAES128 = 16,
    kCCKeySizeAES192 = 24,
    kCCKeySizeAES256 = 32,
    kCCKeySizeDES = 8,
    kCCKeySize3DES = 24,
    kCCKeySizeMinCAST = 5,
    kCCKeySizeMaxCAST = 16,
    kCCKeySizeMinRC4 = 1,
    kCCKeySizeMaxRC4 = 512,
    kCCKeySizeMinRC2 = 1,
    kCCKeySizeMaxRC2 = 128,
    kCCKeySizeMinBlowfish = 8,
    kCCKeySizeMaxBlowfish = 56,
};

enum {
    kCCBlockSizeAES128 = 16,
    kCCBlockSizeDES = 8,
    kCCBlockSize3DES = 8,
    kCCBlockSizeCAST = 8,
    kCCBlockSizeRC2 = 8,
    kCCBlockSizeBlowfish = 8,
};

enum {
    kCCModeECB = 1,
    kCCModeCBC = 2,
    kCCModeCFB = 3,
    /// The counter is big endian.
    kCCModeCTR = 4,
    kCCModeOFB = 7,
    kCCModeRC4 = 9,
    kCCModeCFB8 = 10,
};
typedef uint32_t CCMode;

enum {
    ccNoPadding = 0,
    /// For ECB and CBC; the other modes need none and ignore it.
    ccPKCS7Padding = 1,
};
typedef uint32_t CCPadding;

enum {
    kCCModeOptionCTR_BE = 2,
};
typedef uint32_t CCModeOptions;

/// Makes a cryptor, which CCCryptorRelease has to release. `iv` has the length of a block, or is NULL: all zeroes.
CCCryptorStatus CCCryptorCreate(CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength,
                                const void *iv, CCCryptorRef *cryptorRef);

/// The same for any mode. Tweaks belong to XTS, which is not here, and are ignored; `numRounds` has to be 0.
CCCryptorStatus CCCryptorCreateWithMode(CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv,
                                        const void *key, size_t keyLength, const void *tweak, size_t tweakLength,
                                        int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef);

/// Wipes and frees. `kCCParamError` for NULL.
CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef);

/// Encrypts or decrypts what follows. `dataOutMoved`, if not NULL, gets the number of bytes written; with
/// `kCCBufferTooSmall` the number of bytes that it needs, and the call can be made again.
CCCryptorStatus CCCryptorUpdate(CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut,
                                size_t dataOutAvailable, size_t *dataOutMoved);

/// Ends: writes what padding adds, or what it held back. `kCCAlignmentError`: no whole blocks. `kCCDecodeError`: no
/// padding, so that the key is wrong or the data is damaged.
CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

/// The most bytes that an update with so many bytes writes, together with the final call if `final`.
size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, bool final);

/// Begins anew with the same key, and another initialization vector.
CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv);

/// All at once. `dataIn` and `dataOut` can be the same.
CCCryptorStatus CCCrypt(CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength,
                        const void *iv, const void *dataIn, size_t dataInLength, void *dataOut,
                        size_t dataOutAvailable, size_t *dataOutMoved);

#ifdef __cplusplus
}
#endif

#endif
