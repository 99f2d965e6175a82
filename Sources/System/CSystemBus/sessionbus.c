#define _GNU_SOURCE
#include "csessionbus.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "systembus.h"

#ifdef CSYSTEMBUS_HAS_SYSTEMD

#define lib csystembus_lib

static const char driver_name[] = "org.freedesktop.DBus";
static const char driver_path[] = "/org/freedesktop/DBus";

// sd-bus's own type is what is behind ours.
static sd_bus_message *real(struct csessionbus_message *message) { return (sd_bus_message *)message; }
static struct csessionbus_message *ours(sd_bus_message *message) { return (struct csessionbus_message *)message; }

int csessionbus_open(const char *address, struct csystembus **bus) {
    if (address != NULL) return csystembus_open_at(address, bus);
    if (!csystembus_is_available()) return -ENOSYS;
    struct csystembus *made = calloc(1, sizeof *made);
    if (made == NULL) return -ENOMEM;
    const int result = lib.sd_bus_open_user(&made->connection);
    if (result < 0) {
        free(made);
        return result;
    }
    *bus = made;
    return 0;
}

const char *csessionbus_unique_name(struct csystembus *bus) {
    const char *name = NULL;
    return lib.sd_bus_get_unique_name(bus->connection, &name) < 0 ? NULL : name;
}

int csessionbus_request_name(struct csystembus *bus, const char *name) {
    const int result = lib.sd_bus_request_name(bus->connection, name, 0);
    return result < 0 ? result : 0;
}

int csessionbus_process_of(struct csystembus *bus, const char *name, uint32_t *process) {
    sd_bus_error failure = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    int result = lib.sd_bus_call_method(
        bus->connection, driver_name, driver_path, driver_name, "GetConnectionUnixProcessID", &failure, &reply, "s", name);
    lib.sd_bus_error_free(&failure);
    if (result < 0) return result;
    result = lib.sd_bus_message_read_basic(reply, SD_BUS_TYPE_UINT32, process);
    lib.sd_bus_message_unref(reply);
    if (result > 0) return 0;
    return result < 0 ? result : -EBADMSG;
}

int csessionbus_start_owner(struct csystembus *bus, const char *name) {
    sd_bus_error failure = SD_BUS_ERROR_NULL;
    const int result = lib.sd_bus_call_method(
        bus->connection, driver_name, driver_path, driver_name, "StartServiceByName", &failure, NULL, "su", name, 0);
    lib.sd_bus_error_free(&failure);
    return result < 0 ? result : 0;
}

int csessionbus_next(struct csystembus *bus, int wake, uint64_t end, struct csessionbus_message **message) {
    while (true) {
        // Also between messages: a client may send more of them than can be answered.
        struct pollfd state = {.fd = wake, .events = POLLIN};
        if (poll(&state, 1, 0) > 0 || csystembus_now() >= end) return 0;
        sd_bus_message *found = NULL;
        // With no object registered, sd-bus hands on each call, also one that nobody answers.
        const int progress = lib.sd_bus_process(bus->connection, &found);
        if (progress < 0) return progress;
        if (found != NULL) {
            *message = ours(found);
            return 1;
        }
        if (progress > 0) continue;
        const int result = csystembus_wait_until(bus, wake, end);
        if (result < 0) return result;
    }
}

void csessionbus_release(struct csessionbus_message *message) {
    if (message != NULL) lib.sd_bus_message_unref(real(message));
}

void csessionbus_describe(struct csessionbus_message *message, struct csessionbus_head *head) {
    uint8_t type = 0;
    (void)lib.sd_bus_message_get_type(real(message), &type);
    *head = (struct csessionbus_head){
        .kind = type == SD_BUS_MESSAGE_METHOD_CALL ? csessionbus_is_call
            : type == SD_BUS_MESSAGE_SIGNAL        ? csessionbus_is_signal
                                                   : csessionbus_is_other,
        .wants_reply = lib.sd_bus_message_get_expect_reply(real(message)) > 0,
        .sender = lib.sd_bus_message_get_sender(real(message)),
        .path = lib.sd_bus_message_get_path(real(message)),
        .interface = lib.sd_bus_message_get_interface(real(message)),
        .member = lib.sd_bus_message_get_member(real(message)),
    };
}

int csessionbus_peek(struct csessionbus_message *message, char *type, const char **contents) {
    return lib.sd_bus_message_peek_type(real(message), type, contents);
}

int csessionbus_read(struct csessionbus_message *message, char type, void *value) {
    return lib.sd_bus_message_read_basic(real(message), type, value);
}

int csessionbus_read_bytes(struct csessionbus_message *message, const void **bytes, size_t *count) {
    return lib.sd_bus_message_read_array(real(message), SD_BUS_TYPE_BYTE, bytes, count);
}

int csessionbus_enter(struct csessionbus_message *message, char type, const char *contents) {
    return lib.sd_bus_message_enter_container(real(message), type, contents);
}

int csessionbus_leave(struct csessionbus_message *message) { return lib.sd_bus_message_exit_container(real(message)); }

int csessionbus_skip(struct csessionbus_message *message, const char *types) {
    return lib.sd_bus_message_skip(real(message), types);
}

int csessionbus_new_reply(struct csessionbus_message *call, struct csessionbus_message **reply) {
    return lib.sd_bus_message_new_method_return(real(call), (sd_bus_message **)reply);
}

int csessionbus_new_error(
    struct csessionbus_message *call, const char *name, const char *text, struct csessionbus_message **reply
) {
    const sd_bus_error error = {.name = name, .message = text};
    return lib.sd_bus_message_new_method_error(real(call), (sd_bus_message **)reply, &error);
}

int csessionbus_new_signal(
    struct csystembus *bus, const char *path, const char *interface, const char *member, const char *destination,
    struct csessionbus_message **signal
) {
    sd_bus_message *made = NULL;
    int result = lib.sd_bus_message_new_signal(bus->connection, &made, path, interface, member);
    if (result >= 0 && destination != NULL) result = lib.sd_bus_message_set_destination(made, destination);
    if (result < 0) {
        if (made != NULL) lib.sd_bus_message_unref(made);
        return result;
    }
    *signal = ours(made);
    return 0;
}

int csessionbus_append(struct csessionbus_message *message, char type, const void *value) {
    return lib.sd_bus_message_append_basic(real(message), type, value);
}

int csessionbus_append_bytes(struct csessionbus_message *message, const void *bytes, size_t count) {
    return lib.sd_bus_message_append_array(real(message), SD_BUS_TYPE_BYTE, bytes, count);
}

int csessionbus_open_container(struct csessionbus_message *message, char type, const char *contents) {
    return lib.sd_bus_message_open_container(real(message), type, contents);
}

int csessionbus_close_container(struct csessionbus_message *message) {
    return lib.sd_bus_message_close_container(real(message));
}

int csessionbus_send(struct csystembus *bus, struct csessionbus_message *message) {
    return lib.sd_bus_send(bus->connection, real(message), NULL);
}

int csessionbus_new_call(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    struct csessionbus_message **call
) {
    return lib.sd_bus_message_new_method_call(
        bus->connection, (sd_bus_message **)call, destination, path, interface, member);
}

int csessionbus_call(
    struct csystembus *bus, struct csessionbus_message *call, uint64_t microseconds, struct csessionbus_message **reply,
    char name[256]
) {
    sd_bus_error failure = SD_BUS_ERROR_NULL;
    const int result =
        lib.sd_bus_call(bus->connection, real(call), microseconds, &failure, (sd_bus_message **)reply);
    csystembus_copy(name, 256, failure.name);
    lib.sd_bus_error_free(&failure);
    return result < 0 ? result : 0;
}

#else

int csessionbus_new_call(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    struct csessionbus_message **call
) {
    (void)bus; (void)destination; (void)path; (void)interface; (void)member; (void)call;
    return -ENOSYS;
}
int csessionbus_call(
    struct csystembus *bus, struct csessionbus_message *call, uint64_t microseconds, struct csessionbus_message **reply,
    char name[256]
) {
    (void)bus; (void)call; (void)microseconds; (void)reply;
    name[0] = '\0';
    return -ENOSYS;
}
int csessionbus_open(const char *address, struct csystembus **bus) { (void)address; (void)bus; return -ENOSYS; }
const char *csessionbus_unique_name(struct csystembus *bus) { (void)bus; return NULL; }
int csessionbus_request_name(struct csystembus *bus, const char *name) { (void)bus; (void)name; return -ENOSYS; }
int csessionbus_process_of(struct csystembus *bus, const char *name, uint32_t *process) {
    (void)bus; (void)name; (void)process;
    return -ENOSYS;
}
int csessionbus_start_owner(struct csystembus *bus, const char *name) { (void)bus; (void)name; return -ENOSYS; }
int csessionbus_next(struct csystembus *bus, int wake, uint64_t end, struct csessionbus_message **message) {
    (void)bus; (void)wake; (void)end; (void)message;
    return -ENOSYS;
}
void csessionbus_release(struct csessionbus_message *message) { (void)message; }
void csessionbus_describe(struct csessionbus_message *message, struct csessionbus_head *head) {
    (void)message;
    *head = (struct csessionbus_head){.kind = csessionbus_is_other};
}
int csessionbus_peek(struct csessionbus_message *message, char *type, const char **contents) {
    (void)message; (void)type; (void)contents;
    return -ENOSYS;
}
int csessionbus_read(struct csessionbus_message *message, char type, void *value) {
    (void)message; (void)type; (void)value;
    return -ENOSYS;
}
int csessionbus_read_bytes(struct csessionbus_message *message, const void **bytes, size_t *count) {
    (void)message; (void)bytes; (void)count;
    return -ENOSYS;
}
int csessionbus_enter(struct csessionbus_message *message, char type, const char *contents) {
    (void)message; (void)type; (void)contents;
    return -ENOSYS;
}
int csessionbus_leave(struct csessionbus_message *message) { (void)message; return -ENOSYS; }
int csessionbus_skip(struct csessionbus_message *message, const char *types) {
    (void)message; (void)types;
    return -ENOSYS;
}
int csessionbus_new_reply(struct csessionbus_message *call, struct csessionbus_message **reply) {
    (void)call; (void)reply;
    return -ENOSYS;
}
int csessionbus_new_error(
    struct csessionbus_message *call, const char *name, const char *text, struct csessionbus_message **reply
) {
    (void)call; (void)name; (void)text; (void)reply;
    return -ENOSYS;
}
int csessionbus_new_signal(
    struct csystembus *bus, const char *path, const char *interface, const char *member, const char *destination,
    struct csessionbus_message **signal
) {
    (void)bus; (void)path; (void)interface; (void)member; (void)destination; (void)signal;
    return -ENOSYS;
}
int csessionbus_append(struct csessionbus_message *message, char type, const void *value) {
    (void)message; (void)type; (void)value;
    return -ENOSYS;
}
int csessionbus_append_bytes(struct csessionbus_message *message, const void *bytes, size_t count) {
    (void)message; (void)bytes; (void)count;
    return -ENOSYS;
}
int csessionbus_open_container(struct csessionbus_message *message, char type, const char *contents) {
    (void)message; (void)type; (void)contents;
    return -ENOSYS;
}
int csessionbus_close_container(struct csessionbus_message *message) { (void)message; return -ENOSYS; }
int csessionbus_send(struct csystembus *bus, struct csessionbus_message *message) {
    (void)bus; (void)message;
    return -ENOSYS;
}

#endif
