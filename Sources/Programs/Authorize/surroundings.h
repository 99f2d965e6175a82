// What a program that runs as root has from whoever started it, and gives up or puts in order before it does anything.
#ifndef CHATELAINE_AUTHORIZE_SURROUNDINGS_H
#define CHATELAINE_AUTHORIZE_SURROUNDINGS_H

#include <stdbool.h>
#include <sys/types.h>

/// Leaves nothing of the environment, of signals, timers, limits, folders and descriptors but the standard ones. After
/// `seconds` the process is ended by the kernel.
///
/// - Returns: whether all could be put in order; the process has to end otherwise.
bool surroundings_clear(unsigned seconds);

/// Becomes an ordinary user for good.
bool surroundings_give_up_root(uid_t uid, gid_t gid);

#endif
