// Where the enclave listens, and how it is told something without keeping anybody waiting.
#ifndef CHATELAINE_PAM_HANDOVER_H
#define CHATELAINE_PAM_HANDOVER_H

#include <sys/types.h>

#include "locked_memory.h"

enum handover_result {
    /// The enclave has done it.
    handover_done,
    /// The passcode is another one.
    handover_wrong_passcode,
    /// The user has no keychain.
    handover_no_keychain,
    /// The enclave has refused, for another reason.
    handover_refused,
    /// The enclave has the message, and has not answered in time; it goes on with it.
    handover_unanswered,
    /// Nobody who may have the message listens there.
    handover_absent,
};

struct enclave_place {
    /// NULL: the system's socket, or that of the user's own service.
    const char *socket;
    /// How long it may take, in all.
    int milliseconds;
};

enum handover_purpose {
    /// Nothing is handed over where nothing is locked.
    handover_unlock,
    /// Nothing is handed over where there is no passcode.
    handover_change,
    handover_lock,
};

enum handover_result handover_send(
    struct enclave_place place, uid_t uid, enum handover_purpose purpose, const struct locked_memory *message);

#endif
