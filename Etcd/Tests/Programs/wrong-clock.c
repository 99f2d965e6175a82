// Runs a program whose clock is wrong: wrong-clock SECONDS PROGRAM [ARGUMENT ...]
//
// Programs in Go read the clock from a page of the kernel's (the vDSO), which no library between them and it can change. So this
// program takes the address of that page from what the kernel tells the new program, which then asks by system calls; a filter stops
// those for the time of day, and this program answers them.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if !defined(__x86_64__)
int main(void) {
    fputs("wrong-clock: only x86-64 is known\n", stderr);
    return 125;
}
#else

static pid_t child;

static void fail(const char *what) {
    fprintf(stderr, "wrong-clock: %s: %s\n", what, strerror(errno));
    if (child > 0) kill(child, SIGKILL);
    exit(125);
}

static void filter_clock(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("seccomp");
}

static uint64_t word(pid_t process, uint64_t address) {
    errno = 0;
    long value = ptrace(PTRACE_PEEKDATA, process, address, NULL);
    if (errno != 0) fail("reading");
    return (uint64_t)value;
}

// On its stack a new program has: the count of its arguments, these, a null, its environment, a null, and pairs of the kernel's.
static void hide_page(pid_t process) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, process, NULL, &registers) != 0) fail("registers");
    uint64_t place = registers.rsp + 8 * (word(process, registers.rsp) + 2);
    while (word(process, place) != 0) place += 8;
    for (place += 8; word(process, place) != AT_NULL; place += 16) {
        if (word(process, place) != AT_SYSINFO_EHDR) continue;
        if (ptrace(PTRACE_POKEDATA, process, place, AT_IGNORE) != 0) fail("writing");
        return;
    }
}

// Answers in the kernel's place, which is told to do nothing.
static void answer(pid_t thread, time_t offset) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0) return;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += offset;
    struct iovec own = {&now, sizeof now}, other = {(void *)registers.rsi, sizeof now};
    ssize_t written = process_vm_writev(thread, &own, 1, &other, 1, 0);
    registers.orig_rax = (uint64_t)-1;
    registers.rax = written == sizeof now ? 0 : (uint64_t)-EFAULT;
    ptrace(PTRACE_SETREGS, thread, NULL, &registers);
}

static void end(int number) {
    // The program that runs is to end as it would alone.
    if (child > 0) kill(child, number);
}

int main(int count, char *words[]) {
    if (count < 3) {
        fputs("usage: wrong-clock SECONDS PROGRAM [ARGUMENT ...]\n", stderr);
        return 125;
    }
    time_t offset = atoll(words[1]);
    child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) fail("tracing");
        raise(SIGSTOP);
        filter_clock();
        execvp(words[2], words + 2);
        fail(words[2]);
    }
    int status;
    if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) fail("waiting");
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                   PTRACE_O_TRACESECCOMP;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL, options) != 0) fail("options");
    signal(SIGTERM, end);
    signal(SIGINT, end);
    ptrace(PTRACE_CONT, child, NULL, NULL);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return 0;
        if (!WIFSTOPPED(status)) {
            if (thread != child) continue;
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        int event = status >> 16;
        long passed = 0;
        if (event == PTRACE_EVENT_EXEC) {
            hide_page(thread);
        } else if (event == PTRACE_EVENT_SECCOMP) {
            answer(thread, offset);
        } else if (event == 0 && WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP) {
            passed = WSTOPSIG(status);
        }
        ptrace(PTRACE_CONT, thread, NULL, passed);
    }
}
#endif
