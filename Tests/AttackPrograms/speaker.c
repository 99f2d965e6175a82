// A program that speaks to the service in words that are not its own, and can become another program each time:
//
//     speaker send FILE...         sends each of the files as a request, after the answer to the one before
//     speaker flood TIMES FILE     sends the file so many times; of the answers, it says how many there were
//     speaker fresh PATH WORD...   copies itself to PATH, with bytes that no other copy has, and starts that with the words
//
// Each part of an answer is printed in hexadecimal, a line each; "asking" stands behind one that says that the owner is
// asked, and "done" behind the last one of an answer.
#include "service.h"

static int admitted(void) {
    struct frame hello, welcome, authentication = load("AUTH");
    // It may be installed.
    if (getegid() != getgid()) {
        protect();
    }
    int service = connect_service();
    if (!receive_frame(service, &hello)) {
        fprintf(stderr, "refused before hello\n");
        exit(4);
    }
    prove(&hello, &authentication);
    send_with_descriptor(service, &authentication, 0);
    if (!receive_frame(service, &welcome)) {
        fprintf(stderr, "refused\n");
        exit(4);
    }
    return service;
}

struct message {
    unsigned char *bytes;
    size_t size;
};

static struct message read_message(const char *path) {
    int file = (int)CHECK(open(path, O_RDONLY | O_CLOEXEC));
    struct stat status;
    CHECK(fstat(file, &status));
    struct message message = {malloc((size_t)status.st_size + 1), 0};
    while (message.bytes != NULL && message.size < (size_t)status.st_size) {
        ssize_t got = read(file, message.bytes + message.size, (size_t)status.st_size - message.size);
        if (got <= 0) {
            break;
        }
        message.size += (size_t)got;
    }
    close(file);
    return message;
}

static void send_message(int service, struct message message) {
    for (size_t sent = 0; sent < message.size;) {
        sent += (size_t)CHECK(send(service, message.bytes + sent, message.size - sent, MSG_NOSIGNAL));
    }
}

static uint64_t number(struct message message, size_t *place) {
    uint64_t value = 0;
    for (int shift = 0; *place < message.size && shift < 64; shift += 7) {
        unsigned char byte = message.bytes[(*place)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return value;
}

// ServerFrame { Response response = 4 { uint64 id = 1; bool has_more = 2; …; Prompting prompting = 10 } }
static void judge(struct message frame, bool *has_more, bool *asks) {
    size_t place = 0;
    *has_more = *asks = false;
    if (number(frame, &place) != (4 << 3 | 2)) {
        return;
    }
    number(frame, &place);
    while (place < frame.size) {
        uint64_t tag = number(frame, &place), value = number(frame, &place);
        if (tag == 2 << 3) {
            *has_more = value != 0;
        }
        if (tag == (10 << 3 | 2)) {
            *asks = true;
        }
        if ((tag & 7) == 2) {
            place += value;
        }
    }
}

static void receive_answer(int service, bool is_told) {
    bool has_more = true;
    while (has_more) {
        unsigned char header[4];
        if (!receive_all(service, header, 4)) {
            fprintf(stderr, "cut off\n");
            exit(5);
        }
        size_t size = (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3];
        struct message frame = {malloc(size + 1), size};
        if (frame.bytes == NULL || !receive_all(service, frame.bytes, size)) {
            fprintf(stderr, "cut off\n");
            exit(5);
        }
        bool asks;
        judge(frame, &has_more, &asks);
        has_more = has_more || asks;
        if (is_told) {
            for (size_t index = 0; index < size; index++) {
                printf("%02x", frame.bytes[index]);
            }
            printf(asks ? "\nasking\n" : "\n");
            fflush(stdout);
        }
        free(frame.bytes);
    }
    if (is_told) {
        printf("done\n");
        fflush(stdout);
    }
}

static void become_fresh(char **arguments) {
    static char bytes[1 << 16];
    const char *path = arguments[0];
    int from = (int)CHECK(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    int to = (int)CHECK(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
    ssize_t got;
    while ((got = CHECK(read(from, bytes, sizeof bytes))) > 0) {
        CHECK(write(to, bytes, (size_t)got));
    }
    CHECK(write(to, path, strlen(path)));
    close(to);
    CHECK(execv(path, arguments));
}

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    const char *kind = count > 2 ? arguments[1] : "";
    if (strcmp(kind, "fresh") == 0 && count > 3) {
        become_fresh(arguments + 2);
    } else if (strcmp(kind, "send") == 0) {
        int service = admitted();
        for (int file = 2; file < count; file++) {
            send_message(service, read_message(arguments[file]));
            receive_answer(service, true);
        }
        return 0;
    } else if (strcmp(kind, "flood") == 0 && count > 3) {
        int service = admitted();
        struct message message = read_message(arguments[3]);
        int answers = 0;
        for (; answers < atoi(arguments[2]); answers++) {
            send_message(service, message);
            receive_answer(service, false);
        }
        printf("%d answers\n", answers);
        return 0;
    }
    return 2;
}
