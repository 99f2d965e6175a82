#ifndef CHATELAINE_COMMONCRYPTOERROR_H
#define CHATELAINE_COMMONCRYPTOERROR_H

#include <stdint.h>

enum {
    kCCSuccess = 0,
    /// A value that the function does not take, or NULL where something is needed.
    kCCParamError = -4300,
    /// The output does not fit; the function says how much room it needs, and can be called again.
    kCCBufferTooSmall = -4301,
    kCCMemoryFailure = -4302,
    /// The input is no whole number of blocks, and nothing pads it.
    kCCAlignmentError = -4303,
    /// The input is not what the key decrypts or unwraps.
    kCCDecodeError = -4304,
    /// Not available here: the algorithm is not, or libcrypto.so.3 is not installed.
    kCCUnimplemented = -4305,
    kCCOverflow = -4306,
    kCCRNGFailure = -4307,
    kCCUnspecifiedError = -4308,
    /// An update after the end, without a reset.
    kCCCallSequenceError = -4309,
    /// A key of a length that the algorithm does not take.
    kCCKeySizeError = -4310,
    kCCInvalidKey = -4311,
};

typedef int32_t CCStatus;
typedef int32_t CCCryptorStatus;

#endif
