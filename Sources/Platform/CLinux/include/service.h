// What a service needs of sockets and threads that Swift cannot call, or not without reaching around types.
#ifndef CHATELAINE_CLINUX_SERVICE_H
#define CHATELAINE_CLINUX_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A UNIX stream socket that no program inherits; never one of the standard descriptors. -1 with errno.
int clinux_stream_socket(void);

/// bind(2) and connect(2) to a path, or, where the first byte is '@', to an abstract name. -1 with errno; ENAMETOOLONG.
int clinux_bind_path(int socket, const char *path);
int clinux_connect_path(int socket, const char *path);

/// accept4(2) of a connection that no program inherits; never one of the standard descriptors. -1 with errno.
int clinux_accept(int listener);

/// SO_PEERCRED: who connected, when it did.
bool clinux_connection_owner(int socket, int32_t *pid, uint32_t *uid);

/// Starts a thread that nobody joins, with a stack of this size in bytes. 0, or an errno.
int clinux_start_thread(size_t stack_size, void (*body)(void *context), void *context);

/// A descriptor to wake a thread by (eventfd(2)). -1 with errno.
int clinux_event(void);

/// Overwrites what earlier calls have left below the caller on its stack.
void clinux_wipe_stack(void);

#endif
