// What swift-crypto has no call for, through OpenSSL's libcrypto, which is looked for when it is needed.
#ifndef CHATELAINE_CLIBCRYPTO_H
#define CHATELAINE_CLIBCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clibcrypto_status {
    CLIBCRYPTO_OK = 0,
    /// The library is not installed, or is not what its name says.
    CLIBCRYPTO_NO_LIBRARY,
    /// The library refuses it: a key that it cannot read, data that does not fit, a signature that is not right.
    CLIBCRYPTO_REFUSED,
};

#define CLIBCRYPTO_SHA224_SIZE 28

enum clibcrypto_padding {
    /// None: the input is as long as the modulus.
    CLIBCRYPTO_RAW,
    CLIBCRYPTO_PKCS1,
    /// OAEP without a label (RFC 8017, section 7.1.1).
    CLIBCRYPTO_OAEP,
};

struct clibcrypto_bytes {
    const uint8_t *start;
    size_t count;
};

// In all of these, `library` is what the dynamic linker is asked for: libcrypto.so.3, or something that is not there;
// `hash` is a name that OpenSSL knows ("SHA224"), for which MGF1 is done as well.

/// Whether the library is there.
bool clibcrypto_is_present(const char *library);

/// SHA-224 (FIPS 180-4, section 6.3).
enum clibcrypto_status clibcrypto_sha224(const char *library, struct clibcrypto_bytes data,
                                         uint8_t digest[CLIBCRYPTO_SHA224_SIZE]);

/// The operation of an RSA public key, around which padding is put first.
///
/// - Parameter key: RSAPublicKey in DER (RFC 8017, appendix A.1.1).
/// - Parameter output: has room for `size` bytes, as many as the modulus has.
enum clibcrypto_status clibcrypto_rsa_encrypt(const char *library, struct clibcrypto_bytes key,
                                              enum clibcrypto_padding padding, const char *hash,
                                              struct clibcrypto_bytes input, uint8_t *output, size_t size);

/// Signs a digest with PSS; the salt is as long as the digest (RFC 8017, section 8.1.1).
///
/// - Parameter key: RSAPrivateKey in DER (RFC 8017, appendix A.1.2).
/// - Parameter signature: has room for `size` bytes, as many as the modulus has.
enum clibcrypto_status clibcrypto_rsa_sign_pss(const char *library, struct clibcrypto_bytes key, const char *hash,
                                               struct clibcrypto_bytes digest, uint8_t *signature, size_t size);

/// Verifies such a signature (RFC 8017, section 8.1.2).
///
/// - Parameter key: RSAPublicKey in DER.
enum clibcrypto_status clibcrypto_rsa_verify_pss(const char *library, struct clibcrypto_bytes key, const char *hash,
                                                 struct clibcrypto_bytes digest, struct clibcrypto_bytes signature);

/// Makes an RSA key with the public exponent 65537.
///
/// - Parameter der: receives RSAPrivateKey in DER, zeroed where that ends.
/// - Parameter size: the room in `der`; receives the bytes that are used.
enum clibcrypto_status clibcrypto_rsa_generate(const char *library, int bits, uint8_t *der, size_t *size);

/// A power modulo an odd number, in a time that does not depend on the exponent. Numbers have their highest byte first.
///
/// - Parameter power: receives `size` bytes, with zeroes before the number.
enum clibcrypto_status clibcrypto_power(const char *library, struct clibcrypto_bytes base,
                                        struct clibcrypto_bytes exponent, struct clibcrypto_bytes modulus,
                                        uint8_t *power, size_t size);

#endif
