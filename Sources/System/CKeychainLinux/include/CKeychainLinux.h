// The few Linux calls that Swift cannot make, or cannot make safely, by itself.
#ifndef CHATELAINE_CLINUX_H
#define CHATELAINE_CLINUX_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client.h"
#include "conversation.h"
#include "enclave.h"
#include "kernel_features.h"
#include "peer.h"
#include "privileges.h"
#include "service.h"

/// Overwrites memory with zeroes in a way that the optimiser may not remove.
void clinux_zero(void *bytes, size_t count);

/// Gives memory that was freed back to the kernel.
void clinux_trim(void);

/// Puts the signals of a crash back to their defaults, so that no handler (Swift's backtrace among them) prints
/// memory of the process. To be called first thing in `main`.
void clinux_reset_crash_signals(void);

/// A variable of the environment; NULL if it is not there, and in a program that was started with another user's or
/// group's rights than its caller's (secure_getenv(3)).
const char *clinux_environment(const char *name);

/// Waits until a descriptor has input or a signal is handled, with another signal mask while it waits (ppoll(2), which
/// Swift does not see). -1 with errno EINTR says that a signal came.
int clinux_wait_for_input(int descriptor, const sigset_t *mask);

/// Whether an open file or folder is on a file system that lives in memory alone (tmpfs).
bool clinux_is_in_memory(int descriptor);

/// Whether other machines, or programs that the kernel does not see, may write where an open folder is: on a network's file
/// system, or one that a program provides (FUSE).
bool clinux_is_shared(int descriptor);

/// Opens a new file in a folder that has no name and goes with its descriptor (O_TMPFILE in open(2), which Swift does not
/// see), for reading and writing, for its owner alone. -1 with errno EOPNOTSUPP or EISDIR says that the file system or the
/// kernel knows none.
int clinux_open_unnamed(const char *folder);

/// Sets what is called before each fork, on the forking thread and with no operation under way: it gives up everything
/// that must not be inherited.
void clinux_fork_gate_prepare(void (*body)(void));

/// Marks the start and the end of an operation that a fork has to wait for (at most five seconds). Operations may nest.
///
/// - Returns: false in a child whose parent forked without having been able to wait, and in that child's children:
///   nothing that they inherited can be used.
bool clinux_fork_gate_enter(void);
void clinux_fork_gate_leave(void);

#endif
