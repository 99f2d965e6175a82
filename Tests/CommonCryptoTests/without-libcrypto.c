// Compiled together with the module's own sources, for a library that is not there.
#include <limits.h>
#include <string.h>

#include "CommonCrypto/CommonCrypto.h"

#define EXPECT(condition)                                                                                              \
    if (!(condition)) {                                                                                                \
        return __LINE__ % 200 + 1;                                                                                     \
    }

int main(void) {
    unsigned char one[64] = {0}, other[64] = {0};
    const unsigned char nothing[64] = {0};
    size_t moved = 64;
    CC_SHA512_CTX context;
    EXPECT(CC_SHA512("abc", 3, one) == NULL)
    EXPECT(memcmp(one, nothing, 64) != 0)
    EXPECT(CC_SHA512_Init(&context) == 0)
    EXPECT(CC_SHA512_Update(&context, "abc", 3) == 0)
    EXPECT(CC_SHA512_Final(one, &context) == 0)
    CCHmac(kCCHmacAlgSHA512, "key", 3, "data", 4, one);
    CCHmac(kCCHmacAlgSHA512, "key", 3, "data", 4, other);
    EXPECT(memcmp(one, other, 64) != 0)
    EXPECT(CCCrypt(kCCEncrypt, kCCAlgorithmAES, kCCOptionPKCS7Padding, nothing, 16, NULL, "abc", 3, one, 64, &moved) ==
           kCCUnimplemented)
    EXPECT(moved == 0)
    EXPECT(CCKeyDerivationPBKDF(kCCPBKDF2, "p", 1, nothing, 8, kCCPRFHmacAlgSHA256, 1, one, 64) == kCCUnimplemented)
    EXPECT(CCCalibratePBKDF(kCCPBKDF2, 1, 8, kCCPRFHmacAlgSHA256, 32, 10) == UINT_MAX)
    moved = 64;
    EXPECT(CCSymmetricKeyWrap(kCCWRAPAES, CCrfc3394_iv, CCrfc3394_ivLen, nothing, 16, nothing, 16, one, &moved) ==
           kCCUnimplemented)
    EXPECT(CCRandomGenerateBytes(one, 64) == kCCSuccess)
    return 0;
}
