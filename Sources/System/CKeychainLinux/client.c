#define _GNU_SOURCE
#include "client.h"

#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int clinux_client_socket(void) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0 || descriptor > STDERR_FILENO) {
        return descriptor;
    }
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(descriptor);
    errno = error;
    return moved;
}

int clinux_client_name(int descriptor, const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path + 1, name, length);
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + length;
    return bind(descriptor, (const struct sockaddr *)&address, size);
}

int clinux_client_connect(int descriptor, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    return connect(descriptor, (const struct sockaddr *)&address, sizeof address);
}

ptrdiff_t clinux_client_send_with_descriptor(int descriptor, const void *bytes, size_t count) {
    int file = memfd_create("chatelaine", MFD_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    ptrdiff_t sent = clinux_send(descriptor, bytes, count, &file, 1, MSG_DONTWAIT);
    int error = errno;
    close(file);
    errno = error;
    return sent;
}

// A page that the kernel fills with zeroes in the child of a fork, however it was forked.
static _Atomic bool *unforked;
static _Atomic uint64_t generation = 1;

__attribute__((constructor)) static void make_page(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return;
    }
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
        munmap(page, size);
        return;
    }
    unforked = page;
    atomic_store(unforked, true);
}

uint64_t clinux_fork_generation(void) {
    // Linux has had the advice since 4.14; without it the process's number is the best there is.
    if (unforked == NULL) {
        return (uint64_t)getpid();
    }
    if (!atomic_exchange(unforked, true)) {
        atomic_fetch_add(&generation, 1);
    }
    return atomic_load(&generation);
}

bool clinux_is_secure_execution(void) {
    return getauxval(AT_SECURE) != 0;
}

int clinux_harden_installed_program(void) {
    gid_t real, effective, saved;
    if (getresgid(&real, &effective, &saved) != 0 || setresgid(real, real, saved) != 0) {
        return -1;
    }
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) {
        return -1;
    }
    // Last, since another group makes the process readable again on some systems.
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
