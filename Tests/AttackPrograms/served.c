// A file system in user space with one program in it, which is read as it should be. Once it has been opened to be started,
// whoever opens it, or asks about it, never gets an answer. Arguments: the place to mount it at, and the program.
#define _GNU_SOURCE
#include "fuse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { root = 1, program = 2 };

static unsigned char *bytes;
static size_t size;

static struct fuse_attr attributes(unsigned long node) {
    struct fuse_attr attributes = {.ino = node, .nlink = 1, .blksize = 4096};
    attributes.mode = node == root ? S_IFDIR | 0755 : S_IFREG | 0755;
    attributes.size = node == root ? 0 : size;
    return attributes;
}

int main(int count, char **arguments) {
    if (count != 3) {
        return 2;
    }
    int file = open(arguments[2], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) {
        perror(arguments[2]);
        return 3;
    }
    size = (size_t)status.st_size;
    bytes = malloc(size);
    if (bytes == NULL || read(file, bytes, size) != (ssize_t)size) {
        return 3;
    }
    if (mount_device(arguments[1], MS_NODEV, ",allow_other") != 0) {
        perror("mount");
        return 4;
    }
    static char buffer[1 << 18];
    bool isStarted = false;
    while (read(device, buffer, sizeof buffer) > 0) {
        const struct fuse_in_header *request = (const void *)buffer;
        const void *body = buffer + sizeof *request;
        if (request->opcode == FUSE_INIT) {
            answer_init(request, body);
            printf("served\n");
            fflush(stdout);
        } else if (request->opcode == FUSE_LOOKUP && !isStarted) {
            struct fuse_entry_out reply = {.nodeid = program, .entry_valid = 1000, .attr_valid = 0};
            reply.attr = attributes(program);
            answer(request, strcmp(body, "program") == 0 ? 0 : ENOENT, &reply, sizeof reply);
        } else if (request->opcode == FUSE_GETATTR && (!isStarted || request->nodeid == root)) {
            struct fuse_attr_out reply = {.attr_valid = 0, .attr = attributes(request->nodeid)};
            answer(request, 0, &reply, sizeof reply);
        } else if (request->opcode == FUSE_OPEN && !isStarted) {
            struct fuse_open_out reply = {.fh = 1, .open_flags = FOPEN_KEEP_CACHE};
            answer(request, 0, &reply, sizeof reply);
            isStarted = true;
        } else if (request->opcode == FUSE_READ) {
            const struct fuse_read_in *range = body;
            size_t start = range->offset < size ? range->offset : size;
            size_t length = range->size < size - start ? range->size : size - start;
            answer(request, 0, bytes + start, length);
        } else if (request->opcode != FUSE_FORGET && request->opcode != FUSE_BATCH_FORGET
                   && request->opcode != FUSE_OPEN && request->opcode != FUSE_GETATTR
                   && request->opcode != FUSE_LOOKUP && request->opcode != FUSE_INTERRUPT) {
            answer(request, ENOSYS, NULL, 0);
        }
    }
    return 0;
}
