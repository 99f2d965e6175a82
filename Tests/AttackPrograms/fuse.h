// The beginnings of a file system in user space, in one process and without a library.
#ifndef FUSE_H
#define FUSE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/uio.h>

static int device;

static void answer(const struct fuse_in_header *request, int error, const void *body, size_t count) {
    struct fuse_out_header header = {
        .len = (unsigned)(sizeof header + count), .error = -error, .unique = request->unique,
    };
    struct iovec parts[] = {{&header, sizeof header}, {(void *)body, count}};
    if (writev(device, parts, count > 0 ? 2 : 1) < 0 && errno != ENOENT) {
        perror("answer");
    }
}

static void answer_init(const struct fuse_in_header *request, const struct fuse_init_in *init) {
    struct fuse_init_out reply = {
        .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_readahead = init->max_readahead,
        .max_write = 1 << 17,
    };
    answer(request, 0, &reply, sizeof reply);
}

// Opens the device and mounts it. Options begin with a comma.
static int mount_device(const char *place, unsigned long flags, const char *options) {
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char all[256];
    snprintf(all, sizeof all, "fd=%d,rootmode=40755,user_id=0,group_id=0%s", device, options);
    return device < 0 ? -1 : mount("chatelaine-test", place, "fuse", flags, all);
}

#endif
