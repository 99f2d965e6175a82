#define _GNU_SOURCE
#include "enclave.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

// MARK: Memory

static void *map_secret(size_t size) {
    int descriptor = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
    if (descriptor < 0) {
        return MAP_FAILED;
    }
    void *bytes = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)size) == 0) {
        bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    }
    close(descriptor);
    return bytes;
}

void *clinux_secret_memory(size_t size, enum clinux_secret_memory_kind *kind) {
    void *bytes = map_secret(size);
    *kind = CLINUX_MEMORY_SECRET;
    if (bytes != MAP_FAILED) {
        return bytes;
    }
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        return NULL;
    }
    madvise(bytes, size, MADV_DONTDUMP);
    madvise(bytes, size, MADV_DONTFORK);
    *kind = mlock(bytes, size) == 0 ? CLINUX_MEMORY_LOCKED : CLINUX_MEMORY_PLAIN;
    return bytes;
}

// MARK: System calls

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif

static const int allowed[] = {
    // Messages.
#ifdef SYS_poll
    SYS_poll,
#else
    SYS_ppoll,
#endif
    // Of the one above, after the process was stopped and goes on.
    SYS_restart_syscall,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_accept4,
    SYS_getsockopt,
    SYS_read,
    SYS_write,
    SYS_close,
    // Memory, and threads that are there.
    SYS_futex,
    SYS_gettid,
    SYS_munmap,
    SYS_madvise,
    SYS_brk,
    SYS_getrandom,
    // The files of keybags.
    SYS_openat,
    SYS_newfstatat,
    SYS_fstat,
    SYS_fsync,
    SYS_flock,
#ifdef SYS_rename
    SYS_rename,
#else
    SYS_renameat,
#endif
#ifdef SYS_unlink
    SYS_unlink,
#else
    SYS_unlinkat,
#endif
#ifdef SYS_mkdir
    SYS_mkdir,
#else
    SYS_mkdirat,
#endif
    SYS_geteuid,
    // Time, and the end.
    SYS_clock_gettime,
    SYS_exit_group,
};

// Only for memory that cannot be executed.
static const int allowed_without_execution[] = {SYS_mmap, SYS_mprotect};

// None of them is made by what runs here, whatever the library or the kernel does.
static const int deadly[] = {
    SYS_execve,  SYS_execveat, SYS_ptrace,  SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_socket,  SYS_connect,  SYS_bind,    SYS_listen,           SYS_clone,
    SYS_unshare, SYS_setns,    SYS_bpf,     SYS_memfd_create,     SYS_prctl,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_fork
    SYS_fork,    SYS_vfork,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

size_t clinux_enclave_call_count(void) {
    return COUNT(allowed) + COUNT(allowed_without_execution);
}

int clinux_enter_enclave(void) {
    if (ARCHITECTURE == 0) {
        return ENOSYS;
    }
    struct sock_filter filter[8 + 2 * (COUNT(allowed) + COUNT(deadly)) + 5 * COUNT(allowed_without_execution)];
    unsigned short count = 0;
    const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_filter kill = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const struct sock_filter load_number =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));

    filter[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    filter[count++] = kill;
    filter[count++] = load_number;
    for (size_t index = 0; index < COUNT(allowed); index++) {
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[index], 0, 1);
        filter[count++] = allow;
    }
    for (size_t index = 0; index < COUNT(allowed_without_execution); index++) {
        // The third argument of both says how the memory may be used.
        filter[count++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed_without_execution[index], 0, 4);
        filter[count++] = (struct sock_filter)BPF_STMT(
            BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]));
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
        filter[count++] = allow;
        filter[count++] = kill;
    }
    for (size_t index = 0; index < COUNT(deadly); index++) {
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)deadly[index], 0, 1);
        filter[count++] = kill;
    }
#if defined(__x86_64__)
    // The numbers of the x32 interface.
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1);
    filter[count++] = kill;
#endif
    filter[count++] = refuse;

    struct sock_fprog program = {.len = count, .filter = filter};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    // A positive number is a thread that could not be taken along.
    return result == 0 ? 0 : result > 0 ? EBUSY : errno;
}
