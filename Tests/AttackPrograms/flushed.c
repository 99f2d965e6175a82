// Sends a socket a descriptor whose closing waits for ever: of a file system in user space that answers everything but
// FLUSH. Run in a user and a mount namespace of one's own, which anybody may have. Arguments: where to mount it, and the
// socket of packets.
#define _GNU_SOURCE
#include "fuse.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { root = 1, file = 2 };

static struct fuse_attr attributes(unsigned long node) {
    struct fuse_attr attributes = {.ino = node, .nlink = 1, .blksize = 4096};
    attributes.mode = node == root ? S_IFDIR | 0755 : S_IFREG | 0644;
    return attributes;
}

static void serve(void) {
    static char buffer[1 << 18];
    while (read(device, buffer, sizeof buffer) > 0) {
        const struct fuse_in_header *request = (const void *)buffer;
        const void *body = buffer + sizeof *request;
        if (request->opcode == FUSE_INIT) {
            answer_init(request, body);
        } else if (request->opcode == FUSE_LOOKUP) {
            struct fuse_entry_out reply = {.nodeid = file, .entry_valid = 1000, .attr_valid = 1000};
            reply.attr = attributes(file);
            answer(request, strcmp(body, "file") == 0 ? 0 : ENOENT, &reply, sizeof reply);
        } else if (request->opcode == FUSE_GETATTR) {
            struct fuse_attr_out reply = {.attr_valid = 1000, .attr = attributes(request->nodeid)};
            answer(request, 0, &reply, sizeof reply);
        } else if (request->opcode == FUSE_OPEN) {
            struct fuse_open_out reply = {.fh = 1};
            answer(request, 0, &reply, sizeof reply);
        } else if (request->opcode == FUSE_FLUSH) {
            printf("flushed\n");
            fflush(stdout);
        } else if (request->opcode != FUSE_FORGET && request->opcode != FUSE_BATCH_FORGET
                   && request->opcode != FUSE_INTERRUPT) {
            answer(request, ENOSYS, NULL, 0);
        }
    }
}

static int send_descriptor(int socket, int descriptor) {
    char byte = 1, control[CMSG_SPACE(sizeof descriptor)] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int main(int count, char **arguments) {
    if (count != 3) {
        return 2;
    }
    if (mount_device(arguments[1], MS_NODEV | MS_NOSUID, "") != 0) {
        perror("mount");
        return 4;
    }
    // The process that serves is the one that is killed. Its end closes the device, and with it every wait for an answer; one
    // that holds a file there would wait itself, before anybody kills the other.
    if (fork() != 0) {
        serve();
        return 0;
    }
    close(device);
    char path[4096];
    snprintf(path, sizeof path, "%s/file", arguments[1]);
    int descriptor = open(path, O_RDONLY);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", arguments[2]);
    int packets = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (descriptor < 0 || connect(packets, (void *)&address, sizeof address) != 0
        || send_descriptor(packets, descriptor) != 0) {
        perror("send");
        return 5;
    }
    printf("sent\n");
    fflush(stdout);
    pause();
    return 0;
}
