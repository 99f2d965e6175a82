#define _GNU_SOURCE
#include "systembus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef CSYSTEMBUS_HAS_SYSTEMD

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static const char logind_name[] = "org.freedesktop.login1";
static const char logind_path[] = "/org/freedesktop/login1";
static const char logind_manager[] = "org.freedesktop.login1.Manager";
static const char logind_session[] = "org.freedesktop.login1.Session";

// Whoever does not answer within that time is taken for gone.
enum { answer_microseconds = 5000000 };

struct csystembus_functions csystembus_lib;
#define lib csystembus_lib

static void load(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return;
    lib.is_there = true;
#define FIND(name)                                              \
    lib.name = (__typeof__(name) *)dlsym(library, #name);       \
    if (lib.name == NULL) lib.is_there = false;
    EACH_FUNCTION(FIND)
#undef FIND
}

bool csystembus_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return lib.is_there;
}

int csystembus_open(struct csystembus **bus) {
    if (!csystembus_is_available()) return -ENOSYS;
    struct csystembus *made = calloc(1, sizeof *made);
    if (made == NULL) return -ENOMEM;
    const int result = lib.sd_bus_open_system(&made->connection);
    if (result < 0) {
        free(made);
        return result;
    }
    (void)lib.sd_bus_set_method_call_timeout(made->connection, answer_microseconds);
    *bus = made;
    return 0;
}

void csystembus_copy(char *to, size_t capacity, const char *from) {
    const size_t length = from == NULL ? capacity : strlen(from);
    to[0] = '\0';
    if (length < capacity) memcpy(to, from, length + 1);
}

void csystembus_close(struct csystembus *bus) {
    if (bus == NULL) return;
    lib.sd_bus_flush_close_unref(bus->connection);
    free(bus);
}

// Calls a method, and tells of a refusal by its errno alone.
#define CALL(bus, destination, path, interface, member, reply, ...)                                                  \
    ({                                                                                                               \
        sd_bus_error failure = SD_BUS_ERROR_NULL;                                                                    \
        const int outcome = lib.sd_bus_call_method(                                                                  \
            (bus)->connection, destination, path, interface, member, &failure, reply, __VA_ARGS__);                  \
        lib.sd_bus_error_free(&failure);                                                                             \
        outcome;                                                                                                     \
    })

static const char driver_name[] = "org.freedesktop.DBus";
static const char driver_path[] = "/org/freedesktop/DBus";

int csystembus_watch(struct csystembus *bus, const char *rule) {
    const int result = CALL(bus, driver_name, driver_path, driver_name, "AddMatch", NULL, "s", rule);
    return result < 0 ? result : 0;
}

static void read_arguments(sd_bus_message *message, struct csystembus_signal *signal) {
    size_t texts = 0;
    while (true) {
        char type = 0;
        const char *contents = NULL;
        if (lib.sd_bus_message_peek_type(message, &type, &contents) <= 0) return;
        const char *text = NULL;
        int flag = 0;
        switch (type) {
        case SD_BUS_TYPE_UINT32:
            if (lib.sd_bus_message_read_basic(message, type, &signal->number) <= 0) return;
            break;
        case SD_BUS_TYPE_BOOLEAN:
            if (lib.sd_bus_message_read_basic(message, type, &flag) <= 0) return;
            signal->flag = flag != 0;
            break;
        case SD_BUS_TYPE_STRING:
        case SD_BUS_TYPE_OBJECT_PATH:
            if (texts == sizeof signal->text / sizeof signal->text[0]) return;
            if (lib.sd_bus_message_read_basic(message, type, &text) <= 0) return;
            csystembus_copy(signal->text[texts], sizeof signal->text[texts], text);
            texts++;
            break;
        default: return;
        }
    }
}

static void describe(sd_bus_message *message, struct csystembus_signal *signal) {
    memset(signal, 0, sizeof *signal);
    csystembus_copy(signal->sender, sizeof signal->sender, lib.sd_bus_message_get_sender(message));
    csystembus_copy(signal->path, sizeof signal->path, lib.sd_bus_message_get_path(message));
    csystembus_copy(signal->interface, sizeof signal->interface, lib.sd_bus_message_get_interface(message));
    csystembus_copy(signal->member, sizeof signal->member, lib.sd_bus_message_get_member(message));
    read_arguments(message, signal);
}

// Waits for the connection or for `stop`. 1, 0 if `stop` is readable, or a negative errno.
static int wait_for_message(struct csystembus *bus, int stop) {
    const int descriptor = lib.sd_bus_get_fd(bus->connection);
    if (descriptor < 0) return descriptor;
    const int events = lib.sd_bus_get_events(bus->connection);
    if (events < 0) return events;
    uint64_t until = UINT64_MAX;
    const int timed = lib.sd_bus_get_timeout(bus->connection, &until);
    if (timed < 0) return timed;
    struct timespec rest;
    struct timespec *limit = NULL;
    if (until != UINT64_MAX) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const uint64_t present = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
        const uint64_t microseconds = until > present ? until - present : 0;
        rest.tv_sec = (time_t)(microseconds / 1000000);
        rest.tv_nsec = (long)(microseconds % 1000000) * 1000;
        limit = &rest;
    }
    struct pollfd states[2] = {{.fd = stop, .events = POLLIN}, {.fd = descriptor, .events = (short)events}};
    if (ppoll(states, 2, limit, NULL) < 0 && errno != EINTR) return -errno;
    return states[0].revents == 0;
}

int csystembus_next(struct csystembus *bus, int stop, struct csystembus_signal *signal) {
    while (true) {
        // Also between messages: somebody may send more of them than can be looked at.
        struct pollfd state = {.fd = stop, .events = POLLIN};
        if (poll(&state, 1, 0) > 0) return 0;
        sd_bus_message *message = NULL;
        const int progress = lib.sd_bus_process(bus->connection, &message);
        if (progress < 0) return progress;
        if (message != NULL) {
            const bool is_signal = lib.sd_bus_message_is_signal(message, NULL, NULL) > 0;
            if (is_signal) describe(message, signal);
            lib.sd_bus_message_unref(message);
            if (is_signal) return 1;
        }
        if (progress > 0) continue;
        const int ready = wait_for_message(bus, stop);
        if (ready <= 0) return ready;
    }
}

int csystembus_owner(struct csystembus *bus, const char *name, char owner[256]) {
    sd_bus_message *reply = NULL;
    int result = CALL(bus, driver_name, driver_path, driver_name, "GetNameOwner", &reply, "s", name);
    if (result < 0) return result;
    const char *text = NULL;
    result = lib.sd_bus_message_read_basic(reply, SD_BUS_TYPE_STRING, &text);
    if (result > 0) csystembus_copy(owner, 256, text);
    lib.sd_bus_message_unref(reply);
    if (result > 0 && owner[0] != '\0') return 0;
    return result < 0 ? result : -EBADMSG;
}

int csystembus_sessions(struct csystembus *bus, struct csystembus_session *sessions, size_t capacity) {
    sd_bus_message *reply = NULL;
    int result = CALL(bus, logind_name, logind_path, logind_manager, "ListSessions", &reply, "");
    if (result < 0) return result;
    int count = 0;
    result = lib.sd_bus_message_enter_container(reply, SD_BUS_TYPE_ARRAY, "(susso)");
    while (result > 0) {
        const char *identifier, *user, *seat, *path;
        uint32_t uid;
        result = lib.sd_bus_message_read(reply, "(susso)", &identifier, &uid, &user, &seat, &path);
        if (result <= 0) break;
        if ((size_t)count < capacity) {
            sessions[count].uid = uid;
            csystembus_copy(sessions[count].path, sizeof sessions[count].path, path);
        }
        count++;
    }
    lib.sd_bus_message_unref(reply);
    return result < 0 ? result : count;
}

int csystembus_is_locked(struct csystembus *bus, const char *session) {
    sd_bus_error failure = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    int result = lib.sd_bus_get_property(
        bus->connection, logind_name, session, logind_session, "LockedHint", &failure, &reply, "b");
    lib.sd_bus_error_free(&failure);
    if (result < 0) return result;
    int is_locked = 0;
    result = lib.sd_bus_message_read_basic(reply, SD_BUS_TYPE_BOOLEAN, &is_locked);
    lib.sd_bus_message_unref(reply);
    if (result <= 0) return result < 0 ? result : -EBADMSG;
    return is_locked != 0;
}

int csystembus_class(struct csystembus *bus, const char *session, char class[64]) {
    sd_bus_error failure = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    int result = lib.sd_bus_get_property(
        bus->connection, logind_name, session, logind_session, "Class", &failure, &reply, "s");
    lib.sd_bus_error_free(&failure);
    if (result < 0) return result;
    const char *text = NULL;
    result = lib.sd_bus_message_read_basic(reply, SD_BUS_TYPE_STRING, &text);
    if (result > 0) csystembus_copy(class, 64, text);
    lib.sd_bus_message_unref(reply);
    return result < 0 ? result : 0;
}

int csystembus_delay_sleep(struct csystembus *bus, const char *who, const char *why) {
    sd_bus_message *reply = NULL;
    int result =
        CALL(bus, logind_name, logind_path, logind_manager, "Inhibit", &reply, "ssss", "sleep", who, why, "delay");
    if (result < 0) return result;
    // The descriptor is the message's.
    int descriptor = -1;
    result = lib.sd_bus_message_read_basic(reply, SD_BUS_TYPE_UNIX_FD, &descriptor);
    if (result > 0) {
        result = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        if (result < 0) result = -errno;
    } else if (result == 0) {
        result = -EBADMSG;
    }
    lib.sd_bus_message_unref(reply);
    return result;
}

#else

bool csystembus_is_available(void) { return false; }
int csystembus_open(struct csystembus **bus) { (void)bus; return -ENOSYS; }
void csystembus_close(struct csystembus *bus) { (void)bus; }
int csystembus_watch(struct csystembus *bus, const char *rule) { (void)bus; (void)rule; return -ENOSYS; }
int csystembus_next(struct csystembus *bus, int stop, struct csystembus_signal *signal) {
    (void)bus; (void)stop; (void)signal;
    return -ENOSYS;
}
int csystembus_owner(struct csystembus *bus, const char *name, char owner[256]) {
    (void)bus; (void)name; (void)owner;
    return -ENOSYS;
}
int csystembus_sessions(struct csystembus *bus, struct csystembus_session *sessions, size_t capacity) {
    (void)bus; (void)sessions; (void)capacity;
    return -ENOSYS;
}
int csystembus_is_locked(struct csystembus *bus, const char *session) { (void)bus; (void)session; return -ENOSYS; }
int csystembus_class(struct csystembus *bus, const char *session, char class[64]) {
    (void)bus; (void)session; (void)class;
    return -ENOSYS;
}
int csystembus_delay_sleep(struct csystembus *bus, const char *who, const char *why) {
    (void)bus; (void)who; (void)why;
    return -ENOSYS;
}

#endif
