#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

// A standard descriptor that is closed would become the next file that is opened, and errors would be written there.
static bool open_standard_descriptors(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        if (errno != EBADF || open("/dev/null", O_RDWR) != descriptor) return false;
    }
    return true;
}

static bool reset_signals(void) {
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    // Some numbers are no signal's, and two cannot be changed.
    for (int number = 1; number < NSIG; number++) (void)sigaction(number, &standard, NULL);
    sigset_t none;
    return sigemptyset(&none) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

static bool reset_timers(unsigned seconds) {
    // They outlive an exec, and would end or disturb what goes on here.
    const struct itimerval off = {{0, 0}, {0, 0}};
    if (setitimer(ITIMER_VIRTUAL, &off, NULL) != 0 || setitimer(ITIMER_PROF, &off, NULL) != 0) return false;
    (void)alarm(seconds);
    return true;
}

bool surroundings_clear(unsigned seconds) {
    // The environment first: whatever is called after this looks into it.
    if (clearenv() != 0 || setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1) != 0) return false;
    if (!reset_signals() || !reset_timers(seconds)) return false;
    if (!open_standard_descriptors()) return false;
    closefrom(STDERR_FILENO + 1);
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return false;
    (void)umask(077);
    return chdir("/") == 0;
}

bool surroundings_give_up_root(uid_t uid, gid_t gid) {
    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0) return false;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
