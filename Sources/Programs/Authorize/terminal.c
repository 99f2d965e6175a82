#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <security/_pam_types.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static long long now_in_seconds(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (long long)now.tv_sec : 0;
}

bool terminal_open(struct terminal *terminal, unsigned seconds) {
    static const int kept_off[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU};
    terminal->descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal->descriptor < 0) return false;
    // In the background the shell reads what is typed, and shows it.
    if (tcgetpgrp(terminal->descriptor) != getpgrp()) return false;
    sigset_t set;
    if (sigemptyset(&set) != 0) return false;
    for (size_t index = 0; index < sizeof kept_off / sizeof kept_off[0]; index++) (void)sigaddset(&set, kept_off[index]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return false;
    terminal->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    terminal->deadline = now_in_seconds() + seconds;
    return terminal->signals >= 0;
}

static void put(const struct terminal *terminal, const char *bytes, size_t count) {
    while (count > 0) {
        const ssize_t written = write(terminal->descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= (size_t)written;
    }
}

static void put_plain(const struct terminal *terminal, const char *text) {
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        const bool is_control = byte < 0x20 || byte == 0x7f;
        put(terminal, is_control && byte != '\n' ? "?" : text, 1);
    }
}

void terminal_say(const struct terminal *terminal, const char *text) {
    put_plain(terminal, text);
    put(terminal, "\n", 1);
}

// Waits for something to read. False where the person, or somebody else, wants no more, or the time is over.
static bool wait_for_input(const struct terminal *terminal) {
    while (true) {
        const long long rest = terminal->deadline - now_in_seconds();
        if (rest <= 0) return false;
        struct pollfd states[] = {
            {.fd = terminal->descriptor, .events = POLLIN},
            {.fd = terminal->signals, .events = POLLIN},
        };
        const int count = poll(states, 2, (int)rest * 1000);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 || states[1].revents != 0) return false;
        if (states[0].revents != 0) return true;
    }
}

// A line, which ends at the line's end alone.
static bool read_line(const struct terminal *terminal, struct locked_memory *line) {
    while (wait_for_input(terminal)) {
        if (line->count >= line->capacity) return false;
        const ssize_t count = read(terminal->descriptor, line->bytes + line->count, line->capacity - line->count);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        line->count += (size_t)count;
        unsigned char *end = memchr(line->bytes, '\n', line->count);
        if (end == NULL) continue;
        *end = '\0';
        line->count = (size_t)(end - line->bytes);
        return true;
    }
    return false;
}

struct locked_memory *terminal_ask(const struct terminal *terminal, const char *question, bool is_shown) {
    // As much as PAM takes, with the end of the line.
    struct locked_memory *line = locked_memory_new(PAM_MAX_RESP_SIZE);
    if (line == NULL) return NULL;
    struct termios before;
    if (tcgetattr(terminal->descriptor, &before) != 0) {
        locked_memory_free(line);
        return NULL;
    }
    struct termios during = before;
    during.c_lflag |= (tcflag_t)(ICANON | ISIG | ECHO | ECHONL);
    if (!is_shown) during.c_lflag &= ~(tcflag_t)ECHO;
    // What was typed before the question is no answer to it.
    bool is_there = tcsetattr(terminal->descriptor, TCSAFLUSH, &during) == 0;
    if (is_there) {
        put_plain(terminal, question);
        is_there = read_line(terminal, line);
        // And what is left of it is for nobody else.
        (void)tcsetattr(terminal->descriptor, TCSAFLUSH, &before);
        if (!is_there) put(terminal, "\n", 1);
    }
    if (is_there) return line;
    locked_memory_free(line);
    return NULL;
}
