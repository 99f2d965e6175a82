// Giving up what a process does not need.
#ifndef CHATELAINE_CLINUX_PRIVILEGES_H
#define CHATELAINE_CLINUX_PRIVILEGES_H

#include <stdbool.h>
#include <stdint.h>

/// Becomes another user for good, without other groups, and keeps these capabilities alone (a bit each, as in
/// linux/capability.h); the bounding set loses the others too. For a process with one thread: capabilities are a
/// thread's. One that is not root keeps its ids, which have to be these already.
///
/// - Returns: 0, or an errno; then the process has to end.
int clinux_become(uint32_t uid, uint32_t gid, uint64_t capabilities);

/// No core dump, no attaching, no rights by exec, and, where the kernel knows it, no memory that is made executable after
/// it was writable. To be called after the last exec, with one thread.
///
/// - Returns: 0, or an errno; then the process has to end.
int clinux_harden(void);

// Gives up a group that the program's file has given, also as the saved one, and with it all that any file could give to
// this process or to what it starts. Returns 0, or -1 with errno.
int clinux_give_up_mark(void);

/// Gives memory that the process has freed back to the kernel.
void clinux_trim_memory(void);

extern const uint64_t clinux_capability_ptrace;
extern const uint64_t clinux_capability_read_all;

#endif
