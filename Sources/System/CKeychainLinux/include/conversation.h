// Programs that are started to be talked with over their standard input and output.
#ifndef CHATELAINE_CLINUX_CONVERSATION_H
#define CHATELAINE_CLINUX_CONVERSATION_H

#include <signal.h>
#include <sys/types.h>

/// A program that was started, and the ways to it. The descriptors are never the standard ones.
struct clinux_conversation {
    pid_t pid;
    /// Becomes readable when the program has ended (pidfd_open(2)).
    int process;
    /// The program's standard input, a socket: what is sent into it with MSG_NOSIGNAL raises no SIGPIPE. Blocks nobody.
    int input;
    /// Where the program's standard output can be read, a pipe. Blocks nobody.
    int output;
};

/// Starts a program in the caller's session and group, so that it may use the caller's terminal. Its standard error goes
/// nowhere; of other descriptors it has none; its signals are as at the beginning of a process. What it was started with is
/// close-on-exec here.
///
/// When the thread ends that started it, by whatever means, the program gets SIGINT: nobody would hear it any more.
///
/// - Returns: 0, or an errno.
int clinux_start_conversation(
    const char *path,
    char *const arguments[],
    char *const environment[],
    struct clinux_conversation *conversation
);

/// Keeps the signals that end a process from the calling thread (SIGINT, SIGQUIT, SIGTERM, SIGHUP), for as long as it has
/// something to put in order. Those are left alone that the process ignores or the thread keeps off already.
///
/// - Parameter before: the thread's mask, to be set again.
/// - Returns: a descriptor that becomes readable when one has come; it comes when it is kept off no more. -1 with errno.
int clinux_hold_signals(sigset_t *before);

/// Sends a signal to the process that a pidfd stands for. 0, or -1 with errno.
int clinux_pidfd_signal(int pidfd, int signal);

#endif
