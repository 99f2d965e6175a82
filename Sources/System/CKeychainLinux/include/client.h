// What a client of the keychain service needs of Linux.
#ifndef CHATELAINE_CLINUX_CLIENT_H
#define CHATELAINE_CLINUX_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A stream socket that blocks nobody, that no other program inherits, and that is none of the descriptors 0 to 2: where
/// a program was started with one of these closed, others would take the socket for its input or output.
///
/// - Returns: -1 with errno.
int clinux_client_socket(void);

/// Gives the socket a name of its own among the abstract ones, which tests tell it by. 0, or -1 with errno.
int clinux_client_name(int descriptor, const char *name);

/// Connects to a path, without waiting. 0, or -1 with errno: EAGAIN where the listener's queue is full, ENAMETOOLONG for a
/// path that no socket can have.
int clinux_client_connect(int descriptor, const char *path);

/// Sends bytes with one sendmsg, together with the descriptor of a fresh file in memory: what somebody makes another
/// program write into a socket that it inherited is sent without one. It waits for nothing.
///
/// - Returns: how many bytes were sent, or -1 with errno.
ptrdiff_t clinux_client_send_with_descriptor(int descriptor, const void *bytes, size_t count);

/// A number that is another one in the child of a fork, also of one that no handler was told of. A program that forks
/// in more than one thread at once may see it change more than once.
uint64_t clinux_fork_generation(void);

/// Whether the program was started with other rights than its caller's (AT_SECURE).
bool clinux_is_secure_execution(void);

/// Makes the process of an installed program unreadable for others of its user: no core, no tracing. The group that it was
/// started with stays as the saved one alone, by which the service knows it.
///
/// - Returns: 0, or -1 with errno.
int clinux_harden_installed_program(void);

#endif
