#include "handover.h"

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

enum handover_result handover_send(struct enclave_place place, const struct locked_memory *message) {
    const long long deadline = enclave_deadline(place.milliseconds);
    const int descriptor = enclave_connect(place, control_uid(message), deadline);
    if (descriptor < 0) return handover_absent;
    const enum handover_result result = tell(descriptor, message, deadline);
    close(descriptor);
    return result;
}
