#include "handover.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "control_message.h"

static const char system_socket[] = "/run/chatelaine/enclave.sock";
static const char enclave_user[] = "chatelaine-enclave";

static long long now_in_milliseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

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

// Whether whoever listens may have the password: root, the enclave's own user, and the user whose password it is. With
// sockets from systemd the listener is whoever made the socket, which is root or the user's own manager.
static bool may_have_it(int descriptor, uid_t uid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return false;
    if (peer.uid == 0 || peer.uid == uid) return true;
    char texts[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwnam_r(enclave_user, &entry, texts, sizeof texts, &found) != 0 || found == NULL) return false;
    return peer.uid == entry.pw_uid;
}

// A socket that is connected, or -1.
static int connect_to(const char *path, uid_t uid, long long deadline) {
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
    if (!may_have_it(descriptor, uid)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static int connect_to_enclave(struct enclave_place place, uid_t uid, long long deadline) {
    if (place.socket != NULL) return connect_to(place.socket, uid, deadline);
    // The system's enclave, where there is one, is the enclave of all users: nothing is handed to another in its stead.
    if (access(system_socket, F_OK) == 0 || errno != ENOENT) return connect_to(system_socket, uid, deadline);
    char path[64];
    const int length = snprintf(path, sizeof path, "/run/user/%lu/chatelaine/enclave.sock", (unsigned long)uid);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    return connect_to(path, uid, deadline);
}

// Sends a message and takes its answer. The answer's size, 0 where it has not come in time, or -1 where the message could
// not be sent, or the other end has gone.
static ssize_t exchange(
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

// Whether the keychain is as the message would have it, so that nobody has to wait for a passcode to be tried.
static bool is_needless(int descriptor, uid_t uid, enum handover_purpose purpose, long long deadline) {
    if (purpose == handover_lock) return false;
    struct locked_memory *question = control_state(uid);
    if (question == NULL) return false;
    unsigned char reply[control_reply_limit];
    const ssize_t count = exchange(descriptor, question, reply, deadline);
    locked_memory_free(question);
    struct control_state_reply state;
    if (count <= 0 || !control_state_of_reply(reply, (size_t)count, &state)) return false;
    return purpose == handover_unlock ? state.is_unlocked : !state.has_passcode;
}

static enum handover_result result_of_reply(const unsigned char *reply, size_t count) {
    switch (control_outcome_of_reply(reply, count)) {
    case control_done: return handover_done;
    case control_wrong_passcode: return handover_wrong_passcode;
    case control_no_keychain: return handover_no_keychain;
    case control_refused: return handover_refused;
    }
    return handover_refused;
}

enum handover_result handover_send(
    struct enclave_place place, uid_t uid, enum handover_purpose purpose, const struct locked_memory *message) {
    const long long deadline = now_in_milliseconds() + place.milliseconds;
    const int descriptor = connect_to_enclave(place, uid, deadline);
    if (descriptor < 0) return handover_absent;
    enum handover_result result = handover_done;
    if (!is_needless(descriptor, uid, purpose, deadline)) {
        unsigned char reply[control_reply_limit];
        const ssize_t count = exchange(descriptor, message, reply, deadline);
        if (count < 0) result = handover_refused;
        else if (count == 0) result = handover_unanswered;
        else result = result_of_reply(reply, (size_t)count);
    }
    close(descriptor);
    return result;
}
