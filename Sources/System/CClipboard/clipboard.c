#define _GNU_SOURCE
#include "clipboard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

// Milliseconds, also of a machine that sleeps.
static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

void cclipboard_close(struct cclipboard *clipboard) { clipboard->close(clipboard); }

bool cclipboard_offer(struct cclipboard *clipboard, const char *text, size_t length) {
    clipboard->text = text;
    clipboard->length = length;
    clipboard->is_replaced = false;
    return clipboard->offer(clipboard);
}

enum cclipboard_end cclipboard_serve(struct cclipboard *clipboard, int wake, int milliseconds) {
    // Whoever pastes may close the pipe first.
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, NULL);
    long long end = now() + milliseconds;
    for (;;) {
        if (!clipboard->process(clipboard)) return cclipboard_broken;
        if (clipboard->is_replaced) return cclipboard_replaced;
        long long left = milliseconds < 0 ? -1 : end - now();
        if (milliseconds >= 0 && left <= 0) return cclipboard_timed_out;
        struct pollfd descriptors[] = {{clipboard->descriptor, POLLIN, 0}, {wake, POLLIN, 0}};
        if (poll(descriptors, 2, (int)left) < 0 && errno != EINTR) return cclipboard_broken;
        if (descriptors[1].revents != 0) return cclipboard_woken;
    }
}
