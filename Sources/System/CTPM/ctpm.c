#define _GNU_SOURCE
#include "ctpm.h"

#if __has_include(<tss2/tss2_esys.h>)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <unistd.h>

#include "tcti.h"

// MARK: - The libraries

#define ESYS_FUNCTIONS(DO)                                                                                             \
    DO(Esys_Initialize) DO(Esys_Finalize) DO(Esys_Free) DO(Esys_StartAuthSession) DO(Esys_TRSess_SetAttributes)        \
    DO(Esys_CreatePrimary) DO(Esys_Create) DO(Esys_Load) DO(Esys_Unseal) DO(Esys_FlushContext) DO(Esys_TR_GetName)     \
    DO(Esys_TR_FromTPMPublic) DO(Esys_TR_SetAuth) DO(Esys_TR_Close) DO(Esys_NV_ReadPublic) DO(Esys_NV_DefineSpace)     \
    DO(Esys_NV_UndefineSpace) DO(Esys_NV_Write) DO(Esys_NV_Read) DO(Esys_NV_Increment) DO(Esys_GetCapability)          \
    DO(Esys_GetRandom) DO(Esys_Sign) DO(Esys_ECDH_ZGen)
#define MU_FUNCTIONS(DO)                                                                                               \
    DO(Tss2_MU_TPM2B_PUBLIC_Marshal) DO(Tss2_MU_TPM2B_PUBLIC_Unmarshal) DO(Tss2_MU_TPM2B_PRIVATE_Marshal)              \
    DO(Tss2_MU_TPM2B_PRIVATE_Unmarshal)

static struct {
#define DECLARE(name) __typeof__(&name) name;
    ESYS_FUNCTIONS(DECLARE) MU_FUNCTIONS(DECLARE)
} tss;

static bool is_loaded;
// Two threads may ask first, each for a connection of its own.
static pthread_once_t loading = PTHREAD_ONCE_INIT;

static bool load(void) {
    // ESAPI writes what it thinks of answers, such as a wrong authorisation, to standard error.
    setenv("TSS2_LOG", "all+NONE", 0);
    void *esys = dlopen("libtss2-esys.so.0", RTLD_NOW | RTLD_LOCAL);
    void *mu = dlopen("libtss2-mu.so.0", RTLD_NOW | RTLD_LOCAL);
    if (esys == NULL || mu == NULL) {
        return false;
    }
#define FIND_IN(library, name)                                                                                         \
    if ((tss.name = (__typeof__(tss.name))dlsym(library, #name)) == NULL) {                                            \
        return false;                                                                                                  \
    }
#define FIND_ESYS(name) FIND_IN(esys, name)
#define FIND_MU(name) FIND_IN(mu, name)
    ESYS_FUNCTIONS(FIND_ESYS)
    MU_FUNCTIONS(FIND_MU)
    return true;
}

static void load_once(void) { is_loaded = load(); }

enum ctpm_status ctpm_load(void) {
    pthread_once(&loading, load_once);
    return is_loaded ? CTPM_OK : CTPM_NO_LIBRARY;
}

// MARK: - The connection

struct ctpm {
    struct tcti tcti;
    uint32_t code;
    // Between ctpm_begin and ctpm_end, or within one of the calls that need no session.
    ESYS_CONTEXT *esys;
    ESYS_TR root, session;
};

static enum ctpm_status status_of_errno(void) {
    switch (errno) {
    case EACCES:
    case EPERM: return CTPM_NO_PERMISSION;
    case EBUSY:
    case EAGAIN: return CTPM_BUSY;
    default: return CTPM_ABSENT;
    }
}

// Never one of the standard descriptors, which others would take for the process's input or output.
static int above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > 2) {
        return descriptor;
    }
    int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(descriptor);
    errno = error;
    return higher;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

enum ctpm_status ctpm_open(const char *path, bool is_socket, int timeout, struct ctpm **connection) {
    *connection = NULL;
    enum ctpm_status status = ctpm_load();
    if (status != CTPM_OK) {
        return status;
    }
    int descriptor = above_standard(is_socket ? connect_to(path) : open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (descriptor < 0) {
        return status_of_errno();
    }
    struct ctpm *made = calloc(1, sizeof *made);
    if (made == NULL) {
        close(descriptor);
        return CTPM_FAILED;
    }
    tcti_prepare(&made->tcti, descriptor, is_socket, timeout);
    made->root = made->session = ESYS_TR_NONE;
    *connection = made;
    return CTPM_OK;
}

void ctpm_close(struct ctpm *connection) {
    if (connection == NULL) {
        return;
    }
    ctpm_end(connection);
    close(connection->tcti.descriptor);
    explicit_bzero(connection, sizeof *connection);
    free(connection);
}

bool ctpm_is_broken(const struct ctpm *connection) { return connection->tcti.is_broken; }
uint32_t ctpm_last_code(const struct ctpm *connection) { return connection->code; }

// MARK: - What the TPM says

// The resource manager of the kernel, or of user space, adds a layer; the numbers below it are the TPM's.
static bool is_of_tpm(TSS2_RC code) {
    TSS2_RC layer = code & TSS2_RC_LAYER_MASK;
    return layer == TSS2_TPM_RC_LAYER || layer == TSS2_RESMGR_RC_LAYER || layer == TSS2_RESMGR_TPM_RC_LAYER;
}

static enum ctpm_status status_of(struct ctpm *connection, TSS2_RC code) {
    if (code == TSS2_RC_SUCCESS) {
        return CTPM_OK;
    }
    connection->code = code;
    if (connection->tcti.is_silent) {
        return CTPM_SILENT;
    }
    if (connection->tcti.is_broken) {
        return CTPM_GONE;
    }
    if (connection->tcti.is_pending) {
        return CTPM_BUSY;
    }
    TSS2_RC said = code & ~TSS2_RC_LAYER_MASK;
    if (!is_of_tpm(code)) {
        return CTPM_FAILED;
    }
    // Codes of the first format also number the handle, session or parameter that they are about.
    if (said & TPM2_RC_FMT1) {
        said &= TPM2_RC_FMT1 | 0x3F;
    }
    switch (said) {
    case TPM2_RC_LOCKOUT: return CTPM_LOCKED_OUT;
    case TPM2_RC_AUTH_FAIL: return CTPM_WRONG_AUTHORIZATION;
    case TPM2_RC_BAD_AUTH:
    case TPM2_RC_HIERARCHY: return CTPM_OWNED;
    case TPM2_RC_HANDLE:
    case TPM2_RC_NV_UNINITIALIZED: return CTPM_NO_INDEX;
    case TPM2_RC_NV_SPACE: return CTPM_FULL;
    case TPM2_RC_NV_DEFINED: return CTPM_TAKEN;
    case TPM2_RC_INTEGRITY: return CTPM_OTHER_SEED;
    case TPM2_RC_OBJECT_MEMORY:
    case TPM2_RC_OBJECT_HANDLES:
    case TPM2_RC_SESSION_MEMORY:
    case TPM2_RC_SESSION_HANDLES:
    case TPM2_RC_MEMORY:
    case TPM2_RC_CONTEXT_GAP:
    case TPM2_RC_NV_RATE:
    case TPM2_RC_NV_UNAVAILABLE:
    case TPM2_RC_RETRY:
    case TPM2_RC_YIELDED:
    case TPM2_RC_CANCELED:
    case TPM2_RC_TESTING: return CTPM_BUSY;
    default: return CTPM_FAILED;
    }
}

// For commands that ask for no authorisation but empty ones. One that is refused all the same, or by somebody on the
// wires, is nobody's passcode.
static enum ctpm_status status_without_authorization(struct ctpm *connection, TSS2_RC code) {
    enum ctpm_status status = status_of(connection, code);
    return status == CTPM_WRONG_AUTHORIZATION ? CTPM_FAILED : status;
}

// MARK: - Contexts of tpm2-tss
//
// Its buffers have had secrets in clear. So it gets a new context each time, and what it leaves is freed at the end.

static enum ctpm_status start(struct ctpm *connection) {
    if (connection->esys != NULL) {
        return CTPM_FAILED;
    }
    connection->code = 0;
    if (!tcti_drain(&connection->tcti) || !tcti_sweep(&connection->tcti)) {
        return connection->tcti.is_broken ? CTPM_GONE : CTPM_SILENT;
    }
    return status_of(connection, tss.Esys_Initialize(&connection->esys, (TSS2_TCTI_CONTEXT *)&connection->tcti, NULL));
}

static void forget(void *memory, size_t size) {
    if (memory != NULL) {
        explicit_bzero(memory, size);
        tss.Esys_Free(memory);
    }
}

void ctpm_end(struct ctpm *connection) {
    if (connection->esys == NULL) {
        return;
    }
    // What is left in a TPM without a resource manager stays there, and there is room for three.
    if (connection->session != ESYS_TR_NONE) {
        tss.Esys_FlushContext(connection->esys, connection->session);
    }
    if (connection->root != ESYS_TR_NONE) {
        tss.Esys_FlushContext(connection->esys, connection->root);
    }
    connection->root = connection->session = ESYS_TR_NONE;
    tss.Esys_Finalize(&connection->esys);
    connection->esys = NULL;
}

// The storage key of the TCG's provisioning guidance, on P-256: the same one each time, as long as the seed is.
static TSS2_RC make_primary(struct ctpm *connection, ESYS_TR hierarchy, ESYS_TR *key, uint8_t name[CTPM_NAME_SIZE]) {
    TPM2B_PUBLIC template = {
        .publicArea = {
            .type = TPM2_ALG_ECC,
            .nameAlg = TPM2_ALG_SHA256,
            .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
                                TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED |
                                TPMA_OBJECT_DECRYPT,
            .parameters.eccDetail = {
                .symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB},
                .scheme.scheme = TPM2_ALG_NULL,
                .curveID = TPM2_ECC_NIST_P256,
                .kdf.scheme = TPM2_ALG_NULL,
            },
        },
    };
    TPM2B_SENSITIVE_CREATE sensitive = {0};
    TPM2B_DATA outside = {0};
    TPML_PCR_SELECTION registers = {0};
    TSS2_RC code = tss.Esys_CreatePrimary(connection->esys, hierarchy, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE,
                                          &sensitive, &template, &outside, &registers, key, NULL, NULL, NULL, NULL);
    if (code != TSS2_RC_SUCCESS) {
        *key = ESYS_TR_NONE;
        return code;
    }
    TPM2B_NAME *found = NULL;
    code = tss.Esys_TR_GetName(connection->esys, *key, &found);
    if (code == TSS2_RC_SUCCESS && found->size != CTPM_NAME_SIZE) {
        code = TSS2_ESYS_RC_MALFORMED_RESPONSE;
    }
    if (code == TSS2_RC_SUCCESS) {
        memcpy(name, found->name, CTPM_NAME_SIZE);
    }
    tss.Esys_Free(found);
    return code;
}

enum ctpm_status ctpm_begin(struct ctpm *connection, const uint8_t *expected, uint8_t name[CTPM_NAME_SIZE]) {
    enum ctpm_status status = start(connection);
    if (status != CTPM_OK) {
        return status;
    }
    TSS2_RC code = make_primary(connection, ESYS_TR_RH_OWNER, &connection->root, name);
    if (code == TSS2_RC_SUCCESS && expected != NULL && memcmp(expected, name, CTPM_NAME_SIZE) != 0) {
        // Before the session: its salt would be encrypted to a key that anybody may have made.
        ctpm_end(connection);
        return CTPM_OTHER_SEED;
    }
    if (code == TSS2_RC_SUCCESS) {
        TPMT_SYM_DEF cipher = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
        code = tss.Esys_StartAuthSession(connection->esys, connection->root, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                         ESYS_TR_NONE, NULL, TPM2_SE_HMAC, &cipher, TPM2_ALG_SHA256,
                                         &connection->session);
        if (code != TSS2_RC_SUCCESS) {
            connection->session = ESYS_TR_NONE;
        }
    }
    status = status_without_authorization(connection, code);
    if (status != CTPM_OK) {
        ctpm_end(connection);
    }
    return status;
}

enum ctpm_status ctpm_endorsement_name(struct ctpm *connection, uint8_t name[CTPM_NAME_SIZE]) {
    enum ctpm_status status = start(connection);
    if (status == CTPM_OK) {
        status = status_of(connection, make_primary(connection, ESYS_TR_RH_ENDORSEMENT, &connection->root, name));
        ctpm_end(connection);
    }
    return status;
}

// Says which way the first parameter goes encrypted. The session stays for the next command.
static TSS2_RC protect(struct ctpm *connection, TPMA_SESSION direction) {
    return tss.Esys_TRSess_SetAttributes(connection->esys, connection->session,
                                         TPMA_SESSION_CONTINUESESSION | direction, 0xff);
}

static TPM2B_AUTH auth_of(const uint8_t *authorization) {
    TPM2B_AUTH auth = {.size = CTPM_AUTHORIZATION_SIZE};
    memcpy(auth.buffer, authorization, CTPM_AUTHORIZATION_SIZE);
    return auth;
}

// MARK: - What is kept outside
//
// The private part is encrypted for the storage root key. It goes encrypted by the session all the same, so that who
// listens does not have what a copy of the disk has.

static enum ctpm_status create(struct ctpm *connection, const TPM2B_SENSITIVE_CREATE *sensitive,
                               const TPM2B_PUBLIC *template, struct ctpm_blob *blob) {
    TPM2B_DATA outside = {0};
    TPML_PCR_SELECTION registers = {0};
    TPM2B_PRIVATE *private_part = NULL;
    TPM2B_PUBLIC *public_part = NULL;
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_Create(connection->esys, connection->root, connection->session, ESYS_TR_NONE, ESYS_TR_NONE,
                               sensitive, template, &outside, &registers, &private_part, &public_part, NULL, NULL,
                               NULL);
    }
    size_t public_size = 0, private_size = 0;
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Tss2_MU_TPM2B_PUBLIC_Marshal(public_part, blob->public_part, CTPM_BLOB_SIZE, &public_size);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Tss2_MU_TPM2B_PRIVATE_Marshal(private_part, blob->private_part, CTPM_BLOB_SIZE, &private_size);
    }
    blob->public_size = (uint16_t)public_size;
    blob->private_size = (uint16_t)private_size;
    tss.Esys_Free(private_part);
    tss.Esys_Free(public_part);
    return status_without_authorization(connection, code);
}

static bool read_blob(const struct ctpm_blob *blob, TPM2B_PUBLIC *public_part, TPM2B_PRIVATE *private_part) {
    if (blob->public_size > CTPM_BLOB_SIZE || blob->private_size > CTPM_BLOB_SIZE) {
        return false;
    }
    size_t public_offset = 0, private_offset = 0;
    return tss.Tss2_MU_TPM2B_PUBLIC_Unmarshal(blob->public_part, blob->public_size, &public_offset, public_part) == 0 &&
           tss.Tss2_MU_TPM2B_PRIVATE_Unmarshal(blob->private_part, blob->private_size, &private_offset, private_part) ==
               0 &&
           public_offset == blob->public_size && private_offset == blob->private_size;
}

// MARK: - Sealing

enum ctpm_status ctpm_seal(struct ctpm *connection, const uint8_t *secret, size_t size, struct ctpm_blob *blob) {
    TPM2B_SENSITIVE_CREATE sensitive = {0};
    if (connection->esys == NULL || size > sizeof sensitive.sensitive.data.buffer) {
        return CTPM_FAILED;
    }
    sensitive.sensitive.data.size = (uint16_t)size;
    memcpy(sensitive.sensitive.data.buffer, secret, size);
    static const TPM2B_PUBLIC template = {
        .publicArea = {
            .type = TPM2_ALG_KEYEDHASH,
            .nameAlg = TPM2_ALG_SHA256,
            .objectAttributes =
                TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA,
            .parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL,
        },
    };
    enum ctpm_status status = create(connection, &sensitive, &template, blob);
    explicit_bzero(&sensitive, sizeof sensitive);
    return status;
}

enum ctpm_status ctpm_unseal(struct ctpm *connection, const struct ctpm_blob *blob, uint8_t *secret, size_t *size) {
    TPM2B_PUBLIC public_part = {0};
    TPM2B_PRIVATE private_part = {0};
    if (connection->esys == NULL || !read_blob(blob, &public_part, &private_part)) {
        return CTPM_FAILED;
    }
    ESYS_TR object = ESYS_TR_NONE;
    TPM2B_SENSITIVE_DATA *found = NULL;
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_Load(connection->esys, connection->root, connection->session, ESYS_TR_NONE, ESYS_TR_NONE,
                             &private_part, &public_part, &object);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = protect(connection, TPMA_SESSION_ENCRYPT);
        if (code == TSS2_RC_SUCCESS) {
            code = tss.Esys_Unseal(connection->esys, object, connection->session, ESYS_TR_NONE, ESYS_TR_NONE, &found);
        }
        tss.Esys_FlushContext(connection->esys, object);
    }
    enum ctpm_status status = status_of(connection, code);
    if (status == CTPM_OK) {
        if (found->size <= *size) {
            *size = found->size;
            memcpy(secret, found->buffer, found->size);
        } else {
            status = CTPM_FAILED;
        }
    }
    forget(found, sizeof *found);
    return status;
}

// MARK: - Keys

// Without a scheme of its own, so that one key signs and agrees. A wrong authorisation, which only an altered blob has,
// does not count towards the lock-out of others.
static const TPM2B_PUBLIC key_template = {
    .publicArea = {
        .type = TPM2_ALG_ECC,
        .nameAlg = TPM2_ALG_SHA256,
        .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
                            TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_SIGN_ENCRYPT |
                            TPMA_OBJECT_DECRYPT,
        .parameters.eccDetail = {
            .symmetric.algorithm = TPM2_ALG_NULL,
            .scheme.scheme = TPM2_ALG_NULL,
            .curveID = TPM2_ECC_NIST_P256,
            .kdf.scheme = TPM2_ALG_NULL,
        },
    },
};

// Whoever loads flushes, whatever comes of it: there is room for three.
static enum ctpm_status load_key(struct ctpm *connection, const struct ctpm_blob *blob, const uint8_t *authorization,
                                 ESYS_TR *key) {
    *key = ESYS_TR_NONE;
    TPM2B_PUBLIC public_part = {0};
    TPM2B_PRIVATE private_part = {0};
    if (connection->esys == NULL) {
        return CTPM_FAILED;
    }
    if (!read_blob(blob, &public_part, &private_part)) {
        return CTPM_OTHER_KEY;
    }
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_Load(connection->esys, connection->root, connection->session, ESYS_TR_NONE, ESYS_TR_NONE,
                             &private_part, &public_part, key);
    }
    if (code == TSS2_RC_SUCCESS) {
        TPM2B_AUTH auth = auth_of(authorization);
        code = tss.Esys_TR_SetAuth(connection->esys, *key, &auth);
        explicit_bzero(&auth, sizeof auth);
        if (code != TSS2_RC_SUCCESS) {
            tss.Esys_FlushContext(connection->esys, *key);
        }
    } else {
        *key = ESYS_TR_NONE;
    }
    enum ctpm_status status = status_without_authorization(connection, code);
    // What it says of a parameter it says of the key's parts.
    return is_of_tpm(code) && (code & TPM2_RC_FMT1) && (code & TPM2_RC_P) ? CTPM_OTHER_KEY : status;
}

// Ends the use of a key. The authorisation that the TPM refuses then is the key's.
static enum ctpm_status unload_key(struct ctpm *connection, ESYS_TR key, TSS2_RC code) {
    enum ctpm_status status = status_of(connection, code);
    tss.Esys_FlushContext(connection->esys, key);
    TSS2_RC said = code & ~TSS2_RC_LAYER_MASK & (TPM2_RC_FMT1 | 0x3F);
    return is_of_tpm(code) && (said == TPM2_RC_BAD_AUTH || said == TPM2_RC_AUTH_FAIL) ? CTPM_OTHER_KEY : status;
}

// TPMs may leave out zeroes at the beginning.
static bool write_number(const TPM2B_ECC_PARAMETER *number, uint8_t bytes[CTPM_NUMBER_SIZE]) {
    if (number->size > CTPM_NUMBER_SIZE) {
        return false;
    }
    memset(bytes, 0, CTPM_NUMBER_SIZE);
    memcpy(bytes + CTPM_NUMBER_SIZE - number->size, number->buffer, number->size);
    return true;
}

enum ctpm_status ctpm_make_key(struct ctpm *connection, const uint8_t authorization[CTPM_AUTHORIZATION_SIZE],
                               struct ctpm_blob *key, uint8_t name[CTPM_NAME_SIZE]) {
    if (connection->esys == NULL) {
        return CTPM_FAILED;
    }
    TPM2B_SENSITIVE_CREATE sensitive = {0};
    sensitive.sensitive.userAuth.size = CTPM_AUTHORIZATION_SIZE;
    memcpy(sensitive.sensitive.userAuth.buffer, authorization, CTPM_AUTHORIZATION_SIZE);
    enum ctpm_status status = create(connection, &sensitive, &key_template, key);
    explicit_bzero(&sensitive, sizeof sensitive);
    ESYS_TR object = ESYS_TR_NONE;
    if (status == CTPM_OK) {
        status = load_key(connection, key, authorization, &object);
    }
    if (status != CTPM_OK) {
        return status;
    }
    TPM2B_NAME *found = NULL;
    TSS2_RC code = tss.Esys_TR_GetName(connection->esys, object, &found);
    status = unload_key(connection, object, code);
    if (status == CTPM_OK && found->size == CTPM_NAME_SIZE) {
        memcpy(name, found->name, CTPM_NAME_SIZE);
    } else if (status == CTPM_OK) {
        status = CTPM_FAILED;
    }
    tss.Esys_Free(found);
    return status;
}

enum ctpm_status ctpm_sign(struct ctpm *connection, const struct ctpm_blob *key,
                           const uint8_t authorization[CTPM_AUTHORIZATION_SIZE],
                           const uint8_t digest[CTPM_NUMBER_SIZE], uint8_t signature[2 * CTPM_NUMBER_SIZE]) {
    ESYS_TR object = ESYS_TR_NONE;
    enum ctpm_status status = load_key(connection, key, authorization, &object);
    if (status != CTPM_OK) {
        return status;
    }
    TPM2B_DIGEST message = {.size = CTPM_NUMBER_SIZE};
    memcpy(message.buffer, digest, CTPM_NUMBER_SIZE);
    TPMT_SIG_SCHEME scheme = {.scheme = TPM2_ALG_ECDSA, .details.ecdsa.hashAlg = TPM2_ALG_SHA256};
    // That the TPM has made the digest itself is asked for by restricted keys alone.
    TPMT_TK_HASHCHECK ticket = {.tag = TPM2_ST_HASHCHECK, .hierarchy = TPM2_RH_NULL};
    TPMT_SIGNATURE *found = NULL;
    // A signature is no parameter that can be encrypted.
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_Sign(connection->esys, object, connection->session, ESYS_TR_NONE, ESYS_TR_NONE, &message, &scheme,
                             &ticket, &found);
    }
    status = unload_key(connection, object, code);
    if (status == CTPM_OK &&
        (found->sigAlg != TPM2_ALG_ECDSA || !write_number(&found->signature.ecdsa.signatureR, signature) ||
         !write_number(&found->signature.ecdsa.signatureS, signature + CTPM_NUMBER_SIZE))) {
        status = CTPM_FAILED;
    }
    tss.Esys_Free(found);
    return status;
}

enum ctpm_status ctpm_agree(struct ctpm *connection, const struct ctpm_blob *key,
                            const uint8_t authorization[CTPM_AUTHORIZATION_SIZE],
                            const uint8_t point[2 * CTPM_NUMBER_SIZE], uint8_t product[2 * CTPM_NUMBER_SIZE]) {
    ESYS_TR object = ESYS_TR_NONE;
    enum ctpm_status status = load_key(connection, key, authorization, &object);
    if (status != CTPM_OK) {
        return status;
    }
    TPM2B_ECC_POINT given = {.point = {.x.size = CTPM_NUMBER_SIZE, .y.size = CTPM_NUMBER_SIZE}};
    memcpy(given.point.x.buffer, point, CTPM_NUMBER_SIZE);
    memcpy(given.point.y.buffer, point + CTPM_NUMBER_SIZE, CTPM_NUMBER_SIZE);
    TPM2B_ECC_POINT *found = NULL;
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_ECDH_ZGen(connection->esys, object, connection->session, ESYS_TR_NONE, ESYS_TR_NONE, &given,
                                  &found);
    }
    status = unload_key(connection, object, code);
    if (status == CTPM_OK && (!write_number(&found->point.x, product) ||
                              !write_number(&found->point.y, product + CTPM_NUMBER_SIZE))) {
        status = CTPM_FAILED;
    }
    forget(found, sizeof *found);
    return status;
}

// MARK: - Indexes

static const TPMA_NV secret_attributes = TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE | TPMA_NV_OWNERWRITE;
static const TPMA_NV counter_attributes = TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE | TPMA_NV_NO_DA |
                                          (TPMA_NV)TPM2_NT_COUNTER << TPMA_NV_TPM2_NT_SHIFT;

// The index as an object of ESAPI's, with the authorisation that it is to be used by.
static TSS2_RC take(struct ctpm *connection, uint32_t handle, const uint8_t *authorization, ESYS_TR *index) {
    TSS2_RC code = tss.Esys_TR_FromTPMPublic(connection->esys, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, index);
    if (code == TSS2_RC_SUCCESS && authorization != NULL) {
        TPM2B_AUTH auth = auth_of(authorization);
        code = tss.Esys_TR_SetAuth(connection->esys, *index, &auth);
        explicit_bzero(&auth, sizeof auth);
    }
    return code;
}

enum ctpm_status ctpm_look(struct ctpm *connection, uint32_t handle, struct ctpm_index *index) {
    bool is_within = connection->esys != NULL;
    enum ctpm_status status = is_within ? CTPM_OK : start(connection);
    if (status != CTPM_OK) {
        return status;
    }
    ESYS_TR object = ESYS_TR_NONE;
    TPM2B_NV_PUBLIC *found = NULL;
    TSS2_RC code = take(connection, handle, NULL, &object);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_NV_ReadPublic(connection->esys, object, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &found, NULL);
        tss.Esys_TR_Close(connection->esys, &object);
    }
    status = status_of(connection, code);
    if (status == CTPM_OK) {
        const TPMS_NV_PUBLIC *public_part = &found->nvPublic;
        TPMA_NV attributes = public_part->attributes & ~TPMA_NV_WRITTEN;
        memset(index, 0, sizeof *index);
        index->is_written = (public_part->attributes & TPMA_NV_WRITTEN) != 0;
        index->kind = CTPM_FOREIGN;
        if (public_part->authPolicy.size == CTPM_TAG_SIZE) {
            memcpy(index->tag, public_part->authPolicy.buffer, CTPM_TAG_SIZE);
            if (attributes == secret_attributes) {
                index->kind = CTPM_SECRET;
            } else if (attributes == counter_attributes) {
                index->kind = CTPM_COUNTER;
            }
        }
    }
    tss.Esys_Free(found);
    if (!is_within) {
        ctpm_end(connection);
    }
    return status;
}

enum ctpm_status ctpm_define(struct ctpm *connection, uint32_t handle, enum ctpm_kind kind,
                             const uint8_t tag[CTPM_TAG_SIZE], const uint8_t authorization[CTPM_AUTHORIZATION_SIZE]) {
    if (connection->esys == NULL) {
        return CTPM_FAILED;
    }
    TPM2B_NV_PUBLIC public_part = {
        .nvPublic = {
            .nvIndex = handle,
            .nameAlg = TPM2_ALG_SHA256,
            .attributes = kind == CTPM_COUNTER ? counter_attributes : secret_attributes,
            // A policy that nobody can meet, and that no attribute asks for: a mark of whose this is.
            .authPolicy.size = CTPM_TAG_SIZE,
            .dataSize = kind == CTPM_COUNTER ? 8 : 32,
        },
    };
    memcpy(public_part.nvPublic.authPolicy.buffer, tag, CTPM_TAG_SIZE);
    TPM2B_AUTH auth = auth_of(authorization);
    ESYS_TR index = ESYS_TR_NONE;
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_NV_DefineSpace(connection->esys, ESYS_TR_RH_OWNER, connection->session, ESYS_TR_NONE,
                                       ESYS_TR_NONE, &auth, &public_part, &index);
    }
    explicit_bzero(&auth, sizeof auth);
    if (code == TSS2_RC_SUCCESS) {
        tss.Esys_TR_Close(connection->esys, &index);
    }
    return status_of(connection, code);
}

static TSS2_RC write_as(struct ctpm *connection, ESYS_TR who, ESYS_TR index, const uint8_t *bytes, size_t size) {
    TPM2B_MAX_NV_BUFFER data = {.size = (uint16_t)size};
    memcpy(data.buffer, bytes, size);
    TSS2_RC code = protect(connection, TPMA_SESSION_DECRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_NV_Write(connection->esys, who, index, connection->session, ESYS_TR_NONE, ESYS_TR_NONE, &data, 0);
    }
    explicit_bzero(&data, sizeof data);
    return code;
}

enum ctpm_status ctpm_undefine(struct ctpm *connection, uint32_t handle, enum ctpm_kind kind) {
    if (connection->esys == NULL) {
        return CTPM_FAILED;
    }
    ESYS_TR index = ESYS_TR_NONE;
    TSS2_RC code = take(connection, handle, NULL, &index);
    if (code == TSS2_RC_SUCCESS && kind == CTPM_SECRET) {
        static const uint8_t zeroes[32];
        code = write_as(connection, ESYS_TR_RH_OWNER, index, zeroes, sizeof zeroes);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = protect(connection, 0);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_NV_UndefineSpace(connection->esys, ESYS_TR_RH_OWNER, index, connection->session, ESYS_TR_NONE,
                                         ESYS_TR_NONE);
    }
    return status_of(connection, code);
}

enum ctpm_status ctpm_write(struct ctpm *connection, uint32_t handle,
                            const uint8_t authorization[CTPM_AUTHORIZATION_SIZE], const uint8_t *bytes, size_t size) {
    if (connection->esys == NULL || size > TPM2_MAX_NV_BUFFER_SIZE) {
        return CTPM_FAILED;
    }
    ESYS_TR index = ESYS_TR_NONE;
    TSS2_RC code = take(connection, handle, authorization, &index);
    if (code == TSS2_RC_SUCCESS) {
        code = write_as(connection, index, index, bytes, size);
        tss.Esys_TR_Close(connection->esys, &index);
    }
    return status_of(connection, code);
}

enum ctpm_status ctpm_read(struct ctpm *connection, uint32_t handle,
                           const uint8_t authorization[CTPM_AUTHORIZATION_SIZE], uint8_t *bytes, size_t size) {
    if (connection->esys == NULL) {
        return CTPM_FAILED;
    }
    ESYS_TR index = ESYS_TR_NONE;
    TPM2B_MAX_NV_BUFFER *found = NULL;
    TSS2_RC code = take(connection, handle, authorization, &index);
    if (code == TSS2_RC_SUCCESS) {
        code = protect(connection, TPMA_SESSION_ENCRYPT);
        if (code == TSS2_RC_SUCCESS) {
            code = tss.Esys_NV_Read(connection->esys, index, index, connection->session, ESYS_TR_NONE, ESYS_TR_NONE,
                                    (uint16_t)size, 0, &found);
        }
        tss.Esys_TR_Close(connection->esys, &index);
    }
    enum ctpm_status status = status_of(connection, code);
    if (status == CTPM_OK) {
        if (found->size == size) {
            memcpy(bytes, found->buffer, size);
        } else {
            status = CTPM_FAILED;
        }
    }
    forget(found, sizeof *found);
    return status;
}

enum ctpm_status ctpm_increment(struct ctpm *connection, uint32_t handle,
                                const uint8_t authorization[CTPM_AUTHORIZATION_SIZE]) {
    if (connection->esys == NULL) {
        return CTPM_FAILED;
    }
    ESYS_TR index = ESYS_TR_NONE;
    TSS2_RC code = take(connection, handle, authorization, &index);
    if (code == TSS2_RC_SUCCESS) {
        code = protect(connection, 0);
        if (code == TSS2_RC_SUCCESS) {
            code = tss.Esys_NV_Increment(connection->esys, index, index, connection->session, ESYS_TR_NONE, ESYS_TR_NONE);
        }
        tss.Esys_TR_Close(connection->esys, &index);
    }
    return status_of(connection, code);
}

enum ctpm_status ctpm_random(struct ctpm *connection, uint8_t *bytes, size_t size) {
    if (connection->esys == NULL || size > 32) {
        return CTPM_FAILED;
    }
    TPM2B_DIGEST *found = NULL;
    TSS2_RC code = protect(connection, TPMA_SESSION_ENCRYPT);
    if (code == TSS2_RC_SUCCESS) {
        code = tss.Esys_GetRandom(connection->esys, connection->session, ESYS_TR_NONE, ESYS_TR_NONE, (uint16_t)size,
                                  &found);
    }
    enum ctpm_status status = status_of(connection, code);
    if (status == CTPM_OK) {
        if (found->size == size) {
            memcpy(bytes, found->buffer, size);
        } else {
            status = CTPM_FAILED;
        }
    }
    forget(found, sizeof *found);
    return status;
}

// MARK: - Properties

static TSS2_RC property(struct ctpm *connection, uint32_t which, uint32_t *value) {
    TPMI_YES_NO has_more = 0;
    TPMS_CAPABILITY_DATA *found = NULL;
    TSS2_RC code = tss.Esys_GetCapability(connection->esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                          TPM2_CAP_TPM_PROPERTIES, which, 1, &has_more, &found);
    if (code != TSS2_RC_SUCCESS) {
        return code;
    }
    const TPML_TAGGED_TPM_PROPERTY *list = &found->data.tpmProperties;
    // A TPM that does not know it answers with the next one that it knows.
    *value = list->count == 1 && list->tpmProperty[0].property == which ? list->tpmProperty[0].value : 0;
    tss.Esys_Free(found);
    return TSS2_RC_SUCCESS;
}

enum ctpm_status ctpm_properties(struct ctpm *connection, struct ctpm_properties *properties) {
    bool is_within = connection->esys != NULL;
    enum ctpm_status status = is_within ? CTPM_OK : start(connection);
    if (status != CTPM_OK) {
        return status;
    }
    memset(properties, 0, sizeof *properties);
    uint32_t permanent = 0, manufacturer = 0;
    TSS2_RC code = property(connection, TPM2_PT_PERMANENT, &permanent);
    if (code == TSS2_RC_SUCCESS) {
        code = property(connection, TPM2_PT_LOCKOUT_COUNTER, &properties->failed_tries);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = property(connection, TPM2_PT_MAX_AUTH_FAIL, &properties->allowed_tries);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = property(connection, TPM2_PT_LOCKOUT_INTERVAL, &properties->interval);
    }
    if (code == TSS2_RC_SUCCESS) {
        code = property(connection, TPM2_PT_MANUFACTURER, &manufacturer);
    }
    properties->is_locked_out = (permanent & TPMA_PERMANENT_INLOCKOUT) != 0;
    // Four letters, padded with zeroes.
    for (int index = 0; index < 4; index++) {
        char letter = (char)(manufacturer >> (24 - 8 * index));
        properties->manufacturer[index] = letter > ' ' && letter < 127 ? letter : '\0';
    }
    status = status_of(connection, code);
    if (!is_within) {
        ctpm_end(connection);
    }
    return status;
}

#else

struct ctpm {
    char nothing;
};

enum ctpm_status ctpm_load(void) { return CTPM_NOT_BUILT_IN; }
enum ctpm_status ctpm_open(const char *path, bool is_socket, int timeout, struct ctpm **connection) {
    (void)path, (void)is_socket, (void)timeout;
    *connection = NULL;
    return CTPM_NOT_BUILT_IN;
}
void ctpm_close(struct ctpm *connection) { (void)connection; }
bool ctpm_is_broken(const struct ctpm *connection) { return (void)connection, true; }
uint32_t ctpm_last_code(const struct ctpm *connection) { return (void)connection, 0; }
enum ctpm_status ctpm_begin(struct ctpm *connection, const uint8_t *expected, uint8_t *name) {
    return (void)connection, (void)expected, (void)name, CTPM_NOT_BUILT_IN;
}
void ctpm_end(struct ctpm *connection) { (void)connection; }
enum ctpm_status ctpm_endorsement_name(struct ctpm *connection, uint8_t *name) {
    return (void)connection, (void)name, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_seal(struct ctpm *connection, const uint8_t *secret, size_t size, struct ctpm_blob *blob) {
    return (void)connection, (void)secret, (void)size, (void)blob, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_unseal(struct ctpm *connection, const struct ctpm_blob *blob, uint8_t *secret, size_t *size) {
    return (void)connection, (void)blob, (void)secret, (void)size, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_make_key(struct ctpm *connection, const uint8_t *authorization, struct ctpm_blob *key,
                               uint8_t *name) {
    return (void)connection, (void)authorization, (void)key, (void)name, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_sign(struct ctpm *connection, const struct ctpm_blob *key, const uint8_t *authorization,
                           const uint8_t *digest, uint8_t *signature) {
    return (void)connection, (void)key, (void)authorization, (void)digest, (void)signature, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_agree(struct ctpm *connection, const struct ctpm_blob *key, const uint8_t *authorization,
                            const uint8_t *point, uint8_t *product) {
    return (void)connection, (void)key, (void)authorization, (void)point, (void)product, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_look(struct ctpm *connection, uint32_t handle, struct ctpm_index *index) {
    return (void)connection, (void)handle, (void)index, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_define(struct ctpm *connection, uint32_t handle, enum ctpm_kind kind, const uint8_t *tag,
                             const uint8_t *authorization) {
    return (void)connection, (void)handle, (void)kind, (void)tag, (void)authorization, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_undefine(struct ctpm *connection, uint32_t handle, enum ctpm_kind kind) {
    return (void)connection, (void)handle, (void)kind, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_write(struct ctpm *connection, uint32_t handle, const uint8_t *authorization,
                            const uint8_t *bytes, size_t size) {
    return (void)connection, (void)handle, (void)authorization, (void)bytes, (void)size, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_read(struct ctpm *connection, uint32_t handle, const uint8_t *authorization, uint8_t *bytes,
                           size_t size) {
    return (void)connection, (void)handle, (void)authorization, (void)bytes, (void)size, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_increment(struct ctpm *connection, uint32_t handle, const uint8_t *authorization) {
    return (void)connection, (void)handle, (void)authorization, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_random(struct ctpm *connection, uint8_t *bytes, size_t size) {
    return (void)connection, (void)bytes, (void)size, CTPM_NOT_BUILT_IN;
}
enum ctpm_status ctpm_properties(struct ctpm *connection, struct ctpm_properties *properties) {
    return (void)connection, (void)properties, CTPM_NOT_BUILT_IN;
}

#endif
