#include "handover.h"

#include <stdbool.h>
#include <unistd.h>

#include "control_message.h"

static enum handover_result result_of_reply(const unsigned char *reply, size_t count) {
    switch (control_outcome_of_reply(reply, count)) {
    case control_done: return handover_done;
    case control_wrong_passcode: return handover_wrong_passcode;
    case control_no_keychain: return handover_no_keychain;
    case control_refused: return handover_refused;
    }
    return handover_refused;
}

static enum handover_result tell(int descriptor, const struct locked_memory *message, long long deadline) {
    unsigned char reply[control_reply_limit];
    const ssize_t count = enclave_exchange(descriptor, message, reply, deadline);
    if (count < 0) return handover_refused;
    if (count == 0) return handover_unanswered;
    return result_of_reply(reply, (size_t)count);
}

// False where the enclave does not say: there is no keychain, or it has gone.
static bool find_state(int descriptor, uid_t uid, struct control_state_reply *state, long long deadline) {
    struct locked_memory *question = control_state(uid);
    if (question == NULL) return false;
    unsigned char reply[control_reply_limit];
    const ssize_t count = enclave_exchange(descriptor, question, reply, deadline);
    locked_memory_free(question);
    return count > 0 && control_state_of_reply(reply, (size_t)count, state);
}

// Looks before a change whether there is a passcode, so that none is set by one.
static enum handover_result talk(
    int descriptor, enum handover_purpose purpose, const struct locked_memory *message, long long deadline) {
    struct control_state_reply state;
    if (purpose == handover_change && find_state(descriptor, control_uid(message), &state, deadline)) {
        if (!state.has_passcode) return handover_done;
    }
    return tell(descriptor, message, deadline);
}

enum handover_result handover_send(
    struct enclave_place place, enum handover_purpose purpose, const struct locked_memory *message) {
    const long long deadline = enclave_deadline(place.milliseconds);
    const int descriptor = enclave_connect(place, control_uid(message), deadline);
    if (descriptor < 0) return handover_absent;
    const enum handover_result result = talk(descriptor, purpose, message, deadline);
    close(descriptor);
    return result;
}
