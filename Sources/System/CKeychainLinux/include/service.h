// What a service needs of sockets and threads that Swift cannot call, or not without reaching around types.
#ifndef CHATELAINE_CLINUX_SERVICE_H
#define CHATELAINE_CLINUX_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A UNIX stream socket that no program inherits; never one of the standard descriptors. -1 with errno.
int clinux_stream_socket(void);
/// The same of the kind SOCK_SEQPACKET.
int clinux_packet_socket(void);

/// bind(2) and connect(2) to a path, or, where the first byte is '@', to an abstract name. -1 with errno; ENAMETOOLONG.
int clinux_bind_path(int socket, const char *path);
int clinux_connect_path(int socket, const char *path);

/// accept4(2) of a connection that no program inherits; never one of the standard descriptors. -1 with errno.
int clinux_accept(int listener);

/// Starts a thread that nobody joins, with a stack of this size in bytes. 0, or an errno.
int clinux_start_thread(size_t stack_size, void (*body)(void *context), void *context);

/// A pipe that no program inherits: 0, or -1 with errno.
int clinux_pipe(int ends[2]);

/// A descriptor to wake a thread by (eventfd(2)). -1 with errno.
int clinux_event(void);

/// A descriptor that can be read, eight bytes at a time, after each time that the process gets the signal. One signal has one
/// at most. -1 with errno.
int clinux_signal_event(int signal);

/// Tells whoever supervises services, if anybody does, as sd_notify(3) does: `message` has lines such as "READY=1".
void clinux_notify(const char *socket_path, const char *message);

/// How many descriptors a started program can be given.
#define CLINUX_PROGRAM_DESCRIPTORS 4

/// A standard input that is this process's own, and one that is empty.
#define CLINUX_PROGRAM_OWN_INPUT (-1)
#define CLINUX_PROGRAM_NO_INPUT (-2)

/// Starts a program with one argument list and the environment `environment`, whose descriptors from 3 on are
/// `descriptors`; of the others it has the standard ones alone, if descriptors are closed on exec as they should be: `input`,
/// which may be one of the two above, and `output` as its standard output where that is not -1. 0, or an errno.
int clinux_start_program(const char *path, char *const arguments[], char *const environment[], const int *descriptors, int32_t count, int input, int output, pid_t *pid);

/// Overwrites what earlier calls have left below the caller on its stack, and in vector registers.
void clinux_wipe_stack(void);

/// The same of 256 KiB: a private key of ML-DSA-87, expanded, has 24 KiB, and its functions have several of them in their
/// frames. For threads whose stack is known to be larger.
void clinux_wipe_deep_stack(void);

#endif
