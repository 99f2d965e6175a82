// What the process that holds keys asks of the kernel.
#ifndef CHATELAINE_CLINUX_ENCLAVE_H
#define CHATELAINE_CLINUX_ENCLAVE_H

#include <stddef.h>
#include <stdint.h>

enum clinux_secret_memory_kind {
    /// memfd_secret(2): nobody else can read it, root and a core file neither, and it is never swapped.
    CLINUX_MEMORY_SECRET = 0,
    /// Locked in memory and left out of core files; root can read it.
    CLINUX_MEMORY_LOCKED = 1,
    /// Left out of core files; it may be swapped.
    CLINUX_MEMORY_PLAIN = 2,
};

/// Memory for keys, which stays for the life of the process. A forked child must not use it.
///
/// - Parameter size: a multiple of the size of a page.
/// - Returns: NULL with errno.
void *clinux_secret_memory(size_t size, enum clinux_secret_memory_kind *kind);

/// The number of system calls that an enclave's process may still make after `clinux_enter_enclave`.
size_t clinux_enclave_call_count(void);

/// Has the kernel refuse, for all threads and for good, all system calls but those that answering needs: EPERM for what
/// is merely not needed, and the end of the process for what would be an attack's next step (another program, another
/// process's memory, a socket of its own, a thread). Needs PR_SET_NO_NEW_PRIVS.
///
/// - Returns: 0, or an errno.
int clinux_enter_enclave(void);

#endif
