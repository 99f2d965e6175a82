// Functions of a library that is looked for when it is needed.
#ifndef CHATELAINE_SYMBOLS_H
#define CHATELAINE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    /// Where the pointer to the function is in the caller's structure.
    size_t offset;
    const char *name;
};

#define SYMBOL(type, member, name) {offsetof(type, member), name}

/// Loads the library, and sets the pointers.
///
/// - Returns: false where the library, or one of its functions, is not there.
bool find_symbols(const char *library, const struct symbol *symbols, size_t count, void *functions);

#endif
