// A service on the session's message bus: sd-bus, found when the program runs. Messages of any type are read and written value
// by value.
#ifndef CSESSIONBUS_H
#define CSESSIONBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csystembus.h"

/// A message. It lives until it is released.
struct csessionbus_message;

/// Connects to the session's bus, or to the one at an address. 0, or a negative errno.
int csessionbus_open(const char *address, struct csystembus **bus);

/// The connection's own name; NULL where there is none.
const char *csessionbus_unique_name(struct csystembus *bus);

/// Takes a well-known name. 0; -EEXIST where somebody else has it; another negative errno.
int csessionbus_request_name(struct csystembus *bus, const char *name);

/// The process at the other end of a unique name, as the bus says. 0, or a negative errno.
int csessionbus_process_of(struct csystembus *bus, const char *name, uint32_t *process);

/// Has the bus start the owner of a name, if it has none. 0, or a negative errno.
int csessionbus_start_owner(struct csystembus *bus, const char *name);

/// Waits for the next message.
///
/// - Parameter wake: a descriptor that becomes readable when there is something else to do.
/// - Parameter end: when the wait ends, in microseconds of CLOCK_MONOTONIC.
/// - Returns: 1 with a message, which the caller releases; 0 if `wake` is readable or the time is over; a negative errno if the
///   connection is lost.
int csessionbus_next(struct csystembus *bus, int wake, uint64_t end, struct csessionbus_message **message);

void csessionbus_release(struct csessionbus_message *message);

enum csessionbus_kind { csessionbus_is_call, csessionbus_is_signal, csessionbus_is_other };

/// Texts of the message, which live as long as it does; NULL where it has none.
struct csessionbus_head {
    enum csessionbus_kind kind;
    bool wants_reply;
    const char *sender;
    const char *path;
    const char *interface;
    const char *member;
};

void csessionbus_describe(struct csessionbus_message *message, struct csessionbus_head *head);

// MARK: - Reading. Each returns 1, 0 at the end of what was entered last, or a negative errno.

int csessionbus_peek(struct csessionbus_message *message, char *type, const char **contents);
/// Texts, paths and signatures live as long as the message, and so does a descriptor.
int csessionbus_read(struct csessionbus_message *message, char type, void *value);
int csessionbus_read_bytes(struct csessionbus_message *message, const void **bytes, size_t *count);
int csessionbus_enter(struct csessionbus_message *message, char type, const char *contents);
int csessionbus_leave(struct csessionbus_message *message);
int csessionbus_skip(struct csessionbus_message *message, const char *types);

// MARK: - Writing. Each returns 0 or more, or a negative errno.

int csessionbus_new_reply(struct csessionbus_message *call, struct csessionbus_message **reply);
int csessionbus_new_error(
    struct csessionbus_message *call, const char *name, const char *text, struct csessionbus_message **reply
);
int csessionbus_new_signal(
    struct csystembus *bus, const char *path, const char *interface, const char *member, const char *destination,
    struct csessionbus_message **signal
);
int csessionbus_append(struct csessionbus_message *message, char type, const void *value);
int csessionbus_append_bytes(struct csessionbus_message *message, const void *bytes, size_t count);
int csessionbus_open_container(struct csessionbus_message *message, char type, const char *contents);
int csessionbus_close_container(struct csessionbus_message *message);
int csessionbus_send(struct csystembus *bus, struct csessionbus_message *message);

int csessionbus_new_call(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    struct csessionbus_message **call
);

/// Sends a call and waits for its answer.
///
/// - Parameter name: receives the name of the error that it is answered with; empty where there is none.
/// - Returns: 0 with the answer, which the caller releases; or a negative errno.
int csessionbus_call(
    struct csystembus *bus, struct csessionbus_message *call, uint64_t microseconds, struct csessionbus_message **reply,
    char name[256]
);

#endif
