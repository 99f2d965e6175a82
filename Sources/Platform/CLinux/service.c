#define _GNU_SOURCE
#include "service.h"
#include "CLinux.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// A process whose standard descriptors were closed would get one of them as its next socket, and print into it.
static int above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return moved;
}

int clinux_stream_socket(void) {
    return above_standard(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

int clinux_packet_socket(void) {
    return above_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

static socklen_t address_of(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    memcpy(address->sun_path, path, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (path[0] == '@') {
        address->sun_path[0] = '\0';
        return size;
    }
    return size + 1;
}

int clinux_bind_path(int socket, const char *path) {
    struct sockaddr_un address;
    socklen_t size = address_of(path, &address);
    return size == 0 ? -1 : bind(socket, (struct sockaddr *)&address, size);
}

int clinux_connect_path(int socket, const char *path) {
    struct sockaddr_un address;
    socklen_t size = address_of(path, &address);
    return size == 0 ? -1 : connect(socket, (struct sockaddr *)&address, size);
}

int clinux_accept(int listener) {
    return above_standard(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

struct start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int clinux_start_thread(size_t stack_size, void (*body)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct start){body, context};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_size);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    // Signals are for the thread that began the process.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (result != 0) free(start);
    return result;
}

void clinux_notify(const char *socket_path, const char *message) {
    struct sockaddr_un address;
    socklen_t size = address_of(socket_path, &address);
    int descriptor = size == 0 ? -1 : socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    sendto(descriptor, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(descriptor);
}

int clinux_start_program(const char *path, char *const arguments[], char *const environment[], int descriptor, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    // Also where the descriptor is 3 already: the copy of a descriptor onto itself is made inheritable.
    result = posix_spawn_file_actions_adddup2(&actions, descriptor, 3);
    if (result == 0) result = posix_spawn(pid, path, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

int clinux_event(void) {
    return eventfd(0, EFD_CLOEXEC);
}

__attribute__((noinline)) void clinux_wipe_stack(void) {
    enum { size = 32 << 10 };
    char *bytes = alloca(size);
    clinux_zero(bytes, size);
}
