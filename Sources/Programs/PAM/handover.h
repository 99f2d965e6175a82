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

/// Sends one message, which has all that the enclave needs: it goes on with it where nobody waits for its answer any more.
enum handover_result handover_send(struct enclave_place place, const struct locked_memory *message);

#endif
