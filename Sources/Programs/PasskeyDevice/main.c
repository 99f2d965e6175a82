// Shows the system a security key, and hands its reports to the program at standard input.
//
// systemd starts one for each connection to /run/chatelaine/passkeys.sock, a socket of packets, as a user that may open
// /dev/uhid and nothing else. Who has that device could be a keyboard. So its descriptor is never passed on: this program
// makes one kind of device, and carries reports of 64 bytes.
//
// With an argument, which is a descriptor's number, that takes the place of /dev/uhid.
//
// The device's node is given to the user at the other end by a rule of udev's, which reads their number from the device.

#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(const char *what) {
    fprintf(stderr, "chatelaine-passkey-device: %s: %s\n", what, strerror(errno));
    return 1;
}

// One device for each user: more of them look like several keys, each of which a browser asks to be touched.
static int lock_for(unsigned int uid) {
    const char *folder = getenv("RUNTIME_DIRECTORY");
    char path[256];
    if (folder == NULL) {
        return 0;
    }
    int length = snprintf(path, sizeof path, "%s/%u", folder, uid);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    // It is held for as long as this process lives.
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return descriptor < 0 ? -1 : flock(descriptor, LOCK_EX | LOCK_NB);
}

// A user who has subordinate numbers (subuid(5)) can be any of them in a namespace of their own: they would have a device, and a
// connection, for each.
static int is_subordinate(unsigned long uid) {
    FILE *file = fopen("/etc/subuid", "re");
    if (file == NULL) {
        // Where there is none, no number is lent. One that cannot be read may lend this one.
        return errno != ENOENT;
    }
    char *line = NULL;
    size_t size = 0;
    int found = 0;
    while (!found && getline(&line, &size, file) >= 0) {
        unsigned long first = 0;
        unsigned long many = 0;
        const char *numbers = strchr(line, ':');
        found = numbers != NULL && sscanf(numbers, ":%lu:%lu", &first, &many) == 2 && uid >= first && uid - first < many;
    }
    free(line);
    fclose(file);
    return found;
}

int main(int count, char **arguments) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    int type = 0;
    socklen_t type_size = sizeof type;
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0) {
        return fail("standard input is no socket");
    }
    if (type != SOCK_SEQPACKET) {
        errno = EPROTOTYPE;
        return fail("standard input");
    }
    if (is_subordinate(peer.uid)) {
        errno = EPERM;
        return fail("a subordinate user has no device");
    }
    if (lock_for((unsigned int)peer.uid) != 0) {
        return fail("the user has a device already");
    }
    int kernel = count == 2 ? atoi(arguments[1]) : open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (kernel < 0) {
        return fail("/dev/uhid");
    }
    if (device_create(kernel, (unsigned int)peer.uid) != 0) {
        return fail("no device can be made");
    }
    enum { user = 0, system = 1 };
    struct pollfd ready[2] = {{STDIN_FILENO, POLLIN, 0}, {kernel, POLLIN, 0}};
    for (;;) {
        if (poll(ready, 2, -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            return fail("nothing can be waited for");
        }
        if (ready[system].revents != 0) {
            switch (device_carry_to_user(kernel, STDIN_FILENO)) {
            case carried: break;
            case ended: return 0;
            case broken: return fail("the device cannot be read");
            }
        }
        if (ready[user].revents != 0) {
            switch (device_carry_to_system(STDIN_FILENO, kernel)) {
            case carried: break;
            // The kernel takes the device away with the descriptor.
            case ended: return 0;
            case broken: return fail("the device cannot be written");
            }
        }
    }
}
