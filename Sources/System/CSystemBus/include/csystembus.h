// What is heard of log-in sessions and of fingerprint readers on the system's message bus: sd-bus, found when the program runs, so that nothing has to
// be linked or installed where nobody asks for it.
#ifndef CSYSTEMBUS_H
#define CSYSTEMBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A connection to the bus. One thread uses it.
struct csystembus;

/// A signal, as far as anybody here looks at it. What is longer than it may be is left empty.
struct csystembus_signal {
    /// The unique name of whoever sent it, which the bus has written.
    char sender[256];
    char path[256];
    char interface[128];
    char member[64];
    /// The arguments that there are: `u`, `b`, and up to three `s` or `o`.
    uint32_t number;
    bool flag;
    char text[3][256];
};

struct csystembus_session {
    uint32_t uid;
    char path[256];
};

/// Whether sd-bus was there when this was built, and is there now.
bool csystembus_is_available(void);

/// Connects to the system's bus, or to the one that DBUS_SYSTEM_BUS_ADDRESS names where the environment may be believed. 0, or
/// a negative errno.
int csystembus_open(struct csystembus **bus);
void csystembus_close(struct csystembus *bus);

/// Asks the bus for the signals that match a rule (D-Bus Specification, Match Rules). 0, or a negative errno.
int csystembus_watch(struct csystembus *bus, const char *rule);

/// Waits for the next signal.
///
/// - Parameter stop: a descriptor that becomes readable when nobody wants to wait any longer.
/// - Returns: 1 with a signal, 0 if `stop` is readable, a negative errno if the connection is lost.
int csystembus_next(struct csystembus *bus, int stop, struct csystembus_signal *signal);

/// The unique name of the owner of a name. 0, or a negative errno: -ENXIO where nobody owns it.
int csystembus_owner(struct csystembus *bus, const char *name, char owner[256]);

/// logind's sessions.
///
/// - Returns: how many there are, of which no more than `capacity` are written; or a negative errno.
int csystembus_sessions(struct csystembus *bus, struct csystembus_session *sessions, size_t capacity);

/// Whether a session says that its screen is locked. 0 or 1, or a negative errno.
int csystembus_is_locked(struct csystembus *bus, const char *session);

/// What kind a session is of: `user`, `greeter`, `background`, `manager` and others. 0, or a negative errno.
int csystembus_class(struct csystembus *bus, const char *session, char class[64]);

/// Has logind wait, for some seconds, before the machine sleeps, for as long as the descriptor is open. The descriptor, or a
/// negative errno.
int csystembus_delay_sleep(struct csystembus *bus, const char *who, const char *why);

// MARK: - Calls and signals in one order

enum csystembus_kind { csystembus_is_nothing, csystembus_is_signal, csystembus_is_answer, csystembus_is_refusal };

/// A message, as far as anybody here looks at it. What is longer than it may be is left empty.
struct csystembus_message {
    enum csystembus_kind kind;
    /// Of an answer or a refusal: the cookie of the call.
    uint64_t answers;
    /// Of a refusal: the error's name.
    char error[128];
    /// The unique name of whoever sent it, which the bus has written; the bus itself is `org.freedesktop.DBus`.
    char sender[256];
    char path[256];
    char interface[128];
    char member[64];
    /// All arguments' types (D-Bus Specification, Type System).
    char signature[32];
    /// The arguments that there are, also in a variant or an array: the last `u`, the last `b`, the first three `s` or `o`,
    /// and how many of these there are.
    uint32_t number;
    bool flag;
    char text[3][256];
    uint32_t texts;
};

/// Connects as csystembus_open() does, or to the bus at an address, which may be NULL. Waits for nobody. 0, or a negative
/// errno. For such a connection only what follows here is called.
int csystembus_open_at(const char *address, struct csystembus **bus);

/// Closes a connection without waiting for what has not been sent.
void csystembus_drop(struct csystembus *bus);

/// Calls a method with up to two texts, NULL where there is none, and does not wait for its answer. 0, or a negative errno.
int csystembus_send(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *text, const char *second, uint64_t *cookie
);

/// Calls StartServiceByName (D-Bus Specification), likewise.
int csystembus_start_service(struct csystembus *bus, const char *name, uint64_t *cookie);

/// Waits for the next message of any kind.
///
/// - Parameter stop: a descriptor that becomes readable when nobody wants to wait any longer; negative where there is none.
/// - Parameter end: when the wait ends, in microseconds of CLOCK_MONOTONIC.
/// - Returns: 1 with a message, 0 if `stop` is readable, -ETIMEDOUT at the end, another negative errno if the connection is
///   lost.
int csystembus_receive(struct csystembus *bus, int stop, uint64_t end, struct csystembus_message *found);

#endif
