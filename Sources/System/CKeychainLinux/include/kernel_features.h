// What the kernel has of what the keychain service makes use of. Each is tried, not guessed from a version.
#ifndef CHATELAINE_CLINUX_FEATURES_H
#define CHATELAINE_CLINUX_FEATURES_H

#include <stdbool.h>

/// Processes can be held by a descriptor (pidfd_open(2), Linux 5.3). Without it no caller is identified.
bool clinux_has_pidfd(void);
/// A socket says which process connected by such a descriptor (SO_PEERPIDFD, Linux 6.5). Without it, by its number.
bool clinux_has_peer_pidfd(void);
/// Mounts have a number that is never used again (STATX_MNT_ID_UNIQUE, Linux 6.8). Without it a program is remembered for
/// as long as it is watched.
bool clinux_has_unique_mount(void);
/// A descriptor says the ids of its process (PIDFD_GET_INFO, Linux 6.13). Without it, its folder in /proc does.
bool clinux_has_pidfd_information(void);
/// A page of memory wipes itself in the child of a fork (MADV_WIPEONFORK, Linux 4.14).
bool clinux_has_wipe_on_fork(void);
/// A process can give up making memory executable (PR_SET_MDWE, Linux 6.3).
bool clinux_has_memory_deny_write_execute(void);
/// Memory that not even the kernel reads for others (memfd_secret(2), Linux 5.14, where it is switched on).
bool clinux_has_secret_memory(void);

#endif
