// How the enclave is told something about a user's keychain.
#ifndef CHATELAINE_PAM_HANDOVER_H
#define CHATELAINE_PAM_HANDOVER_H

#include "enclave_socket.h"
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

enum handover_purpose {
    /// One message, so that the enclave has all that it needs where nobody waits for its answer.
    handover_log_in,
    /// Nothing is handed over where there is no passcode.
    handover_change,
    handover_lock,
    /// That the session was unlocked with a finger.
    handover_session_unlocked,
};

enum handover_result handover_send(
    struct enclave_place place, enum handover_purpose purpose, const struct locked_memory *message);

#endif
