#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_COOKIE
#define SO_COOKIE 57
#endif
#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U
#endif

const int clinux_open_path = O_PATH;

static ssize_t receive(
    int socket, void *bytes, size_t count, int flags, char *control, size_t room, struct clinux_chunk *chunk) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room};
    memset(chunk, 0, sizeof *chunk);
    ssize_t received = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (received < 0) {
        return received;
    }
    chunk->truncated = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET) {
            continue;
        }
        size_t length = header->cmsg_len - CMSG_LEN(0);
        if (header->cmsg_type == SCM_CREDENTIALS && length >= sizeof(struct ucred)) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
            chunk->has_credentials = true;
            chunk->pid = credentials.pid;
            chunk->uid = credentials.uid;
            chunk->gid = credentials.gid;
        } else if (header->cmsg_type == SCM_RIGHTS) {
            for (size_t index = 0; index < length / sizeof(int); index++) {
                int descriptor;
                memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
                if (chunk->descriptor_count < CLINUX_CHUNK_DESCRIPTORS) {
                    chunk->descriptors[chunk->descriptor_count++] = descriptor;
                } else {
                    chunk->truncated = true;
                    close(descriptor);
                }
            }
        }
    }
    return received;
}

ssize_t clinux_receive(int socket, void *bytes, size_t count, int flags, struct clinux_chunk *chunk) {
    // Room for what the kernel may add besides (SCM_SECURITY, SCM_PIDFD), so that nothing is cut off without need.
    char control[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(CLINUX_CHUNK_DESCRIPTORS * sizeof(int)) + 256]
        __attribute__((aligned(sizeof(size_t))));
    return receive(socket, bytes, count, flags, control, sizeof control, chunk);
}

ssize_t clinux_receive_without_descriptors(
    int socket, void *bytes, size_t count, int flags, bool has_credentials, struct clinux_chunk *chunk) {
    // The kernel puts the credentials first, and they fill it.
    char control[CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(sizeof(size_t))));
    return receive(socket, bytes, count, flags, control, has_credentials ? sizeof control : 0, chunk);
}

int clinux_chunk_take(struct clinux_chunk *chunk, int32_t index) {
    if (index < 0 || index >= chunk->descriptor_count) {
        return -1;
    }
    int descriptor = chunk->descriptors[index];
    chunk->descriptors[index] = -1;
    return descriptor;
}

void clinux_chunk_close(struct clinux_chunk *chunk) {
    for (int32_t index = 0; index < chunk->descriptor_count; index++) {
        if (chunk->descriptors[index] >= 0) {
            close(chunk->descriptors[index]);
        }
    }
    chunk->descriptor_count = 0;
}

bool clinux_ends_with_descriptor(int socket, int count) {
    int waiting = 0;
    if (count < 1 || ioctl(socket, FIONREAD, &waiting) != 0 || waiting != count) {
        return false;
    }
    // From the last byte on: a look at an earlier one would also show what a later message brings.
    int offset = count - 1;
    int none = -1;
    if (setsockopt(socket, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset) != 0) {
        return false;
    }
    char byte;
    struct clinux_chunk chunk;
    ssize_t received = clinux_receive_without_descriptors(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT, true, &chunk);
    bool result = received == 1 && chunk.truncated;
    return setsockopt(socket, SOL_SOCKET, SO_PEEK_OFF, &none, sizeof none) == 0 && result;
}

ssize_t clinux_send(
    int socket, const void *bytes, size_t count, const int *descriptors, int32_t descriptor_count, int flags) {
    char control[CMSG_SPACE(CLINUX_CHUNK_DESCRIPTORS * sizeof(int))] __attribute__((aligned(sizeof(size_t))));
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count < 0 || descriptor_count > CLINUX_CHUNK_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count > 0) {
        size_t size = (size_t)descriptor_count * sizeof(int);
        memset(control, 0, sizeof control);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

bool clinux_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0 || length != sizeof credentials) {
        return false;
    }
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return true;
}

bool clinux_socket_cookie(int socket, uint64_t *cookie) {
    socklen_t size = sizeof *cookie;
    return getsockopt(socket, SOL_SOCKET, SO_COOKIE, cookie, &size) == 0 && size == sizeof *cookie;
}

bool clinux_pass_credentials(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
}

int clinux_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int clinux_peer_process(int socket) {
    int pidfd = -1;
    socklen_t length = sizeof pidfd;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) == 0) {
        if (length == sizeof pidfd && pidfd >= 0) {
            return pidfd;
        }
        errno = ESRCH;
        return -1;
    }
    if (errno != ENOPROTOOPT) {
        return -1;
    }
    int32_t pid;
    uint32_t uid, gid;
    if (!clinux_peer_credentials(socket, &pid, &uid, &gid) || pid <= 0) {
        errno = ESRCH;
        return -1;
    }
    return clinux_pidfd_open(pid);
}

bool clinux_pidfd_is_alive(int pidfd) {
    struct pollfd request = {.fd = pidfd, .events = POLLIN};
    return poll(&request, 1, 0) == 0;
}

// The first published form of struct pidfd_info, 64 bytes; every later kernel takes it (linux/pidfd.h).
struct pidfd_information {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t pid, tgid, ppid;
    uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_information) == 64, "PIDFD_INFO_SIZE_VER0");
#define PIDFD_INFORMATION _IOWR(0xFF, 11, struct pidfd_information)
#define PIDFD_INFORMATION_PID (1ULL << 0)
#define PIDFD_INFORMATION_CREDENTIALS (1ULL << 1)

bool clinux_pidfd_ids(int pidfd, struct clinux_process_ids *ids) {
    struct pidfd_information information = {.mask = PIDFD_INFORMATION_PID | PIDFD_INFORMATION_CREDENTIALS};
    if (ioctl(pidfd, PIDFD_INFORMATION, &information) != 0) {
        return false;
    }
    if ((information.mask & PIDFD_INFORMATION_CREDENTIALS) == 0 || (information.mask & PIDFD_INFORMATION_PID) == 0) {
        errno = ESRCH;
        return false;
    }
    *ids = (struct clinux_process_ids){
        .pid = (int32_t)information.tgid,
        .uid = information.ruid,
        .effective_uid = information.euid,
        .saved_uid = information.suid,
        .file_system_uid = information.fsuid,
        .gid = information.rgid,
        .effective_gid = information.egid,
        .saved_gid = information.sgid,
        .file_system_gid = information.fsgid,
    };
    return true;
}

int clinux_stat(int folder, const char *path, int flags, struct clinux_file *file) {
    struct statx status;
    int all = flags | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | (path[0] == '\0' ? AT_EMPTY_PATH : 0);
    memset(&status, 0, sizeof status);
    if (statx(folder, path, all, STATX_BASIC_STATS | STATX_MNT_ID, &status) != 0) {
        return errno;
    }
    *file = (struct clinux_file){
        .device = makedev(status.stx_dev_major, status.stx_dev_minor),
        .inode = status.stx_ino,
        .size = status.stx_size,
        .mount = (status.stx_mask & STATX_MNT_ID) ? status.stx_mnt_id : 0,
        .mode = status.stx_mode,
        .uid = status.stx_uid,
        .gid = status.stx_gid,
        .change_seconds = status.stx_ctime.tv_sec,
        .change_nanoseconds = status.stx_ctime.tv_nsec,
    };
    memset(&status, 0, sizeof status);
    if (statx(folder, path, all, STATX_MNT_ID_UNIQUE, &status) == 0 && (status.stx_mask & STATX_MNT_ID_UNIQUE)) {
        file->unique_mount = status.stx_mnt_id;
    }
    return 0;
}

bool clinux_is_of_proc(int descriptor) {
    struct statfs file_system;
    return fstatfs(descriptor, &file_system) == 0 && file_system.f_type == PROC_SUPER_MAGIC;
}

bool clinux_namespace_owner(int folder, uint64_t device, uint64_t inode, uint32_t *uid) {
    int namespace = openat(folder, "ns/user", O_RDONLY | O_CLOEXEC);
    bool is_known = false;
    // The kernel nests no deeper.
    for (int depth = 0; namespace >= 0 && depth < 33; depth++) {
        struct stat status;
        int parent = ioctl(namespace, NS_GET_PARENT);
        if (parent < 0 || fstat(parent, &status) != 0) {
            if (parent >= 0) close(parent);
            break;
        }
        if (status.st_dev == device && status.st_ino == inode) {
            uid_t owner;
            is_known = ioctl(namespace, NS_GET_OWNER_UID, &owner) == 0;
            if (is_known) *uid = owner;
            close(parent);
            break;
        }
        close(namespace);
        namespace = parent;
    }
    if (namespace >= 0) close(namespace);
    return is_known;
}

int clinux_loopback_owner(uint16_t from, uint16_t to, uint32_t *uid) {
    const int descriptor = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (descriptor < 0) return errno;
    const struct timeval patience = {.tv_sec = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } question = {
        .header = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .request = {
            .sdiag_family = AF_INET,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = 1 << TCP_ESTABLISHED,
            .id = {
                .idiag_sport = htons(from),
                .idiag_dport = htons(to),
                .idiag_src = {htonl(INADDR_LOOPBACK)},
                .idiag_dst = {htonl(INADDR_LOOPBACK)},
                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    int result = EIO;
    ssize_t count = -1;
    if (send(descriptor, &question, sizeof question, 0) == (ssize_t)sizeof question) {
        do count = recv(descriptor, &answer, sizeof answer, 0);
        while (count < 0 && errno == EINTR);
    }
    if (count < 0) {
        result = errno;
    } else if (NLMSG_OK(&answer.header, (size_t)count)) {
        if (answer.header.nlmsg_type == NLMSG_ERROR && answer.header.nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
            const struct nlmsgerr *error = NLMSG_DATA(&answer.header);
            result = error->error == 0 ? EIO : -error->error;
        } else if (answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
                   answer.header.nlmsg_len >= NLMSG_LENGTH(sizeof(struct inet_diag_msg))) {
            const struct inet_diag_msg *message = NLMSG_DATA(&answer.header);
            // One that nobody has open any more belongs to uid 0, as the kernel has it.
            if (message->idiag_state == TCP_ESTABLISHED && message->idiag_inode != 0) {
                *uid = message->idiag_uid;
                result = 0;
            } else {
                result = ENOENT;
            }
        }
    }
    close(descriptor);
    return result;
}
