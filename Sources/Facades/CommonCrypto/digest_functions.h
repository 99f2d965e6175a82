// The digests of libcrypto that work on plain memory.
#ifndef CHATELAINE_COMMONCRYPTO_DIGEST_FUNCTIONS_H
#define CHATELAINE_COMMONCRYPTO_DIGEST_FUNCTIONS_H

#include <stdbool.h>

/// Looks the functions up in the library; false if one is missing.
bool digest_functions_load(void *handle);

#endif
