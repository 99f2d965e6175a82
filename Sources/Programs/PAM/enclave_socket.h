// Where the enclave listens, and how it is asked something without keeping anybody waiting.
#ifndef CHATELAINE_PAM_ENCLAVE_SOCKET_H
#define CHATELAINE_PAM_ENCLAVE_SOCKET_H

#include <sys/types.h>

#include "control_message.h"
#include "locked_memory.h"

struct enclave_place {
    /// NULL: the system's socket, or that of the user's own service.
    const char *socket;
    /// How long it may take, in all.
    int milliseconds;
};

/// The moment after which nobody waits any longer, for the functions below.
long long enclave_deadline(int milliseconds);

/// A socket that is connected to the enclave of a user's keychain, or -1.
///
/// No link is followed that the user could have made, and whoever listens is looked at before anything is sent.
int enclave_connect(struct enclave_place place, uid_t uid, long long deadline);

/// The same, to the system's enclave and no other.
int enclave_connect_to_system(long long deadline);

/// Sends a message and takes its answer.
///
/// The answer's size; 0 where it has not come in time; -1 where the message could not be sent, or the other end has gone.
ssize_t enclave_exchange(
    int descriptor, const struct locked_memory *message, unsigned char reply[control_reply_limit], long long deadline);

#endif
