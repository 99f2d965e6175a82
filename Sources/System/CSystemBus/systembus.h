// What the files of this module share: sd-bus, as found when the program runs.
#ifndef SYSTEMBUS_H
#define SYSTEMBUS_H

#include "csystembus.h"

#if __has_include(<systemd/sd-bus.h>)
#define CSYSTEMBUS_HAS_SYSTEMD

#include <systemd/sd-bus.h>

struct csystembus {
    sd_bus *connection;
};

// The functions of libsystemd, by the names that they have there.
#define EACH_FUNCTION(DO)                 \
    DO(sd_bus_open_system)                \
    DO(sd_bus_open_user)                  \
    DO(sd_bus_get_unique_name)            \
    DO(sd_bus_request_name)               \
    DO(sd_bus_new)                        \
    DO(sd_bus_set_address)                \
    DO(sd_bus_set_bus_client)             \
    DO(sd_bus_start)                      \
    DO(sd_bus_set_method_call_timeout)    \
    DO(sd_bus_flush_close_unref)          \
    DO(sd_bus_close_unref)                \
    DO(sd_bus_unref)                      \
    DO(sd_bus_get_fd)                     \
    DO(sd_bus_get_events)                 \
    DO(sd_bus_get_timeout)                \
    DO(sd_bus_process)                    \
    DO(sd_bus_send)                       \
    DO(sd_bus_call)                       \
    DO(sd_bus_call_method)                \
    DO(sd_bus_get_property)               \
    DO(sd_bus_error_free)                 \
    DO(sd_bus_message_new_method_call)    \
    DO(sd_bus_message_new_method_return)  \
    DO(sd_bus_message_new_method_error)   \
    DO(sd_bus_message_new_signal)         \
    DO(sd_bus_message_set_destination)    \
    DO(sd_bus_message_append_basic)       \
    DO(sd_bus_message_append_array)       \
    DO(sd_bus_message_open_container)     \
    DO(sd_bus_message_close_container)    \
    DO(sd_bus_message_get_expect_reply)   \
    DO(sd_bus_message_read_array)         \
    DO(sd_bus_message_skip)               \
    DO(sd_bus_message_unref)              \
    DO(sd_bus_message_is_signal)          \
    DO(sd_bus_message_get_type)           \
    DO(sd_bus_message_get_sender)         \
    DO(sd_bus_message_get_path)           \
    DO(sd_bus_message_get_interface)      \
    DO(sd_bus_message_get_member)         \
    DO(sd_bus_message_get_signature)      \
    DO(sd_bus_message_get_reply_cookie)   \
    DO(sd_bus_message_get_error)          \
    DO(sd_bus_message_peek_type)          \
    DO(sd_bus_message_read_basic)         \
    DO(sd_bus_message_read)               \
    DO(sd_bus_message_enter_container)    \
    DO(sd_bus_message_exit_container)

struct csystembus_functions {
#define DECLARE(name) __typeof__(name) *name;
    EACH_FUNCTION(DECLARE)
#undef DECLARE
    bool is_there;
};

/// Filled in by csystembus_is_available().
extern struct csystembus_functions csystembus_lib __attribute__((visibility("hidden")));

/// The present moment, in microseconds of CLOCK_MONOTONIC.
uint64_t csystembus_now(void) __attribute__((visibility("hidden")));

/// Waits for the connection, for `stop`, or until `end`: 0, or a negative errno.
int csystembus_wait_until(struct csystembus *bus, int stop, uint64_t end) __attribute__((visibility("hidden")));

/// Copies a text; leaves it empty where there is none, or more than there is room for.
void csystembus_copy(char *to, size_t capacity, const char *from) __attribute__((visibility("hidden")));

#endif
#endif
