// Memory for a password: kept out of swap and core files where the system allows it, and zeroed when it is given back.
#ifndef CHATELAINE_PAM_LOCKED_MEMORY_H
#define CHATELAINE_PAM_LOCKED_MEMORY_H

#include <stddef.h>

struct locked_memory {
    size_t mapped;
    size_t capacity;
    /// How many of the bytes are in use.
    size_t count;
    unsigned char bytes[];
};

/// Memory for `capacity` bytes; NULL where there is none.
struct locked_memory *locked_memory_new(size_t capacity);

/// Zeroes the memory and gives it back. NULL is left alone.
void locked_memory_free(struct locked_memory *memory);

#endif
