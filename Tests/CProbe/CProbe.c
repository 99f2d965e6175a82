#define _GNU_SOURCE
#include "CProbe.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int cprobe_fork(void) {
    return (int)fork();
}

struct listening {
    int descriptor;
    int backlog;
    unsigned uid;
    int result;
};

static void *listen_in_thread(void *context) {
    struct listening *listening = context;
    // The call alone changes the thread; the library's function would change the process.
    listening->result =
        syscall(SYS_setresuid, listening->uid, listening->uid, listening->uid) == 0
            ? listen(listening->descriptor, listening->backlog)
            : -1;
    return NULL;
}

int cprobe_listen_as(int descriptor, int backlog, unsigned uid) {
    struct listening listening = {.descriptor = descriptor, .backlog = backlog, .uid = uid, .result = -1};
    pthread_t thread;
    if (pthread_create(&thread, NULL, listen_in_thread, &listening) != 0) {
        return -1;
    }
    pthread_join(thread, NULL);
    return listening.result;
}

int cprobe_connect_as(const char *path, unsigned uid) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    // The C library would change all threads.
    uid_t before = geteuid();
    if (uid != before && syscall(SYS_setresuid, -1, uid, -1) != 0) {
        close(descriptor);
        return -1;
    }
    int result;
    do result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    while (result != 0 && (errno == EINTR || (errno == EAGAIN && usleep(1000) == 0)));
    int reason = errno;
    if (uid != before) syscall(SYS_setresuid, -1, before, -1);
    if (result != 0) {
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}
