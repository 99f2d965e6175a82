#if __has_include(<tss2/tss2_esys.h>)
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tcti.h"

#define HEADER_SIZE 10

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// Waits for a descriptor; false once the time is up.
static bool wait_for(struct tcti *tcti, short events, long long deadline) {
    for (;;) {
        long long left = deadline - milliseconds();
        if (left < 0) {
            return false;
        }
        struct pollfd question = {.fd = tcti->descriptor, .events = events};
        int ready = poll(&question, 1, (int)left);
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

// A write to a socket whose other end is gone raises SIGPIPE.
static ssize_t give(const struct tcti *tcti, const uint8_t *bytes, size_t size) {
    if (!tcti->is_socket) {
        return write(tcti->descriptor, bytes, size);
    }
    // Not send(2): the enclave's process has few system calls.
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return sendmsg(tcti->descriptor, &message, MSG_NOSIGNAL);
}

static uint32_t number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_number(uint8_t *bytes, uint32_t number) {
    for (int index = 0; index < 4; index++) {
        bytes[index] = (uint8_t)(number >> (24 - 8 * index));
    }
}

static TSS2_RC transmit(TSS2_TCTI_CONTEXT *context, size_t size, uint8_t const *command) {
    struct tcti *tcti = (struct tcti *)context;
    if (tcti->is_broken) {
        return TSS2_TCTI_RC_NO_CONNECTION;
    }
    if (tcti->is_pending) {
        return TSS2_TCTI_RC_BAD_SEQUENCE;
    }
    long long deadline = milliseconds() + tcti->timeout;
    size_t sent = 0;
    while (sent < size) {
        ssize_t step = give(tcti, command + sent, size - sent);
        if (step > 0) {
            sent += (size_t)step;
        } else if (step < 0 && errno == EBUSY) {
            // The device has an answer, or a command, of ours that was given up on.
            tcti->is_pending = true;
            return TSS2_TCTI_RC_TRY_AGAIN;
        } else if (step < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!wait_for(tcti, POLLOUT, deadline)) {
                tcti->is_broken = tcti->is_silent = true;
                return TSS2_TCTI_RC_IO_ERROR;
            }
        } else {
            tcti->is_broken = true;
            return TSS2_TCTI_RC_IO_ERROR;
        }
    }
    tcti->command = size >= HEADER_SIZE ? number(command + 6) : 0;
    tcti->argument = size >= HEADER_SIZE + 4 ? number(command + HEADER_SIZE) : 0;
    tcti->is_pending = true;
    tcti->size = 0;
    return TSS2_RC_SUCCESS;
}

// How long the answer is, by its header; 0 before that is there.
static size_t announced(const struct tcti *tcti) {
    if (tcti->size < HEADER_SIZE) {
        return 0;
    }
    return number(tcti->answer + 2);
}

// Keeps account of what is in the TPM, by a whole answer.
static void note(struct tcti *tcti) {
    uint32_t code = number(tcti->answer + 6);
    switch (tcti->command) {
    case TPM2_CC_CreatePrimary:
    case TPM2_CC_Load:
    case TPM2_CC_StartAuthSession:
        if (code == TPM2_RC_SUCCESS && tcti->size >= HEADER_SIZE + 4 && tcti->made_count < TCTI_MADE_SIZE) {
            tcti->made[tcti->made_count++] = number(tcti->answer + HEADER_SIZE);
        }
        break;
    case TPM2_CC_FlushContext:
        // Refused it is not there either, but for a warning, which says that it may be there later.
        for (size_t index = 0; (code & (TPM2_RC_FMT1 | TPM2_RC_WARN)) != TPM2_RC_WARN && index < tcti->made_count;) {
            if (tcti->made[index] == tcti->argument) {
                tcti->made[index] = tcti->made[--tcti->made_count];
            } else {
                index++;
            }
        }
        break;
    default: break;
    }
    tcti->command = 0;
}

// Reads the rest of an answer. On success nothing is pending.
static TSS2_RC collect(struct tcti *tcti) {
    long long deadline = milliseconds() + tcti->timeout;
    tcti->is_silent = false;
    while (tcti->size < HEADER_SIZE || tcti->size < announced(tcti)) {
        if (announced(tcti) > sizeof tcti->answer) {
            tcti->is_broken = true;
            return TSS2_TCTI_RC_MALFORMED_RESPONSE;
        }
        if (!wait_for(tcti, POLLIN, deadline)) {
            tcti->is_silent = true;
            return TSS2_TCTI_RC_IO_ERROR;
        }
        ssize_t step = read(tcti->descriptor, tcti->answer + tcti->size, sizeof tcti->answer - tcti->size);
        if (step > 0) {
            tcti->size += (size_t)step;
        } else if (step == 0 || (errno != EAGAIN && errno != EINTR)) {
            tcti->is_broken = true;
            return TSS2_TCTI_RC_IO_ERROR;
        }
    }
    // Nothing but one answer comes after one command.
    if (announced(tcti) < HEADER_SIZE || tcti->size != announced(tcti)) {
        tcti->is_broken = true;
        return TSS2_TCTI_RC_MALFORMED_RESPONSE;
    }
    tcti->is_pending = false;
    note(tcti);
    return TSS2_RC_SUCCESS;
}

static TSS2_RC receive(TSS2_TCTI_CONTEXT *context, size_t *size, uint8_t *answer, int32_t timeout) {
    (void)timeout;
    struct tcti *tcti = (struct tcti *)context;
    if (tcti->is_broken) {
        return TSS2_TCTI_RC_NO_CONNECTION;
    }
    if (tcti->is_pending) {
        TSS2_RC result = collect(tcti);
        if (result != TSS2_RC_SUCCESS) {
            return result;
        }
    }
    if (answer == NULL) {
        *size = tcti->size;
        return TSS2_RC_SUCCESS;
    }
    if (*size < tcti->size) {
        return TSS2_TCTI_RC_INSUFFICIENT_BUFFER;
    }
    memcpy(answer, tcti->answer, tcti->size);
    *size = tcti->size;
    explicit_bzero(tcti->answer, sizeof tcti->answer);
    return TSS2_RC_SUCCESS;
}

// The descriptor outlives what tpm2-tss makes of it.
static void finalize(TSS2_TCTI_CONTEXT *context) { (void)context; }

static TSS2_RC cancel(TSS2_TCTI_CONTEXT *context) {
    (void)context;
    return TSS2_TCTI_RC_NOT_IMPLEMENTED;
}

static TSS2_RC handles(TSS2_TCTI_CONTEXT *context, TSS2_TCTI_POLL_HANDLE *handles, size_t *count) {
    (void)context, (void)handles, (void)count;
    return TSS2_TCTI_RC_NOT_IMPLEMENTED;
}

static TSS2_RC locality(TSS2_TCTI_CONTEXT *context, uint8_t number) {
    (void)context, (void)number;
    return TSS2_TCTI_RC_NOT_IMPLEMENTED;
}

static TSS2_RC sticky(TSS2_TCTI_CONTEXT *context, TPM2_HANDLE *handle, uint8_t is_sticky) {
    (void)context, (void)handle, (void)is_sticky;
    return TSS2_TCTI_RC_NOT_IMPLEMENTED;
}

void tcti_prepare(struct tcti *tcti, int descriptor, bool is_socket, int timeout) {
    memset(tcti, 0, sizeof *tcti);
    tcti->common.v1.version = 2;
    tcti->common.v1.transmit = transmit;
    tcti->common.v1.receive = receive;
    tcti->common.v1.finalize = finalize;
    tcti->common.v1.cancel = cancel;
    tcti->common.v1.getPollHandles = handles;
    tcti->common.v1.setLocality = locality;
    tcti->common.makeSticky = sticky;
    tcti->descriptor = descriptor;
    tcti->is_socket = is_socket;
    tcti->timeout = timeout;
}

bool tcti_drain(struct tcti *tcti) {
    if (tcti->is_pending && !tcti->is_broken) {
        collect(tcti);
        explicit_bzero(tcti->answer, sizeof tcti->answer);
    }
    return !tcti->is_pending;
}

bool tcti_sweep(struct tcti *tcti) {
    for (size_t left = tcti->made_count; left > 0; left--) {
        uint8_t command[HEADER_SIZE + 4] = {TPM2_ST_NO_SESSIONS >> 8, TPM2_ST_NO_SESSIONS & 0xFF};
        write_number(command + 2, sizeof command);
        write_number(command + 6, TPM2_CC_FlushContext);
        write_number(command + HEADER_SIZE, tcti->made[left - 1]);
        if (transmit((TSS2_TCTI_CONTEXT *)tcti, sizeof command, command) != TSS2_RC_SUCCESS ||
            collect(tcti) != TSS2_RC_SUCCESS) {
            return false;
        }
    }
    return true;
}
#endif
