#define _GNU_SOURCE
#include "conversation.h"
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A process whose standard descriptors were closed would make one of these a standard one, and then overwrite it.
static int moved_up(int descriptors[2]) {
    for (int i = 0; i < 2; i++) {
        if (descriptors[i] > STDERR_FILENO) continue;
        int moved = fcntl(descriptors[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (moved < 0) return errno;
        close(descriptors[i]);
        descriptors[i] = moved;
    }
    return 0;
}

// close_range(2) is of Linux 5.9.
static void close_others(void) {
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0) return;
    struct rlimit limit;
    int count = 1 << 20;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)count) count = (int)limit.rlim_cur;
    for (int descriptor = STDERR_FILENO + 1; descriptor < count; descriptor++) close(descriptor);
}

// A program that asks somebody needs no rights of its parent's: neither a capability that an exec hands on, nor one that a
// set-user-ID file would give. Root's programs keep theirs; a terminal of another user's could not be opened without.
static bool give_up_rights(void) {
    if (geteuid() == 0) return true;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}, {0}};
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// What a child does until it is another program. It shares the memory of its parent, whose thread stands still: it makes
// system calls and nothing else.
static void become(const char *path, char *const arguments[], char *const environment[], int input, int output, pid_t parent, volatile int *failure) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    int errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
    // Standard error first: where none of the standard ones is open, that file is one of them by now.
    if (errors >= 0 && dup2(errors, STDERR_FILENO) >= 0 && fcntl(STDERR_FILENO, F_SETFD, 0) == 0 &&
        dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && prctl(PR_SET_PDEATHSIG, SIGINT) == 0) {
        // Other threads, and libraries of other people, open files that are not close-on-exec.
        close_others();
        // It may have died before its death could be told of.
        if (getppid() != parent) _exit(127);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (give_up_rights()) execve(path, arguments, environment);
    }
    *failure = errno;
}

// posix_spawn(3) cannot tie a program to the life of another.
static int start(const char *path, char *const arguments[], char *const environment[], int input, int output, pid_t *pid) {
    pid_t parent = getpid();
    volatile int failure = 0;
    // No handler of the parent's may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = vfork();
    if (child == 0) {
        become(path, arguments, environment, input, output, parent, &failure);
        _exit(127);
    }
    int result = child < 0 ? errno : failure;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child > 0 && failure != 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    }
    *pid = child;
    return result;
}

static void close_both(int descriptors[2]) {
    for (int i = 0; i < 2; i++) {
        if (descriptors[i] >= 0) close(descriptors[i]);
        descriptors[i] = -1;
    }
}

int clinux_start_conversation(
    const char *path,
    char *const arguments[],
    char *const environment[],
    struct clinux_conversation *conversation
) {
    // Ours first.
    int input[2] = {-1, -1}, output[2] = {-1, -1};
    int result = 0, process = -1;
    pid_t pid = 0;
    // Two directions apart: that the program closes its output is seen though its input stays open.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0) result = errno;
    if (result == 0 && pipe2(output, O_CLOEXEC) != 0) result = errno;
    if (result == 0) result = moved_up(input);
    if (result == 0) result = moved_up(output);
    if (result == 0 && fcntl(input[0], F_SETFL, O_NONBLOCK) != 0) result = errno;
    if (result == 0 && fcntl(output[0], F_SETFL, O_NONBLOCK) != 0) result = errno;
    if (result == 0) result = start(path, arguments, environment, input[1], output[1], &pid);
    if (result == 0) {
        // Kept apart from the standard ones as the others are; pidfds are close-on-exec.
        process = clinux_pidfd_open(pid);
        if (process >= 0 && process <= STDERR_FILENO) {
            int moved = fcntl(process, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            close(process);
            process = moved;
        }
        if (process < 0) {
            result = errno;
            kill(pid, SIGKILL);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
        }
    }
    if (result != 0) {
        close_both(input);
        close_both(output);
        return result;
    }
    close(input[1]);
    close(output[1]);
    *conversation = (struct clinux_conversation){pid, process, input[0], output[0]};
    return 0;
}

int clinux_hold_signals(sigset_t *before) {
    static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    sigset_t held;
    sigemptyset(&held);
    pthread_sigmask(SIG_SETMASK, NULL, before);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigismember(before, signals[i]) || sigaction(signals[i], NULL, &action) != 0) continue;
        if ((action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN) continue;
        sigaddset(&held, signals[i]);
    }
    // Nothing is ever read from it: what is not taken here is delivered later.
    int descriptor = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor >= 0 && descriptor <= STDERR_FILENO) {
        int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(descriptor);
        descriptor = moved;
    }
    if (descriptor >= 0) pthread_sigmask(SIG_BLOCK, &held, NULL);
    return descriptor;
}

int clinux_pidfd_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}
