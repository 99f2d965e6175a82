// Ciphers that files of other people still are encrypted with, through libgcrypt, which is looked for when one is needed.
#ifndef CHATELAINE_CLEGACYCIPHERS_H
#define CHATELAINE_CLEGACYCIPHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clegacy_status {
    CLEGACY_OK = 0,
    /// The library is not installed, or is not what its name says.
    CLEGACY_NO_LIBRARY,
    /// The library does not have this cipher, or must not use it (FIPS mode).
    CLEGACY_NO_CIPHER,
    /// A key that the cipher refuses, or bytes that are no whole blocks.
    CLEGACY_FAILED,
};

enum clegacy_cipher {
    /// DES-EDE3: 24 bytes of key.
    CLEGACY_TRIPLE_DES,
    /// RC2 with 40 effective bits: 5 bytes of key.
    CLEGACY_RC2_40,
    /// RC2 with 128 effective bits: 16 bytes of key.
    CLEGACY_RC2_128,
};

#define CLEGACY_BLOCK_SIZE 8

/// Encrypts or decrypts whole blocks in CBC mode, without padding.
///
/// - Parameter library: what the dynamic linker is asked for: libgcrypt.so.20, or something that is not there.
/// - Parameter output: has room for `count` bytes. It may be `input`.
enum clegacy_status clegacy_crypt(const char *library, enum clegacy_cipher cipher, bool encrypts, const uint8_t *key,
                                  size_t key_size, const uint8_t vector[CLEGACY_BLOCK_SIZE], const uint8_t *input,
                                  uint8_t *output, size_t count);

#endif
