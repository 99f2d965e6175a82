#define _GNU_SOURCE
#include "service.h"
#include "CKeychainLinux.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

// A process whose standard descriptors were closed would get one of them as its next socket, and print into it.
static int above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return moved;
}

int clinux_stream_socket(void) {
    return above_standard(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

int clinux_packet_socket(void) {
    return above_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

static socklen_t address_of(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    memcpy(address->sun_path, path, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (path[0] == '@') {
        address->sun_path[0] = '\0';
        return size;
    }
    return size + 1;
}

int clinux_bind_path(int socket, const char *path) {
    struct sockaddr_un address;
    socklen_t size = address_of(path, &address);
    return size == 0 ? -1 : bind(socket, (struct sockaddr *)&address, size);
}

int clinux_connect_path(int socket, const char *path) {
    struct sockaddr_un address;
    socklen_t size = address_of(path, &address);
    return size == 0 ? -1 : connect(socket, (struct sockaddr *)&address, size);
}

int clinux_accept(int listener) {
    return above_standard(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

struct start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int clinux_start_thread(size_t stack_size, void (*body)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct start){body, context};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_size);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    // Signals are for the thread that began the process.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (result != 0) free(start);
    return result;
}

void clinux_notify(const char *socket_path, const char *message) {
    struct sockaddr_un address;
    socklen_t size = address_of(socket_path, &address);
    int descriptor = size == 0 ? -1 : socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    sendto(descriptor, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(descriptor);
}

int clinux_start_program(const char *path, char *const arguments[], char *const environment[], const int *descriptors, int32_t count, int input, int output, pid_t *pid) {
    // First out of the way, since one may have the number that another is to get.
    int copies[CLINUX_PROGRAM_DESCRIPTORS];
    if (count < 0 || count > CLINUX_PROGRAM_DESCRIPTORS) return EINVAL;
    posix_spawn_file_actions_t actions;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    if (input == CLINUX_PROGRAM_NO_INPUT) result = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (input >= 0) result = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (result == 0 && output >= 0) result = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int32_t made = 0;
    for (; result == 0 && made < count; made++) {
        copies[made] = fcntl(descriptors[made], F_DUPFD_CLOEXEC, 3 + CLINUX_PROGRAM_DESCRIPTORS);
        if (copies[made] < 0) {
            result = errno;
            break;
        }
        result = posix_spawn_file_actions_adddup2(&actions, copies[made], 3 + made);
    }
    // Libraries open descriptors that they do not mark to be closed, listening sockets among them.
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3 + count);
    if (result == 0) result = posix_spawn(pid, path, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    while (made > 0) close(copies[--made]);
    return result;
}

int clinux_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

int clinux_event(void) {
    return eventfd(0, EFD_CLOEXEC);
}

static int signal_events[NSIG];

static void tell_of_signal(int signal) {
    const int error = errno;
    const uint64_t one = 1;
    if (write(signal_events[signal], &one, sizeof one) < 0) {
        // It is full: its reader has not read the earlier signals yet.
    }
    errno = error;
}

int clinux_signal_event(int signal) {
    const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0) return -1;
    signal_events[signal] = descriptor;
    struct sigaction action = {.sa_handler = tell_of_signal, .sa_flags = SA_RESTART};
    if (sigaction(signal, &action, NULL) == 0) return descriptor;
    close(descriptor);
    return -1;
}

// Copying leaves what was copied in vector registers, and a core file has those of every thread. The ones that a function
// has to leave as they were are left alone.
#if defined(__x86_64__)
static bool has_wide_registers(void) {
    unsigned int a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bit_AVX512F) == 0) return false;
    unsigned int low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    // What the kernel saves: SSE, AVX, and the three parts of AVX-512.
    return (low & 0xe6) == 0xe6;
}

static bool has_avx(void) {
    unsigned int a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
    return (c & bit_OSXSAVE) != 0 && (c & bit_AVX) != 0;
}

#define CLEAR_WIDE(number) "vpxord %%zmm" #number ", %%zmm" #number ", %%zmm" #number "\n"
#define CLEAR_NARROW(number) "pxor %%xmm" #number ", %%xmm" #number "\n"

__attribute__((noinline, target("avx512f"))) static void clear_upper_registers(void) {
    __asm__ volatile(CLEAR_WIDE(16) CLEAR_WIDE(17) CLEAR_WIDE(18) CLEAR_WIDE(19) CLEAR_WIDE(20) CLEAR_WIDE(21)
                     CLEAR_WIDE(22) CLEAR_WIDE(23) CLEAR_WIDE(24) CLEAR_WIDE(25) CLEAR_WIDE(26) CLEAR_WIDE(27)
                     CLEAR_WIDE(28) CLEAR_WIDE(29) CLEAR_WIDE(30) CLEAR_WIDE(31) ::: "memory");
}

__attribute__((noinline)) static void clear_registers(void) {
    // Asked once: it takes the processor longer than all the rest.
    static _Atomic int width;
    int known = width;
    if (known == 0) width = known = has_wide_registers() ? 3 : has_avx() ? 2 : 1;
    if (known == 3) clear_upper_registers();
    if (known >= 2) {
        __asm__ volatile("vzeroall" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                         "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory");
    } else {
        __asm__ volatile(CLEAR_NARROW(0) CLEAR_NARROW(1) CLEAR_NARROW(2) CLEAR_NARROW(3) CLEAR_NARROW(4) CLEAR_NARROW(5)
                         CLEAR_NARROW(6) CLEAR_NARROW(7) CLEAR_NARROW(8) CLEAR_NARROW(9) CLEAR_NARROW(10)
                         CLEAR_NARROW(11) CLEAR_NARROW(12) CLEAR_NARROW(13) CLEAR_NARROW(14) CLEAR_NARROW(15)
                         ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                         "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory");
    }
}
#elif defined(__aarch64__)
#define CLEAR(number) "movi v" #number ".2d, #0\n"
__attribute__((noinline)) static void clear_registers(void) {
    __asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7) CLEAR(16) CLEAR(17)
                     CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26)
                     CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)
                     ::: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
                     "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory");
}
#else
static void clear_registers(void) {}
#endif

__attribute__((noinline)) void clinux_wipe_stack(void) {
    enum { size = 32 << 10 };
    char *bytes = alloca(size);
    clinux_zero(bytes, size);
    clear_registers();
}

__attribute__((noinline)) void clinux_wipe_deep_stack(void) {
    enum { size = 256 << 10 };
    char *bytes = alloca(size);
    clinux_zero(bytes, size);
    clear_registers();
}
