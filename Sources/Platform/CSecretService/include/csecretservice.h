#ifndef CSECRETSERVICE_H
#define CSECRETSERVICE_H

#include <stddef.h>
#include <stdint.h>

/// Who is told of each item: its label, each of its attributes, then its secret. What is handed over lasts for the call.
struct csecretservice_listener {
    void *context;
    void (*begin)(void *context, const char *label);
    void (*attribute)(void *context, const char *name, const char *value);
    void (*end)(void *context, const uint8_t *secret, size_t count);
};

/// Tells of all items of the session's Secret Service, and has it ask for the unlocking of those that are locked.
///
/// libsecret is loaded when it is needed: nothing else needs it to run.
///
/// Returns 0, 1 where libsecret is not there, or 2 where the service fails; then `error` says why.
int csecretservice_list(const struct csecretservice_listener *listener, char *error, size_t size);

#endif
