#include "symbols.h"

#include <dlfcn.h>
#include <string.h>

bool find_symbols(const char *library, const struct symbol *symbols, size_t count, void *functions) {
    // It stays: a library that others of the process use as well is not unloaded under them.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return false;
    }
    for (size_t index = 0; index < count; index++) {
        void *function = dlsym(handle, symbols[index].name);
        if (function == NULL) {
            return false;
        }
        // POSIX lets a pointer to a function be kept in one to void (dlsym(3)).
        memcpy((char *)functions + symbols[index].offset, &function, sizeof function);
    }
    return true;
}
