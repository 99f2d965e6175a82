#include "control_message.h"

#include <string.h>

enum {
    message_version = 1,
    header_size = 12,
    header_uid = 8,
    // Requests.
    kind_lock = 33,
    kind_change_passcode = 65,
    kind_authorize = 67,
    kind_log_in = 76,
    kind_session_unlocked = 80,
    // Replies.
    kind_done = 128,
    kind_token = 136,
    kind_failure = 255,
    // What a failure's first byte can be.
    code_item_not_found = 8,
    code_authentication_failed = 11,
};

static void append_byte(struct locked_memory *message, uint8_t byte) {
    if (message->count < message->capacity) message->bytes[message->count++] = byte;
}

// Numbers are big-endian.
static void append_number(struct locked_memory *message, uint32_t number, int size) {
    for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) append_byte(message, (uint8_t)(number >> shift));
}

static void append_text(struct locked_memory *message, const char *text, size_t length) {
    append_number(message, (uint32_t)length, 2);
    if (length > message->capacity - message->count) return;
    memcpy(message->bytes + message->count, text, length);
    message->count += length;
}

// The header: version, kind, two zero bytes, an identifier, whose keychain.
static struct locked_memory *begin(uint8_t kind, uid_t uid, size_t body_size) {
    struct locked_memory *message = locked_memory_new(header_size + body_size);
    if (message == NULL) return NULL;
    append_byte(message, message_version);
    append_byte(message, kind);
    append_number(message, 0, 2);
    append_number(message, 1, 4);
    append_number(message, (uint32_t)uid, 4);
    return message;
}

// 0 for what is no passcode.
static size_t length_of(const char *passcode) {
    const size_t length = strlen(passcode);
    return length <= control_passcode_limit ? length : 0;
}

struct locked_memory *control_log_in(uid_t uid, const char *password) {
    const size_t length = length_of(password);
    if (length == 0) return NULL;
    struct locked_memory *message = begin(kind_log_in, uid, 3 + length);
    if (message == NULL) return NULL;
    append_byte(message, 0);
    append_text(message, password, length);
    return message;
}

void control_let_set_first(struct locked_memory *log_in) {
    if (log_in->count > header_size && log_in->bytes[1] == kind_log_in) log_in->bytes[header_size] = 1;
}

struct locked_memory *control_change(uid_t uid, const char *old_passcode, const char *new_passcode) {
    const size_t old_length = length_of(old_passcode);
    const size_t new_length = length_of(new_passcode);
    if (old_length == 0 || new_length == 0) return NULL;
    struct locked_memory *message = begin(kind_change_passcode, uid, 3 + old_length + 3 + new_length);
    if (message == NULL) return NULL;
    // Each may be missing, and has a byte before it that says that it is not.
    append_byte(message, 1);
    append_text(message, old_passcode, old_length);
    append_byte(message, 1);
    append_text(message, new_passcode, new_length);
    return message;
}

struct locked_memory *control_authorize(uid_t uid, uint8_t operation) {
    struct locked_memory *message = begin(kind_authorize, uid, 2);
    if (message == NULL) return NULL;
    append_byte(message, operation);
    // No passcode: root asks.
    append_byte(message, 0);
    return message;
}

uid_t control_uid(const struct locked_memory *message) {
    uint32_t uid = 0;
    for (size_t index = header_uid; index < header_size; index++) uid = uid << 8 | message->bytes[index];
    return uid;
}

struct locked_memory *control_lock(uid_t uid) { return begin(kind_lock, uid, 0); }

struct locked_memory *control_session_unlocked(uid_t uid) { return begin(kind_session_unlocked, uid, 0); }

const unsigned char *control_token_of_reply(const unsigned char *reply, size_t count) {
    if (count != header_size + control_token_size || reply[0] != message_version || reply[1] != kind_token) return NULL;
    return reply + header_size;
}

enum control_outcome control_outcome_of_reply(const unsigned char *reply, size_t count) {
    if (count < header_size || reply[0] != message_version) return control_refused;
    if (reply[1] == kind_done) return control_done;
    if (reply[1] != kind_failure || count <= header_size) return control_refused;
    switch (reply[header_size]) {
    case code_authentication_failed: return control_wrong_passcode;
    case code_item_not_found: return control_no_keychain;
    default: return control_refused;
    }
}
