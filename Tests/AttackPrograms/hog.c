// hog COUNT PAUSE FILE…: a user who makes the service work. Over each of COUNT connections it sends each of the files, one
// after the other, waits for PAUSE milliseconds before it reads the answer, and says how many bytes the answers had. An
// answer is over once nothing has come for QUIET milliseconds (3000).
#include "service.h"

#include <time.h>

static bool admitted(int service) {
    struct frame hello, welcome, authentication = load("AUTH");
    if (!receive_frame(service, &hello)) {
        return false;
    }
    prove(&hello, &authentication);
    send_with_descriptor(service, &authentication, 0);
    return receive_frame(service, &welcome);
}

static bool send_file(int service, const char *path) {
    int file = (int)CHECK(open(path, O_RDONLY | O_CLOEXEC));
    struct stat status;
    CHECK(fstat(file, &status));
    char *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) {
        return false;
    }
    ssize_t sent = 0;
    while (sent < status.st_size) {
        ssize_t count = send(service, bytes + sent, (size_t)(status.st_size - sent), MSG_NOSIGNAL);
        if (count <= 0) {
            break;
        }
        sent += count;
    }
    munmap(bytes, (size_t)status.st_size);
    return sent == status.st_size;
}

// Reads until nothing has come for a while.
static long read_answer(int service) {
    static char bytes[1 << 16];
    const char *quiet = getenv("QUIET");
    int patience = quiet == NULL ? 3000 : atoi(quiet);
    long sum = 0;
    struct pollfd request = {.fd = service, .events = POLLIN};
    while (poll(&request, 1, sum == 0 ? 30000 : patience) > 0) {
        ssize_t received = recv(service, bytes, sizeof bytes, 0);
        if (received <= 0) {
            break;
        }
        sum += received;
    }
    return sum;
}

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    if (count < 4) {
        return 2;
    }
    int connections = atoi(arguments[1]), pause = atoi(arguments[2]);
    for (int index = 0; index < connections; index++) {
        if (CHECK(fork()) != 0) {
            continue;
        }
        int service = connect_service();
        if (!admitted(service)) {
            fprintf(stderr, "refused\n");
            _exit(1);
        }
        for (int file = 3; file < count; file++) {
            bool sent = send_file(service, arguments[file]);
            usleep((useconds_t)pause * 1000);
            long bytes = read_answer(service);
            printf("%s %ld\n", sent ? "sent" : "cut", bytes);
            fflush(stdout);
            if (!sent) {
                break;
            }
        }
        _exit(0);
    }
    while (wait(NULL) > 0) {
    }
    return 0;
}
