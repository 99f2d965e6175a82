#define _GNU_SOURCE
#include "kernel_features.h"

#include "peer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Newer than some systems' headers.
enum { peer_pidfd = 77, unique_mount = 0x4000, get_mdwe = 66, wipe_on_fork = 18 };
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static bool closed(int descriptor) {
    if (descriptor < 0) {
        return false;
    }
    close(descriptor);
    return true;
}

bool clinux_has_pidfd(void) {
    return closed((int)syscall(SYS_pidfd_open, getpid(), 0));
}

bool clinux_has_peer_pidfd(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    bool has = getsockopt(ends[0], SOL_SOCKET, peer_pidfd, &descriptor, &length) == 0 && closed(descriptor);
    close(ends[0]);
    close(ends[1]);
    return has;
}

bool clinux_has_unique_mount(void) {
    struct statx status = {0};
    return statx(AT_FDCWD, "/", 0, unique_mount, &status) == 0 && (status.stx_mask & unique_mount) != 0;
}

bool clinux_has_pidfd_information(void) {
    int pidfd = clinux_pidfd_open(getpid());
    if (pidfd < 0) {
        return false;
    }
    struct clinux_process_ids ids;
    bool has = clinux_pidfd_ids(pidfd, &ids);
    close(pidfd);
    return has;
}

bool clinux_has_wipe_on_fork(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    bool has = madvise(page, size, wipe_on_fork) == 0;
    munmap(page, size);
    return has;
}

bool clinux_has_memory_deny_write_execute(void) {
    return prctl(get_mdwe, 0, 0, 0, 0) >= 0;
}

bool clinux_has_secret_memory(void) {
    return closed((int)syscall(SYS_memfd_secret, O_CLOEXEC));
}
