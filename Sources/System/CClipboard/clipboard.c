#define _GNU_SOURCE
#include "clipboard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

// A wait in poll(2) lasts longer on a machine that sleeps.
enum { longest_wait = 500 };

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
    // A program that pastes may close the pipe first.
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, NULL);
    long long end = now() + milliseconds;
    bool is_woken = false;
    for (;;) {
        // What has come counts before the time, and before the descriptor: something else may be there by now.
        if (!clipboard->process(clipboard)) return cclipboard_broken;
        if (clipboard->is_replaced) return cclipboard_replaced;
        if (is_woken) return cclipboard_woken;
        long long left = milliseconds < 0 ? longest_wait : end - now();
        if (left <= 0) return cclipboard_timed_out;
        if (left > longest_wait) left = longest_wait;
        struct pollfd descriptors[] = {{clipboard->descriptor, POLLIN, 0}, {wake, POLLIN, 0}};
        if (poll(descriptors, 2, clipboard->is_busy ? 0 : (int)left) < 0 && errno != EINTR) return cclipboard_broken;
        is_woken = descriptors[1].revents != 0;
    }
}
