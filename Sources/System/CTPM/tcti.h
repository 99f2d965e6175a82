// The way to a TPM: a device's file or swtpm's socket, with a limit to how long an answer is waited for. The ones that
// come with tpm2-tss wait for ever on a socket.
#ifndef CHATELAINE_TCTI_H
#define CHATELAINE_TCTI_H

#include <stdbool.h>
#include <tss2/tss2_tcti.h>
#include <tss2/tss2_tpm2_types.h>

#define TCTI_MADE_SIZE 8

struct tcti {
    // What tpm2-tss looks at; has to be first.
    TSS2_TCTI_CONTEXT_COMMON_V2 common;
    int descriptor;
    bool is_socket;
    int timeout;
    // A command was sent whose answer has not been read.
    bool is_pending;
    // The connection can be used no more.
    bool is_broken;
    // The last receiving ended because time was up.
    bool is_silent;
    // The code of the last command, and the first number after it.
    uint32_t command, argument;
    // Objects and sessions that were made and not flushed. Who asked may not know of one whose answer came too late.
    uint32_t made[TCTI_MADE_SIZE];
    size_t made_count;
    size_t size;
    uint8_t answer[TPM2_MAX_RESPONSE_SIZE];
};

void tcti_prepare(struct tcti *tcti, int descriptor, bool is_socket, int timeout);
/// Waits for an answer that was given up on, and throws it away. False where it has still not come.
bool tcti_drain(struct tcti *tcti);
/// Flushes what is left in the TPM of what was given up on. False where it does not answer.
bool tcti_sweep(struct tcti *tcti);

#endif
