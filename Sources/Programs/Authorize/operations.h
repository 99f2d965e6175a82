// What can be authorized, as the enclave numbers it.
#ifndef CHATELAINE_AUTHORIZE_OPERATIONS_H
#define CHATELAINE_AUTHORIZE_OPERATIONS_H

#include <stdint.h>

struct operation {
    /// The argument by which it is asked for, and the end of its action's name in org.chatelaine.policy.
    const char *name;
    /// In a message of the enclave's: docs/formats/enclave-messages.md.
    uint8_t number;
    /// Completes "Authentication is required to ": the words of org.chatelaine.policy.
    const char *purpose;
};

/// NULL for any other name.
const struct operation *operation_named(const char *name);

#endif
