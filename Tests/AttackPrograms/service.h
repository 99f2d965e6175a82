// The client's part of docs/protocol.md, in as little code as will do. AUTH names a frame whose proof is 32 times 0xAA,
// REQUEST one that is ready to be sent, SOCKET the service.
#ifndef SERVICE_H
#define SERVICE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                  \
    ({                                                                               \
        long result_ = (long)(call);                                                 \
        if (result_ < 0) {                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, strerror(errno)); \
            exit(3);                                                                 \
        }                                                                            \
        result_;                                                                     \
    })

struct frame {
    unsigned char bytes[4096];
    size_t size;
    size_t proof;  // where it stands, in an AUTH frame
};

static inline const char *setting(const char *name) {
    const char *value = getenv(name);
    if (value == NULL) {
        fprintf(stderr, "%s is not set\n", name);
        exit(3);
    }
    return value;
}

static inline struct frame load(const char *variable) {
    struct frame frame = {.size = 0};
    int file = (int)CHECK(open(setting(variable), O_RDONLY | O_CLOEXEC));
    frame.size = (size_t)CHECK(read(file, frame.bytes, sizeof frame.bytes));
    close(file);
    for (size_t index = 0; index + 32 <= frame.size; index++) {
        size_t length = 0;
        while (length < 32 && frame.bytes[index + length] == 0xAA) {
            length++;
        }
        if (length == 32) {
            frame.proof = index;
            break;
        }
    }
    return frame;
}

// What docs/protocol.md asks of an installed client before it connects.
static inline void protect(void) {
    gid_t real, effective, saved;
    CHECK(getresgid(&real, &effective, &saved));
    CHECK(setresgid(real, real, effective));
    prctl(PR_SET_DUMPABLE, 0);
}

static inline int connect_service(void) {
    int service = (int)CHECK(socket(AF_UNIX, SOCK_STREAM, 0));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, setting("SOCKET"), sizeof address.sun_path - 1);
    CHECK(connect(service, (struct sockaddr *)&address, sizeof address));
    return service;
}

static inline bool receive_all(int service, void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t received = recv(service, (char *)bytes + done, count - done, 0);
        if (received <= 0) {
            return false;
        }
        done += (size_t)received;
    }
    return true;
}

static inline bool receive_frame(int service, struct frame *frame) {
    unsigned char header[4];
    if (!receive_all(service, header, 4)) {
        return false;
    }
    frame->size = (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3];
    return frame->size <= sizeof frame->bytes && receive_all(service, frame->bytes, frame->size);
}

void sha256(const unsigned char *bytes, size_t count, unsigned char digest[32]);

// The proof for the nonce in a Hello frame.
static inline void prove(const struct frame *hello, struct frame *authentication) {
    // ServerFrame { Hello hello = 1 { bytes nonce = 1 } }
    unsigned char text[18 + 32 + 8] = "chatelaine auth v1";
    if (hello->size < 36 || hello->bytes[0] != 0x0a || hello->bytes[2] != 0x0a || hello->bytes[3] != 32) {
        fprintf(stderr, "no hello\n");
        fwrite(hello->bytes, 1, hello->size, stderr);
        exit(4);
    }
    memcpy(text + 18, hello->bytes + 4, 32);
    memcpy(text + 50, "\0\0\0\1\0\0\0\1", 8);
    sha256(text, sizeof text, authentication->bytes + authentication->proof);
}

static inline void send_plain(int service, const struct frame *frame) {
    CHECK(send(service, frame->bytes, frame->size, MSG_NOSIGNAL));
}

// In one message, with that process's name as the sender's.
static inline void send_in_name_of(int service, const struct frame *frame, pid_t sender) {
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct ucred credentials = {.pid = sender, .uid = getuid(), .gid = getgid()};
    struct iovec part = {.iov_base = (void *)frame->bytes, .iov_len = frame->size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_CREDENTIALS;
    control.header.cmsg_len = CMSG_LEN(sizeof credentials);
    memcpy(CMSG_DATA(&control.header), &credentials, sizeof credentials);
    CHECK(sendmsg(service, &message, MSG_NOSIGNAL));
}

// In one message, with a descriptor and, where a pid is given, with that process's name as the sender's.
static inline void send_with_descriptor(int service, const struct frame *frame, pid_t sender) {
    int descriptor = (int)CHECK(memfd_create("authentication", MFD_CLOEXEC));
    union {
        char bytes[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = (void *)frame->bytes, .iov_len = frame->size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (sender == 0) {
        message.msg_controllen = CMSG_SPACE(sizeof descriptor);
    } else {
        struct ucred credentials = {.pid = sender, .uid = getuid(), .gid = getgid()};
        header = CMSG_NXTHDR(&message, header);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_CREDENTIALS;
        header->cmsg_len = CMSG_LEN(sizeof credentials);
        memcpy(CMSG_DATA(header), &credentials, sizeof credentials);
    }
    CHECK(sendmsg(service, &message, MSG_NOSIGNAL));
    close(descriptor);
}

// Prints whatever still comes: that is the loot.
static inline void print_rest(int service, int milliseconds) {
    char bytes[4096];
    struct pollfd request = {.fd = service, .events = POLLIN};
    while (poll(&request, 1, milliseconds) > 0) {
        ssize_t received = recv(service, bytes, sizeof bytes, 0);
        if (received <= 0) {
            break;
        }
        CHECK(write(1, bytes, (size_t)received));
    }
}

// Prints the answer to a request, which a busy service takes its time for.
static inline void print_answer(int service) {
    struct pollfd request = {.fd = service, .events = POLLIN};
    if (poll(&request, 1, 20000) > 0) {
        print_rest(service, 200);
    }
}

// The rest of a session as whoever holds the connection, from Hello on.
static inline void answer_and_ask(int service, bool with_descriptor, pid_t sender) {
    struct frame hello;
    struct frame authentication = load("AUTH");
    struct frame request = load("REQUEST");
    if (!receive_frame(service, &hello)) {
        fprintf(stderr, "refused before hello\n");
        return;
    }
    prove(&hello, &authentication);
    if (with_descriptor) {
        send_with_descriptor(service, &authentication, sender);
    } else {
        send_plain(service, &authentication);
    }
    struct frame welcome;
    if (!receive_frame(service, &welcome)) {
        fprintf(stderr, "refused\n");
        return;
    }
    if (sender == 0) {
        send_plain(service, &request);
    } else {
        send_in_name_of(service, &request, sender);
    }
    print_rest(service, 250);
}

#endif
