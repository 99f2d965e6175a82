#define _GNU_SOURCE
#include "csystembus.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// sd-bus's own types are what is behind ours (sd-bus(3)): its headers need not be installed.
typedef struct csystembus_message sd_message;
struct sd_bus;
struct sd_error {
    const char *name;
    const char *message;
    int needs_free;
};
enum { sd_call = 1, sd_answer = 2, sd_refusal = 3, sd_signal = 4 };

struct csystembus {
    struct sd_bus *connection;
};

// The functions of libsystemd that are called here, with what they return and take.
#define EACH_FUNCTION(DO)                                                                                                \
    DO(int, sd_bus_open_system, struct sd_bus **)                                                                        \
    DO(int, sd_bus_open_user, struct sd_bus **)                                                                          \
    DO(int, sd_bus_new, struct sd_bus **)                                                                                \
    DO(int, sd_bus_set_address, struct sd_bus *, const char *)                                                           \
    DO(int, sd_bus_set_bus_client, struct sd_bus *, int)                                                                 \
    DO(int, sd_bus_start, struct sd_bus *)                                                                               \
    DO(struct sd_bus *, sd_bus_close_unref, struct sd_bus *)                                                             \
    DO(struct sd_bus *, sd_bus_unref, struct sd_bus *)                                                                   \
    DO(int, sd_bus_get_fd, struct sd_bus *)                                                                              \
    DO(int, sd_bus_get_events, struct sd_bus *)                                                                          \
    DO(int, sd_bus_get_timeout, struct sd_bus *, uint64_t *)                                                             \
    DO(int, sd_bus_process, struct sd_bus *, sd_message **)                                                              \
    DO(int, sd_bus_send, struct sd_bus *, sd_message *, uint64_t *)                                                      \
    DO(int, sd_bus_call, struct sd_bus *, sd_message *, uint64_t, struct sd_error *, sd_message **)                      \
    DO(void, sd_bus_error_free, struct sd_error *)                                                                       \
    DO(int, sd_bus_message_new_method_call, struct sd_bus *, sd_message **, const char *, const char *, const char *,    \
       const char *)                                                                                                     \
    DO(int, sd_bus_message_new_method_return, sd_message *, sd_message **)                                               \
    DO(int, sd_bus_message_new_method_error, sd_message *, sd_message **, const struct sd_error *)                       \
    DO(int, sd_bus_message_new_signal, struct sd_bus *, sd_message **, const char *, const char *, const char *)         \
    DO(int, sd_bus_message_set_destination, sd_message *, const char *)                                                  \
    DO(int, sd_bus_message_append_basic, sd_message *, char, const void *)                                               \
    DO(int, sd_bus_message_append_array, sd_message *, char, const void *, size_t)                                       \
    DO(int, sd_bus_message_open_container, sd_message *, char, const char *)                                             \
    DO(int, sd_bus_message_close_container, sd_message *)                                                                \
    DO(int, sd_bus_message_get_expect_reply, sd_message *)                                                               \
    DO(int, sd_bus_message_read_array, sd_message *, char, const void **, size_t *)                                      \
    DO(int, sd_bus_message_skip, sd_message *, const char *)                                                             \
    DO(sd_message *, sd_bus_message_unref, sd_message *)                                                                 \
    DO(int, sd_bus_message_get_type, sd_message *, uint8_t *)                                                            \
    DO(const char *, sd_bus_message_get_sender, sd_message *)                                                            \
    DO(const char *, sd_bus_message_get_path, sd_message *)                                                              \
    DO(const char *, sd_bus_message_get_interface, sd_message *)                                                         \
    DO(const char *, sd_bus_message_get_member, sd_message *)                                                            \
    DO(int, sd_bus_message_get_reply_cookie, sd_message *, uint64_t *)                                                   \
    DO(const struct sd_error *, sd_bus_message_get_error, sd_message *)                                                  \
    DO(int, sd_bus_message_peek_type, sd_message *, char *, const char **)                                               \
    DO(int, sd_bus_message_read_basic, sd_message *, char, void *)                                                       \
    DO(int, sd_bus_message_enter_container, sd_message *, char, const char *)                                            \
    DO(int, sd_bus_message_exit_container, sd_message *)

#define DECLARE(result, name, ...) static result (*name)(__VA_ARGS__);
EACH_FUNCTION(DECLARE)
#undef DECLARE

static bool is_there;

static void load(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return;
    is_there = true;
#define FIND(result, name, ...)                          \
    name = (result (*)(__VA_ARGS__))dlsym(library, #name); \
    if (name == NULL) is_there = false;
    EACH_FUNCTION(FIND)
#undef FIND
}

bool csystembus_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_there;
}

// MARK: - The connection

static int open_address(const char *address, struct sd_bus **connection) {
    struct sd_bus *made = NULL;
    int result = sd_bus_new(&made);
    if (result >= 0) result = sd_bus_set_address(made, address);
    if (result >= 0) result = sd_bus_set_bus_client(made, true);
    if (result >= 0) result = sd_bus_start(made);
    if (result < 0 && made != NULL) sd_bus_unref(made);
    *connection = made;
    return result;
}

// With no address, one of the two buses that have a name.
static int open_bus(bool is_session, const char *address, struct csystembus **bus) {
    if (!csystembus_is_available()) return -ENOSYS;
    struct csystembus *made = calloc(1, sizeof *made);
    if (made == NULL) return -ENOMEM;
    const int result = address != NULL ? open_address(address, &made->connection)
        : is_session                   ? sd_bus_open_user(&made->connection)
                                       : sd_bus_open_system(&made->connection);
    if (result < 0) {
        free(made);
        return result;
    }
    *bus = made;
    return 0;
}

int csystembus_open_system(struct csystembus **bus) { return open_bus(false, NULL, bus); }
int csystembus_open_session(struct csystembus **bus) { return open_bus(true, NULL, bus); }
int csystembus_open_address(const char *address, struct csystembus **bus) { return open_bus(false, address, bus); }

void csystembus_drop(struct csystembus *bus) {
    if (bus == NULL) return;
    sd_bus_close_unref(bus->connection);
    free(bus);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

// Waits for the connection, for `wake`, or until `end`: 0, or a negative errno.
static int wait_until(struct csystembus *bus, int wake, uint64_t end) {
    const int descriptor = sd_bus_get_fd(bus->connection);
    if (descriptor < 0) return descriptor;
    const int events = sd_bus_get_events(bus->connection);
    if (events < 0) return events;
    // sd-bus has work of its own to do at times.
    uint64_t own = UINT64_MAX;
    const int timed = sd_bus_get_timeout(bus->connection, &own);
    if (timed < 0) return timed;
    if (own < end) end = own;
    const uint64_t present = now();
    const uint64_t microseconds = end > present ? end - present : 0;
    const struct timespec rest = {
        .tv_sec = (time_t)(microseconds / 1000000), .tv_nsec = (long)(microseconds % 1000000) * 1000};
    struct pollfd states[2] = {{.fd = wake, .events = POLLIN}, {.fd = descriptor, .events = (short)events}};
    if (ppoll(states, 2, &rest, NULL) < 0 && errno != EINTR) return -errno;
    return 0;
}

int csystembus_next(struct csystembus *bus, int wake, uint64_t end, struct csystembus_message **message) {
    while (true) {
        // Also between messages: somebody may send more of them than can be looked at.
        struct pollfd state = {.fd = wake, .events = POLLIN};
        if (poll(&state, 1, 0) > 0) return 0;
        if (now() >= end) return -ETIMEDOUT;
        sd_message *found = NULL;
        // With no object registered, sd-bus hands on each call, also one that nobody answers.
        const int progress = sd_bus_process(bus->connection, &found);
        if (progress < 0) return progress;
        if (found != NULL) {
            *message = found;
            return 1;
        }
        if (progress > 0) continue;
        const int result = wait_until(bus, wake, end);
        if (result < 0) return result;
    }
}

// MARK: - Messages

void csystembus_release(struct csystembus_message *message) {
    if (message != NULL) sd_bus_message_unref(message);
}

void csystembus_describe(struct csystembus_message *message, struct csystembus_head *head) {
    static const enum csystembus_kind kinds[] = {
        [sd_call] = csystembus_is_call,
        [sd_answer] = csystembus_is_answer,
        [sd_refusal] = csystembus_is_refusal,
        [sd_signal] = csystembus_is_signal,
    };
    uint8_t type = 0;
    (void)sd_bus_message_get_type(message, &type);
    *head = (struct csystembus_head){
        .kind = type >= sd_call && type <= sd_signal ? kinds[type] : csystembus_is_other,
        .wants_reply = sd_bus_message_get_expect_reply(message) > 0,
        .sender = sd_bus_message_get_sender(message),
        .path = sd_bus_message_get_path(message),
        .interface = sd_bus_message_get_interface(message),
        .member = sd_bus_message_get_member(message),
    };
    if (type == sd_answer || type == sd_refusal) (void)sd_bus_message_get_reply_cookie(message, &head->answers);
    const struct sd_error *error = type == sd_refusal ? sd_bus_message_get_error(message) : NULL;
    if (error != NULL) head->error = error->name;
}

int csystembus_peek(struct csystembus_message *message, char *type, const char **contents) {
    return sd_bus_message_peek_type(message, type, contents);
}

int csystembus_read(struct csystembus_message *message, char type, void *value) {
    return sd_bus_message_read_basic(message, type, value);
}

int csystembus_read_bytes(struct csystembus_message *message, const void **bytes, size_t *count) {
    return sd_bus_message_read_array(message, 'y', bytes, count);
}

int csystembus_enter(struct csystembus_message *message, char type, const char *contents) {
    return sd_bus_message_enter_container(message, type, contents);
}

int csystembus_leave(struct csystembus_message *message) { return sd_bus_message_exit_container(message); }

int csystembus_skip(struct csystembus_message *message, const char *types) {
    return sd_bus_message_skip(message, types);
}

int csystembus_new_call(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    struct csystembus_message **call
) {
    return sd_bus_message_new_method_call(bus->connection, call, destination, path, interface, member);
}

int csystembus_new_reply(struct csystembus_message *call, struct csystembus_message **reply) {
    return sd_bus_message_new_method_return(call, reply);
}

int csystembus_new_error(
    struct csystembus_message *call, const char *name, const char *text, struct csystembus_message **reply
) {
    const struct sd_error error = {.name = name, .message = text};
    return sd_bus_message_new_method_error(call, reply, &error);
}

int csystembus_new_signal(
    struct csystembus *bus, const char *path, const char *interface, const char *member, const char *destination,
    struct csystembus_message **signal
) {
    sd_message *made = NULL;
    int result = sd_bus_message_new_signal(bus->connection, &made, path, interface, member);
    if (result >= 0 && destination != NULL) result = sd_bus_message_set_destination(made, destination);
    if (result < 0) {
        csystembus_release(made);
        return result;
    }
    *signal = made;
    return 0;
}

int csystembus_append(struct csystembus_message *message, char type, const void *value) {
    return sd_bus_message_append_basic(message, type, value);
}

int csystembus_append_bytes(struct csystembus_message *message, const void *bytes, size_t count) {
    return sd_bus_message_append_array(message, 'y', bytes, count);
}

int csystembus_open_container(struct csystembus_message *message, char type, const char *contents) {
    return sd_bus_message_open_container(message, type, contents);
}

int csystembus_close_container(struct csystembus_message *message) { return sd_bus_message_close_container(message); }

int csystembus_send(struct csystembus *bus, struct csystembus_message *message, uint64_t *cookie) {
    return sd_bus_send(bus->connection, message, cookie);
}

int csystembus_call(
    struct csystembus *bus, struct csystembus_message *call, uint64_t microseconds, struct csystembus_message **reply,
    char name[256]
) {
    struct sd_error failure = {0};
    const int result = sd_bus_call(bus->connection, call, microseconds, &failure, reply);
    const size_t length = failure.name == NULL ? 256 : strlen(failure.name);
    name[0] = '\0';
    if (length < 256) memcpy(name, failure.name, length + 1);
    sd_bus_error_free(&failure);
    return result < 0 ? result : 0;
}
