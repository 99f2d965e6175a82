// Speaks to the enclave over its owners' socket, as any program can: packets SOCKET TIMES MESSAGE..., each message in
// hexadecimal. All are sent so many times over one connection, each after the answer to the one before, and what the last
// round was answered is printed, a line each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static size_t bytes_of(const char *digits, unsigned char *bytes, size_t most) {
    size_t count = 0;
    for (; count < most && sscanf(digits + 2 * count, "%2hhx", &bytes[count]) == 1; count++) {}
    return count;
}

int main(int count, char **arguments) {
    static unsigned char message[1 << 16];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count < 4 || strlen(arguments[1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, arguments[1]);
    int peer = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
        return 3;
    }
    for (long left = atol(arguments[2]); left > 0; left--) {
        for (int index = 3; index < count; index++) {
            const size_t size = bytes_of(arguments[index], message, sizeof message);
            const ssize_t got = send(peer, message, size, MSG_NOSIGNAL) < 0 ? -1 : recv(peer, message, sizeof message, 0);
            if (got <= 0) {
                puts("closed");
                return 1;
            }
            if (left > 1) continue;
            for (ssize_t at = 0; at < got; at++) printf("%02x", message[at]);
            puts("");
        }
    }
    return 0;
}
