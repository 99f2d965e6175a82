#include <stddef.h>

/// There is one source, the system's, which has no object.
const void *const kSecRandomDefault = NULL;
