// Many users who hold as many connections as they get, say nothing on them, and take another one for each that ends:
//
//     crowd SOCKET stream|packet COUNT own|lent FIRST USERS
//
// USERS processes, whose uids are FIRST, FIRST + 1 …, each with COUNT connections. "lent": the uids are those of one
// user namespace of the user OWNER, as /etc/subuid lends them; "own": they are users of the system. Needs root.
//
// It says "ready" once each process has tried to connect COUNT times. For each line on its input it says how many
// connections are held and how many were made so far. It ends with its input.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWNER = 64116, MOST = 1024 };

static struct {
    atomic_int held, made, ready;
} *counts;

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(3);
}

static int connected(const struct sockaddr_un *address, int kind) {
    int descriptor = socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)address, sizeof *address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

static void hold(const struct sockaddr_un *address, int kind, int count) {
    static struct pollfd waiting[MOST];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int index = 0; index < count; index++) waiting[index] = (struct pollfd){.fd = -1, .events = POLLIN};
    for (int round = 0;; round++) {
        for (int index = 0; index < count; index++) {
            if (waiting[index].fd >= 0) continue;
            waiting[index].fd = connected(address, kind);
            if (waiting[index].fd < 0) continue;
            atomic_fetch_add(&counts->held, 1);
            atomic_fetch_add(&counts->made, 1);
        }
        if (round == 0) atomic_fetch_add(&counts->ready, 1);
        poll(waiting, (nfds_t)count, 20);
        for (int index = 0; index < count; index++) {
            char bytes[4096];
            ssize_t read = waiting[index].fd < 0 ? 1 : recv(waiting[index].fd, bytes, sizeof bytes, MSG_DONTWAIT);
            if (read > 0 || (read < 0 && errno == EAGAIN)) continue;
            close(waiting[index].fd);
            waiting[index].fd = -1;
            atomic_fetch_sub(&counts->held, 1);
        }
    }
}

static void become(uid_t uid) {
    if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0) fail("setresuid");
}

static void map(pid_t process, const char *name, unsigned first, int users) {
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    int length = snprintf(text, sizeof text, "0 %d 1\n1 %u %d\n", OWNER, first, users);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, (size_t)length) != length) fail(path);
    close(file);
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
    int kind = strcmp(argv[2], "packet") == 0 ? SOCK_SEQPACKET : SOCK_STREAM;
    int count = atoi(argv[3]), users = atoi(argv[6]);
    unsigned first = (unsigned)atol(argv[5]);
    if (count > MOST) return 2;
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED || setgroups(0, NULL) != 0) fail("crowd");
    int lends = strcmp(argv[4], "lent") == 0;
    int made[2], mapped[2];
    if (pipe2(made, O_CLOEXEC) != 0 || pipe2(mapped, O_CLOEXEC) != 0) fail("pipe");
    pid_t leader = fork();
    if (leader == 0) {
        char byte = 0;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (lends) {
            if (setresgid(OWNER, OWNER, OWNER) != 0 || setresuid(OWNER, OWNER, OWNER) != 0) fail("setresuid");
            // Or its files in /proc are root's, and the map is nobody's.
            prctl(PR_SET_DUMPABLE, 1);
            if (unshare(CLONE_NEWUSER) != 0) fail("unshare");
            write(made[1], "", 1);
            read(mapped[0], &byte, 1);
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int number = 0; number < users; number++) {
            if (fork() != 0) continue;
            become(lends ? (uid_t)(number + 1) : (uid_t)(first + (unsigned)number));
            hold(&address, kind, count);
        }
        for (;;) pause();
    }
    if (lends) {
        char byte;
        if (read(made[0], &byte, 1) != 1) fail("the namespace was not made");
        map(leader, "uid_map", first, users);
        map(leader, "gid_map", first, users);
        if (write(mapped[1], "", 1) != 1) fail("write");
    }
    while (atomic_load(&counts->ready) < users) {
        if (waitpid(leader, NULL, WNOHANG) == leader) return 3;
        usleep(1000);
    }
    printf("ready\n");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("%d %d\n", atomic_load(&counts->held), atomic_load(&counts->made));
        fflush(stdout);
    }
    kill(leader, SIGKILL);
    return 0;
}
