// Starts a program on another kernel than there is, as far as the program can tell: kernel-filter KERNEL PROGRAM
// [ARGUMENTS]. A system call filter answers in the place of the kernel. So the programs that are tested are those that are
// installed, and none of them has a switch for it.
//
// older: a kernel as Debian 12's (6.1), without the calls, options and flags that later ones have.
// no-resources: one that ends whoever asks for priorities and the like, which the service's units forbid.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of this architecture's system calls are not known"
#endif

enum {
    // set_mempolicy_home_node(2) is the last one of Linux 6.1.
    newest_call = 450,
    secret_memory_call = 447,
    pass_pidfd_option = 76,
    peer_pidfd_option = 77,
    unique_mount_flag = 0x4000,
    set_mdwe = 65,
    get_mdwe = 66,
    pidfd_information_request = 0xff0b,
};

// All that is looked at is in the lower half of an argument: these machines are little-endian.
#define ARGUMENT(number) (offsetof(struct seccomp_data, args) + (number) * sizeof(__u64))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define LOAD_CALL LOAD(offsetof(struct seccomp_data, nr))
// Goes on with the next instruction if it is so, else skips as many.
#define IF_EQUAL(value, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (otherwise))
#define IF_ANY_BIT(bits, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (otherwise))
#define IF_GREATER(value, otherwise) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (value), 0, (otherwise))
#define KEEP_BITS(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define FAIL(reason) ANSWER(SECCOMP_RET_ERRNO | (reason))

static const struct sock_filter older[] = {
    LOAD(offsetof(struct seccomp_data, arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOAD_CALL, IF_GREATER(newest_call, 1), FAIL(ENOSYS),
    // Is there in 6.1, and switched off.
    IF_EQUAL(secret_memory_call, 1), FAIL(ENOSYS),
    IF_EQUAL(SYS_getsockopt, 6), LOAD(ARGUMENT(1)), IF_EQUAL(SOL_SOCKET, 3), LOAD(ARGUMENT(2)),
    IF_EQUAL(peer_pidfd_option, 1), FAIL(ENOPROTOOPT), LOAD_CALL,
    IF_EQUAL(SYS_setsockopt, 6), LOAD(ARGUMENT(1)), IF_EQUAL(SOL_SOCKET, 3), LOAD(ARGUMENT(2)),
    IF_EQUAL(pass_pidfd_option, 1), FAIL(ENOPROTOOPT), LOAD_CALL,
    // An older kernel leaves a flag out that it does not know; a filter can only refuse the call.
    IF_EQUAL(SYS_statx, 4), LOAD(ARGUMENT(3)), IF_ANY_BIT(unique_mount_flag, 1), FAIL(EINVAL), LOAD_CALL,
    IF_EQUAL(SYS_prctl, 6), LOAD(ARGUMENT(0)), IF_EQUAL(set_mdwe, 1), FAIL(EINVAL), IF_EQUAL(get_mdwe, 1),
    FAIL(EINVAL), LOAD_CALL,
    IF_EQUAL(SYS_ioctl, 4), LOAD(ARGUMENT(1)), KEEP_BITS(0xffff), IF_EQUAL(pidfd_information_request, 1), FAIL(ENOTTY),
    ANSWER(SECCOMP_RET_ALLOW),
};

#define DEADLY(call) IF_EQUAL(call, 1), ANSWER(SECCOMP_RET_KILL_PROCESS)

static const struct sock_filter no_resources[] = {
    LOAD_CALL,
    DEADLY(SYS_setpriority), DEADLY(SYS_sched_setscheduler), DEADLY(SYS_sched_setparam), DEADLY(SYS_sched_setattr),
    DEADLY(SYS_sched_setaffinity), DEADLY(SYS_ioprio_set), DEADLY(SYS_mbind), DEADLY(SYS_migrate_pages),
    DEADLY(SYS_move_pages), DEADLY(SYS_set_mempolicy),
    ANSWER(SECCOMP_RET_ALLOW),
};

static int enter(const struct sock_filter *filter, size_t size) {
    struct sock_fprog program = {(unsigned short)(size / sizeof *filter), (struct sock_filter *)filter};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) {
        return 0;
    }
    // Only root may filter what could have rights of its own.
    if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -1;
    }
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int count, char **arguments) {
    int result = -1;
    if (count < 3) {
        fprintf(stderr, "usage: kernel-filter older|no-resources PROGRAM [ARGUMENTS]\n");
        return 2;
    } else if (strcmp(arguments[1], "older") == 0) {
        result = enter(older, sizeof older);
    } else if (strcmp(arguments[1], "no-resources") == 0) {
        result = enter(no_resources, sizeof no_resources);
    } else {
        fprintf(stderr, "kernel-filter: there is no kernel %s\n", arguments[1]);
        return 2;
    }
    if (result != 0) {
        perror("kernel-filter");
        return 1;
    }
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 1;
}
