#define _GNU_SOURCE
#include "CProbe.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
