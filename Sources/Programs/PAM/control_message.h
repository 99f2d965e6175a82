// The messages that the enclave takes on its control socket, as far as a log-in and an authorization need them. docs/formats/enclave-messages.md has all.
#ifndef CHATELAINE_PAM_CONTROL_MESSAGE_H
#define CHATELAINE_PAM_CONTROL_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "locked_memory.h"

/// The longest passcode, in bytes.
enum { control_passcode_limit = 1024 };

/// What came of a message.
enum control_outcome {
    control_done,
    control_wrong_passcode,
    /// The user has none so far.
    control_no_keychain,
    control_refused,
};

// Each makes a message in memory of its own; NULL where there is no memory, or a password is empty or too long.

struct locked_memory *control_log_in(uid_t uid, const char *password);
struct locked_memory *control_change(uid_t uid, const char *old_passcode, const char *new_passcode);
struct locked_memory *control_lock(uid_t uid);
/// Says, as root, that the user's session was unlocked with a finger.
struct locked_memory *control_session_unlocked(uid_t uid);
/// Asks, as root, for leave to have one operation done; its number is the enclave's.
struct locked_memory *control_authorize(uid_t uid, uint8_t operation);

/// Lets the password in a message of `control_log_in` become the passcode of a keychain that has none.
void control_let_set_first(struct locked_memory *log_in);

/// Whose keychain a message is about.
uid_t control_uid(const struct locked_memory *message);

/// The longest answer.
enum { control_reply_limit = 4096 };

enum { control_token_size = 32 };

/// The token of an answer to `control_authorize`; NULL for every other answer.
const unsigned char *control_token_of_reply(const unsigned char *reply, size_t count);

enum control_outcome control_outcome_of_reply(const unsigned char *reply, size_t count);

#endif
