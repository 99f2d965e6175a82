#include "enclave_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char folder_name[] = "chatelaine";
static const char socket_name[] = "enclave.sock";
static const char enclave_user[] = "chatelaine-enclave";

// Who may have what is said, by the credentials of whoever listens.
enum listener {
    /// Root, and the enclave's own user. With sockets from systemd the listener is whoever made the socket, which is root.
    listener_of_system,
    /// The user whose keychain it is.
    listener_of_user,
    /// Either: an administrator has named the socket.
    listener_of_either,
};

static long long now_in_milliseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

long long enclave_deadline(int milliseconds) { return now_in_milliseconds() + milliseconds; }

static int milliseconds_until(long long deadline) {
    const long long rest = deadline - now_in_milliseconds();
    return rest <= 0 ? 0 : (int)rest;
}

// Waits for an event on the socket. False where the time is over.
static bool wait_for(int descriptor, short events, long long deadline) {
    while (true) {
        struct pollfd state = {.fd = descriptor, .events = events};
        const int count = poll(&state, 1, milliseconds_until(deadline));
        if (count > 0) return true;
        if (count == 0 || errno != EINTR) return false;
    }
}

// MARK: - Who listens

static bool is_of_system(uid_t peer) {
    if (peer == 0) return true;
    char texts[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwnam_r(enclave_user, &entry, texts, sizeof texts, &found) != 0 || found == NULL) return false;
    return peer == entry.pw_uid;
}

static bool may_have_it(int descriptor, enum listener listener, uid_t uid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return false;
    switch (listener) {
    case listener_of_system: return is_of_system(peer.uid);
    case listener_of_user: return peer.uid == uid;
    case listener_of_either: return peer.uid == uid || is_of_system(peer.uid);
    }
    return false;
}

// A socket that is connected, or -1.
static int connect_to(const char *path, enum listener listener, uid_t uid, long long deadline) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(path);
    if (length >= sizeof address.sun_path) return -1;
    memcpy(address.sun_path, path, length + 1);
    const int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    while (connect(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        // A queue that is full cannot be waited for.
        const bool is_full = errno == EAGAIN;
        if ((!is_full && errno != EINTR) || milliseconds_until(deadline) == 0) {
            close(descriptor);
            return -1;
        }
        if (is_full) (void)poll(NULL, 0, 10);
    }
    if (!may_have_it(descriptor, listener, uid)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// MARK: - Where it listens

// A folder that is no link, and that nobody but its owner can change. -1 with errno where it is another one.
static int open_folder(int parent, const char *name, uid_t owner) {
    const int folder = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    struct stat status;
    if (fstat(folder, &status) == 0 && status.st_uid == owner && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
        return folder;
    }
    close(folder);
    errno = EPERM;
    return -1;
}

// The enclave's socket in the owner's folder `chatelaine`, as a descriptor that only names it. -1 with errno.
static int open_socket(int parent, uid_t owner) {
    const int folder = open_folder(parent, folder_name, owner);
    if (folder < 0) return -1;
    const int named = openat(folder, socket_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    const int reason = errno;
    close(folder);
    errno = reason;
    if (named < 0) return -1;
    struct stat status;
    // Who may connect is a matter of its folder; but nobody puts somebody else's socket there under another name.
    if (fstat(named, &status) == 0 && S_ISSOCK(status.st_mode) && (owner == 0 || status.st_uid == owner)) return named;
    close(named);
    errno = EPERM;
    return -1;
}

// Connects to the very socket that was looked at: its name could lead elsewhere by now.
static int connect_to_opened(int named, enum listener listener, uid_t uid, long long deadline) {
    char path[32];
    const int length = snprintf(path, sizeof path, "/proc/self/fd/%d", named);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    return connect_to(path, listener, uid, deadline);
}

// -1, with ENOENT where the system has no enclave.
static int open_system_socket(void) {
    const int run = open_folder(AT_FDCWD, "/run", 0);
    if (run < 0) {
        errno = EPERM;
        return -1;
    }
    const int named = open_socket(run, 0);
    const int reason = errno;
    close(run);
    errno = reason;
    return named;
}

static int open_user_socket(uid_t uid) {
    const int run = open_folder(AT_FDCWD, "/run", 0);
    if (run < 0) return -1;
    const int users = open_folder(run, "user", 0);
    close(run);
    if (users < 0) return -1;
    char name[16];
    const int length = snprintf(name, sizeof name, "%lu", (unsigned long)uid);
    const int own = length > 0 && (size_t)length < sizeof name ? open_folder(users, name, uid) : -1;
    close(users);
    if (own < 0) return -1;
    const int named = open_socket(own, uid);
    close(own);
    return named;
}

int enclave_connect_to_system(long long deadline) {
    const int named = open_system_socket();
    if (named < 0) return -1;
    const int descriptor = connect_to_opened(named, listener_of_system, 0, deadline);
    close(named);
    if (descriptor < 0) errno = ECONNREFUSED;
    return descriptor;
}

// As the user: what they could not open, root does not open for them. Root's rights come back afterwards.
static int connect_to_user(uid_t uid, long long deadline) {
    const bool is_root = geteuid() == 0;
    if (is_root) (void)setfsuid(uid);
    int descriptor = -1;
    const int named = open_user_socket(uid);
    if (named >= 0) {
        descriptor = connect_to_opened(named, listener_of_user, uid, deadline);
        close(named);
    }
    if (is_root) (void)setfsuid(0);
    return descriptor;
}

int enclave_connect(struct enclave_place place, uid_t uid, long long deadline) {
    if (place.socket != NULL) return connect_to(place.socket, listener_of_either, uid, deadline);
    // The system's enclave, where there is one, is the enclave of all users: nothing is handed to another in its stead.
    const int descriptor = enclave_connect_to_system(deadline);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
    return connect_to_user(uid, deadline);
}

// MARK: - What is said

ssize_t enclave_exchange(
    int descriptor, const struct locked_memory *message, unsigned char reply[control_reply_limit], long long deadline) {
    ssize_t count;
    do {
        count = send(descriptor, message->bytes, message->count, MSG_NOSIGNAL);
    } while (count < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(descriptor, POLLOUT, deadline))));
    if (count != (ssize_t)message->count) return -1;
    if (!wait_for(descriptor, POLLIN, deadline)) return 0;
    count = recv(descriptor, reply, control_reply_limit, 0);
    return count > 0 ? count : -1;
}
