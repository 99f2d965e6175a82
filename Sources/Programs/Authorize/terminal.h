// The terminal of whoever started the program, on which alone somebody is asked.
#ifndef CHATELAINE_AUTHORIZE_TERMINAL_H
#define CHATELAINE_AUTHORIZE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "locked_memory.h"

struct terminal {
    int descriptor;
    /// Readable when somebody wants the program to end. The signals are kept off meanwhile, so that the terminal is put in
    /// order first, and a wrong password is waited for.
    int signals;
    /// The moment, of CLOCK_MONOTONIC in seconds, after which nobody is asked any more.
    long long deadline;
};

/// False where the process has no terminal, or is in its background.
bool terminal_open(struct terminal *terminal, unsigned seconds);

/// Writes a line; what could move the cursor, or hide something, becomes a question mark.
void terminal_say(const struct terminal *terminal, const char *text);

/// Asks for a line. NULL where none comes: it was interrupted, is late, or too long.
struct locked_memory *terminal_ask(const struct terminal *terminal, const char *question, bool is_shown);

#endif
