// A client of message buses: sd-bus of libsystemd, found when the program runs, so that nothing has to be linked or installed
// where nobody asks for it. Messages of any type are read and written value by value.
#ifndef CSYSTEMBUS_H
#define CSYSTEMBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A connection to a bus. One thread uses it.
struct csystembus;

/// A message. It lives until it is released.
struct csystembus_message;

/// Whether libsystemd is there.
bool csystembus_is_available(void);

/// Connects to the system's bus or the session's, as the environment names them where it may be believed, or to one at an
/// address. Waits for nobody. 0, or a negative errno: -ENOSYS without libsystemd.
int csystembus_open_system(struct csystembus **bus);
int csystembus_open_session(struct csystembus **bus);
int csystembus_open_address(const char *address, struct csystembus **bus);

/// Closes a connection without waiting for what has not been sent.
void csystembus_drop(struct csystembus *bus);

/// Waits for the next message.
///
/// - Parameter wake: a descriptor that becomes readable when there is something else to do; -1 where there is none.
/// - Parameter end: when the wait ends, in microseconds of CLOCK_MONOTONIC.
/// - Returns: 1 with a message, which the caller releases; 0 if `wake` is readable; -ETIMEDOUT at the end; another negative
///   errno if the connection is lost.
int csystembus_next(struct csystembus *bus, int wake, uint64_t end, struct csystembus_message **message);

void csystembus_release(struct csystembus_message *message);

enum csystembus_kind {
    csystembus_is_call,
    csystembus_is_signal,
    csystembus_is_answer,
    csystembus_is_refusal,
    csystembus_is_other
};

/// What a message is. Its texts live as long as it does; NULL where it has none.
struct csystembus_head {
    enum csystembus_kind kind;
    bool wants_reply;
    /// Of an answer or a refusal: the cookie of the call.
    uint64_t answers;
    /// Of a refusal: the error's name.
    const char *error;
    /// The unique name of the sender, which the bus has written; the bus itself is `org.freedesktop.DBus`.
    const char *sender;
    const char *path;
    const char *interface;
    const char *member;
};

void csystembus_describe(struct csystembus_message *message, struct csystembus_head *head);

// MARK: - Reading. Each returns 1, 0 at the end of what was entered last, or a negative errno.

int csystembus_peek(struct csystembus_message *message, char *type, const char **contents);
/// Texts, paths and signatures live as long as the message, and so does a descriptor.
int csystembus_read(struct csystembus_message *message, char type, void *value);
int csystembus_read_bytes(struct csystembus_message *message, const void **bytes, size_t *count);
int csystembus_enter(struct csystembus_message *message, char type, const char *contents);
int csystembus_leave(struct csystembus_message *message);
int csystembus_skip(struct csystembus_message *message, const char *types);

// MARK: - Writing. Each returns 0 or more, or a negative errno.

int csystembus_new_call(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    struct csystembus_message **call
);
int csystembus_new_reply(struct csystembus_message *call, struct csystembus_message **reply);
int csystembus_new_error(
    struct csystembus_message *call, const char *name, const char *text, struct csystembus_message **reply
);
/// - Parameter destination: NULL for all who listen.
int csystembus_new_signal(
    struct csystembus *bus, const char *path, const char *interface, const char *member, const char *destination,
    struct csystembus_message **signal
);
int csystembus_append(struct csystembus_message *message, char type, const void *value);
int csystembus_append_bytes(struct csystembus_message *message, const void *bytes, size_t count);
int csystembus_open_container(struct csystembus_message *message, char type, const char *contents);
int csystembus_close_container(struct csystembus_message *message);

/// - Parameter cookie: receives what the answer will name; NULL where none is waited for.
int csystembus_send(struct csystembus *bus, struct csystembus_message *message, uint64_t *cookie);

/// Sends a call and waits for its answer.
///
/// - Parameter name: receives the name of the error that it is answered with; empty where there is none.
/// - Returns: 0 with the answer, which the caller releases; or a negative errno.
int csystembus_call(
    struct csystembus *bus, struct csystembus_message *call, uint64_t microseconds, struct csystembus_message **reply,
    char name[256]
);

#endif
