#define _GNU_SOURCE
#include "CKeychainLinux.h"

#include <malloc.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <time.h>

void clinux_trim(void) { malloc_trim(0); }

void clinux_zero(void *bytes, size_t count) {
    explicit_bzero(bytes, count);
}

void clinux_reset_crash_signals(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS};
    for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++) {
        signal(signals[index], SIG_DFL);
    }
}

const char *clinux_environment(const char *name) {
    return secure_getenv(name);
}

int clinux_open_unnamed(const char *folder) {
    return open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
}

// A writer that waits must not be starved by readers that come and go, so the lock prefers writers. That forbids a
// thread to take it twice, so each thread counts.
static pthread_rwlock_t gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void (*_Atomic prepare)(void);
static bool gate_closed;
static bool unusable;
static _Thread_local unsigned depth;

static const time_t longest_wait_seconds = 5;

static void before_fork(void) {
    // What such a child has inherited may be locked for ever, and belongs to its parent.
    if (unusable || depth > 0) {
        return;
    }
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += longest_wait_seconds;
    gate_closed = pthread_rwlock_timedwrlock(&gate, &deadline) == 0;
    void (*give_up)(void) = prepare;
    if (gate_closed && give_up != NULL) {
        give_up();
    }
}

static void after_fork_in_parent(void) {
    if (gate_closed) {
        gate_closed = false;
        pthread_rwlock_unlock(&gate);
    }
}

static void after_fork_in_child(void) {
    // The forking thread is the only one left, so the lock can be made anew whatever state it was copied in.
    static const pthread_rwlock_t fresh = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    unusable = !gate_closed;
    gate_closed = false;
    memcpy(&gate, &fresh, sizeof gate);
    if (depth > 0) {
        pthread_rwlock_rdlock(&gate);
    }
}

// At load, so that no first call of a thread can be half way through it when another thread forks.
__attribute__((constructor)) static void install(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void clinux_fork_gate_prepare(void (*body)(void)) {
    prepare = body;
}

bool clinux_fork_gate_enter(void) {
    if (depth++ == 0) {
        pthread_rwlock_rdlock(&gate);
    }
    return !unusable;
}

void clinux_fork_gate_leave(void) {
    if (--depth == 0) {
        pthread_rwlock_unlock(&gate);
    }
}

bool clinux_is_in_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

bool clinux_is_shared(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return true;
    switch ((unsigned long)status.f_type) {
    case 0x6969:     // NFS
    case 0x517B:     // SMB
    case 0xFF534D42: // CIFS
    case 0xFE534D42: // SMB2
    case 0x65735546: // FUSE
    case 0x01021997: // 9P
        return true;
    default: return false;
    }
}

int clinux_wait_for_input(int descriptor, const sigset_t *mask) {
    struct pollfd request = {.fd = descriptor, .events = POLLIN};
    return ppoll(&request, 1, NULL, mask);
}
