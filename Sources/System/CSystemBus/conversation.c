// Calls and signals in the order in which the bus brought them, none of which waits longer than its caller will.
#define _GNU_SOURCE
#include "systembus.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef CSYSTEMBUS_HAS_SYSTEMD

#define lib csystembus_lib

uint64_t csystembus_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

int csystembus_open_at(const char *address, struct csystembus **bus) {
    if (address == NULL) return csystembus_open(bus);
    if (!csystembus_is_available()) return -ENOSYS;
    struct csystembus *made = calloc(1, sizeof *made);
    if (made == NULL) return -ENOMEM;
    int result = lib.sd_bus_new(&made->connection);
    if (result >= 0) result = lib.sd_bus_set_address(made->connection, address);
    if (result >= 0) result = lib.sd_bus_set_bus_client(made->connection, true);
    if (result >= 0) result = lib.sd_bus_start(made->connection);
    if (result < 0) {
        if (made->connection != NULL) lib.sd_bus_unref(made->connection);
        free(made);
        return result;
    }
    *bus = made;
    return 0;
}

void csystembus_drop(struct csystembus *bus) {
    if (bus == NULL) return;
    lib.sd_bus_close_unref(bus->connection);
    free(bus);
}

int csystembus_send(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *text, const char *second, uint64_t *cookie
) {
    sd_bus_message *message = NULL;
    int result =
        lib.sd_bus_message_new_method_call(bus->connection, &message, destination, path, interface, member);
    if (result < 0) return result;
    if (text != NULL) result = lib.sd_bus_message_append_basic(message, SD_BUS_TYPE_STRING, text);
    if (result >= 0 && second != NULL) result = lib.sd_bus_message_append_basic(message, SD_BUS_TYPE_STRING, second);
    if (result >= 0) result = lib.sd_bus_send(bus->connection, message, cookie);
    lib.sd_bus_message_unref(message);
    return result < 0 ? result : 0;
}

int csystembus_start_service(struct csystembus *bus, const char *name, uint64_t *cookie) {
    sd_bus_message *message = NULL;
    const uint32_t no_flags = 0;
    int result = lib.sd_bus_message_new_method_call(
        bus->connection, &message, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "StartServiceByName");
    if (result < 0) return result;
    result = lib.sd_bus_message_append_basic(message, SD_BUS_TYPE_STRING, name);
    if (result >= 0) result = lib.sd_bus_message_append_basic(message, SD_BUS_TYPE_UINT32, &no_flags);
    if (result >= 0) result = lib.sd_bus_send(bus->connection, message, cookie);
    lib.sd_bus_message_unref(message);
    return result < 0 ? result : 0;
}

static void read_arguments(sd_bus_message *message, struct csystembus_message *found) {
    size_t texts = 0;
    char container = 0;
    while (true) {
        char type = 0;
        const char *contents = NULL;
        const int more = lib.sd_bus_message_peek_type(message, &type, &contents);
        if (more < 0) return;
        if (more == 0) {
            // The end: of the message, or of what was entered last.
            if (container == 0 || lib.sd_bus_message_exit_container(message) < 0) return;
            container = 0;
            continue;
        }
        const char *text = NULL;
        int flag = 0;
        switch (type) {
        case SD_BUS_TYPE_UINT32:
            if (lib.sd_bus_message_read_basic(message, type, &found->number) <= 0) return;
            break;
        case SD_BUS_TYPE_BOOLEAN:
            if (lib.sd_bus_message_read_basic(message, type, &flag) <= 0) return;
            found->flag = flag != 0;
            break;
        case SD_BUS_TYPE_STRING:
        case SD_BUS_TYPE_OBJECT_PATH:
            if (lib.sd_bus_message_read_basic(message, type, &text) <= 0) return;
            if (texts < sizeof found->text / sizeof found->text[0])
                csystembus_copy(found->text[texts], sizeof found->text[texts], text);
            texts++;
            found->texts = (uint32_t)texts;
            break;
        case SD_BUS_TYPE_VARIANT:
        case SD_BUS_TYPE_ARRAY:
            // Nothing that anybody here looks at is deeper.
            if (container != 0 || lib.sd_bus_message_enter_container(message, type, contents) <= 0) return;
            container = type;
            break;
        default: return;
        }
        // Whoever sends more is not believed either way.
        if (texts > 4096) return;
    }
}

static void describe(sd_bus_message *message, struct csystembus_message *found) {
    memset(found, 0, sizeof *found);
    uint8_t type = 0;
    if (lib.sd_bus_message_get_type(message, &type) < 0) return;
    switch (type) {
    case SD_BUS_MESSAGE_SIGNAL: found->kind = csystembus_is_signal; break;
    case SD_BUS_MESSAGE_METHOD_RETURN: found->kind = csystembus_is_answer; break;
    case SD_BUS_MESSAGE_METHOD_ERROR: found->kind = csystembus_is_refusal; break;
    default: return;
    }
    if (found->kind != csystembus_is_signal) (void)lib.sd_bus_message_get_reply_cookie(message, &found->answers);
    if (found->kind == csystembus_is_refusal) {
        const sd_bus_error *error = lib.sd_bus_message_get_error(message);
        csystembus_copy(found->error, sizeof found->error, error == NULL ? NULL : error->name);
    }
    csystembus_copy(found->sender, sizeof found->sender, lib.sd_bus_message_get_sender(message));
    csystembus_copy(found->path, sizeof found->path, lib.sd_bus_message_get_path(message));
    csystembus_copy(found->interface, sizeof found->interface, lib.sd_bus_message_get_interface(message));
    csystembus_copy(found->member, sizeof found->member, lib.sd_bus_message_get_member(message));
    csystembus_copy(found->signature, sizeof found->signature, lib.sd_bus_message_get_signature(message, true));
    if (found->kind != csystembus_is_refusal) read_arguments(message, found);
}

int csystembus_wait_until(struct csystembus *bus, int stop, uint64_t end) {
    const int descriptor = lib.sd_bus_get_fd(bus->connection);
    if (descriptor < 0) return descriptor;
    const int events = lib.sd_bus_get_events(bus->connection);
    if (events < 0) return events;
    // sd-bus has work of its own to do at times.
    uint64_t own = UINT64_MAX;
    const int timed = lib.sd_bus_get_timeout(bus->connection, &own);
    if (timed < 0) return timed;
    if (own < end) end = own;
    const uint64_t present = csystembus_now();
    const uint64_t microseconds = end > present ? end - present : 0;
    const struct timespec rest = {
        .tv_sec = (time_t)(microseconds / 1000000), .tv_nsec = (long)(microseconds % 1000000) * 1000};
    struct pollfd states[2] = {{.fd = stop, .events = POLLIN}, {.fd = descriptor, .events = (short)events}};
    if (ppoll(states, 2, &rest, NULL) < 0 && errno != EINTR) return -errno;
    return 0;
}

int csystembus_receive(struct csystembus *bus, int stop, uint64_t end, struct csystembus_message *found) {
    while (true) {
        // Also between messages: somebody may send more of them than can be looked at.
        struct pollfd state = {.fd = stop, .events = POLLIN};
        if (poll(&state, 1, 0) > 0) return 0;
        if (csystembus_now() >= end) return -ETIMEDOUT;
        sd_bus_message *message = NULL;
        const int progress = lib.sd_bus_process(bus->connection, &message);
        if (progress < 0) return progress;
        if (message != NULL) {
            describe(message, found);
            lib.sd_bus_message_unref(message);
            if (found->kind != csystembus_is_nothing) return 1;
        }
        if (progress > 0) continue;
        const int result = csystembus_wait_until(bus, stop, end);
        if (result < 0) return result;
    }
}

#else

int csystembus_open_at(const char *address, struct csystembus **bus) { (void)address; (void)bus; return -ENOSYS; }
void csystembus_drop(struct csystembus *bus) { (void)bus; }
int csystembus_send(
    struct csystembus *bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *text, const char *second, uint64_t *cookie
) {
    (void)bus; (void)destination; (void)path; (void)interface; (void)member; (void)text; (void)second; (void)cookie;
    return -ENOSYS;
}
int csystembus_start_service(struct csystembus *bus, const char *name, uint64_t *cookie) {
    (void)bus; (void)name; (void)cookie;
    return -ENOSYS;
}
int csystembus_receive(struct csystembus *bus, int stop, uint64_t end, struct csystembus_message *found) {
    (void)bus; (void)stop; (void)end; (void)found;
    return -ENOSYS;
}

#endif
