// What the enclave asks of a TPM 2.0, through tpm2-tss, whose libraries are looked for when they are needed.
#ifndef CHATELAINE_CTPM_H
#define CHATELAINE_CTPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctpm_status {
    CTPM_OK = 0,
    /// Built where the headers of tpm2-tss were not there.
    CTPM_NOT_BUILT_IN,
    /// libtss2-esys.so.0 or libtss2-mu.so.0 cannot be loaded.
    CTPM_NO_LIBRARY,
    /// No such device, or nobody listens.
    CTPM_ABSENT,
    CTPM_NO_PERMISSION,
    /// Somebody else has it, or it has no room for one more session, or asks for a pause.
    CTPM_BUSY,
    /// No answer in time.
    CTPM_SILENT,
    /// The connection broke in the middle.
    CTPM_GONE,
    /// Too many wrong authorisations, of whomever.
    CTPM_LOCKED_OUT,
    CTPM_WRONG_AUTHORIZATION,
    /// The index is not defined, or nothing was written to it.
    CTPM_NO_INDEX,
    /// There is no room for another index.
    CTPM_FULL,
    /// Something has this handle already.
    CTPM_TAKEN,
    /// The storage root key is not the expected one: cleared, or another TPM.
    CTPM_OTHER_SEED,
    /// The owner's (or endorsement's) authorisation is set, or the hierarchy is switched off.
    CTPM_OWNED,
    /// What was to be used is no key of this TPM's, or has another authorisation: it is another's, or was altered.
    CTPM_OTHER_KEY,
    /// Whatever else it says; the code tells.
    CTPM_FAILED,
};

#define CTPM_NAME_SIZE 34
#define CTPM_TAG_SIZE 32
#define CTPM_AUTHORIZATION_SIZE 32
#define CTPM_BLOB_SIZE 512
#define CTPM_NUMBER_SIZE 32
#define CTPM_TEXT_SIZE 32

/// A connection. For one thread at a time.
struct ctpm;

/// Loads the libraries, once.
enum ctpm_status ctpm_load(void);

/// Connects to a device's file, or to the socket of swtpm's data channel.
///
/// - Parameter timeout: for the answer to one command, in milliseconds.
enum ctpm_status ctpm_open(const char *path, bool is_socket, int timeout, struct ctpm **connection);
void ctpm_close(struct ctpm *connection);
/// Whether it can be used no more, and has to be opened anew.
bool ctpm_is_broken(const struct ctpm *connection);
/// The response code of what failed last.
uint32_t ctpm_last_code(const struct ctpm *connection);

/// Starts a session, salted to the storage root key, whose parameters are encrypted (AES-128-CFB) and whose answers are
/// authenticated.
///
/// - Parameter expected: the name that the storage root key has to have; NULL for any.
/// - Parameter name: the one it has.
enum ctpm_status ctpm_begin(struct ctpm *connection, const uint8_t *expected, uint8_t name[CTPM_NAME_SIZE]);
/// Ends it and forgets what it held. Nothing happens where there is none.
void ctpm_end(struct ctpm *connection);

/// The name of a key that a clearing of the TPM does not change. Needs no session.
enum ctpm_status ctpm_endorsement_name(struct ctpm *connection, uint8_t name[CTPM_NAME_SIZE]);

struct ctpm_blob {
    uint16_t public_size, private_size;
    uint8_t public_part[CTPM_BLOB_SIZE], private_part[CTPM_BLOB_SIZE];
};

/// Seals at most 128 bytes under the storage root key, without an authorisation.
enum ctpm_status ctpm_seal(struct ctpm *connection, const uint8_t *secret, size_t size, struct ctpm_blob *blob);
/// - Parameter size: the room at first, then what there is.
enum ctpm_status ctpm_unseal(struct ctpm *connection, const struct ctpm_blob *blob, uint8_t *secret, size_t *size);

/// Makes a P-256 key under the storage root key, which the TPM signs and agrees with and never gives out. It is loaded
/// once, and stays nowhere in the TPM. Wrong authorisations do not count.
///
/// - Parameter name: the one that it had when it was loaded.
enum ctpm_status ctpm_make_key(struct ctpm *connection, const uint8_t authorization[CTPM_AUTHORIZATION_SIZE],
                               struct ctpm_blob *key, uint8_t name[CTPM_NAME_SIZE]);
/// Signs a digest of 32 bytes with ECDSA.
///
/// - Parameter signature: r and s, big-endian.
enum ctpm_status ctpm_sign(struct ctpm *connection, const struct ctpm_blob *key,
                           const uint8_t authorization[CTPM_AUTHORIZATION_SIZE],
                           const uint8_t digest[CTPM_NUMBER_SIZE], uint8_t signature[2 * CTPM_NUMBER_SIZE]);
/// Multiplies a point of the curve with the key.
///
/// - Parameters:
///   - point: x and y, big-endian.
///   - product: likewise.
enum ctpm_status ctpm_agree(struct ctpm *connection, const struct ctpm_blob *key,
                            const uint8_t authorization[CTPM_AUTHORIZATION_SIZE],
                            const uint8_t point[2 * CTPM_NUMBER_SIZE], uint8_t product[2 * CTPM_NUMBER_SIZE]);

enum ctpm_kind {
    /// 32 bytes, given out against the authorisation. A wrong one counts towards the lock-out.
    CTPM_SECRET,
    /// A number that only grows. A wrong authorisation does not count.
    CTPM_COUNTER,
    /// Somebody else's.
    CTPM_FOREIGN,
};

struct ctpm_index {
    enum ctpm_kind kind;
    bool is_written;
    /// What it was marked with when it was defined.
    uint8_t tag[CTPM_TAG_SIZE];
};

/// Looks at an index. Needs no session.
enum ctpm_status ctpm_look(struct ctpm *connection, uint32_t handle, struct ctpm_index *index);
enum ctpm_status ctpm_define(struct ctpm *connection, uint32_t handle, enum ctpm_kind kind,
                             const uint8_t tag[CTPM_TAG_SIZE], const uint8_t authorization[CTPM_AUTHORIZATION_SIZE]);
/// Overwrites a secret, as the TPM's owner, and undefines the index.
enum ctpm_status ctpm_undefine(struct ctpm *connection, uint32_t handle, enum ctpm_kind kind);
enum ctpm_status ctpm_write(struct ctpm *connection, uint32_t handle,
                            const uint8_t authorization[CTPM_AUTHORIZATION_SIZE], const uint8_t *bytes, size_t size);
enum ctpm_status ctpm_read(struct ctpm *connection, uint32_t handle,
                           const uint8_t authorization[CTPM_AUTHORIZATION_SIZE], uint8_t *bytes, size_t size);
enum ctpm_status ctpm_increment(struct ctpm *connection, uint32_t handle,
                                const uint8_t authorization[CTPM_AUTHORIZATION_SIZE]);

/// Random bytes of the TPM's, at most 32. Encrypted on their way.
enum ctpm_status ctpm_random(struct ctpm *connection, uint8_t *bytes, size_t size);

/// How it limits guesses, and who made it.
struct ctpm_properties {
    bool is_locked_out;
    uint32_t failed_tries, allowed_tries;
    /// Seconds until one wrong try is forgiven.
    uint32_t interval;
    char manufacturer[CTPM_TEXT_SIZE];
};

/// Needs no session.
enum ctpm_status ctpm_properties(struct ctpm *connection, struct ctpm_properties *properties);

#endif
