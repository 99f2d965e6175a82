// The signed program that is attacked. Its first argument says what kind of program it is.
#include "service.h"

static int log_in(void) {
    struct frame hello, welcome;
    struct frame authentication = load("AUTH");
    int service = connect_service();
    fcntl(service, F_SETFD, FD_CLOEXEC);
    if (!receive_frame(service, &hello)) {
        fprintf(stderr, "victim: refused before hello\n");
        exit(4);
    }
    prove(&hello, &authentication);
    send_with_descriptor(service, &authentication, 0);
    if (!receive_frame(service, &welcome)) {
        fprintf(stderr, "victim: refused\n");
        exit(4);
    }
    // Who the service takes it for.
    CHECK(write(2, welcome.bytes, welcome.size));
    return service;
}

// The descriptor of its connection, open for the next program.
static void hand_on(int service) {
    fcntl(service, F_SETFD, 0);
    char number[16];
    snprintf(number, sizeof number, "%d", service);
    setenv("CONNECTION", number, 1);
}

#ifdef HAS_LIBRARY
void program_library(void);
#else
static void program_library(void) {}
#endif

int main(int count, char **arguments) {
    const char *kind = count > 1 ? arguments[1] : "";
    program_library();
    if (strcmp(kind, "naive") != 0) {
        protect();
    } else {
        gid_t real, effective, saved;
        CHECK(getresgid(&real, &effective, &saved));
        CHECK(setresgid(real, real, effective));
        // A debugging aid that was forgotten.
        prctl(PR_SET_DUMPABLE, 1);
    }
    if (strcmp(kind, "copy") == 0) {
        // Like cat.
        char bytes[4096];
        ssize_t received;
        while ((received = read(0, bytes, sizeof bytes)) > 0) {
            CHECK(write(1, bytes, (size_t)received));
        }
        return 0;
    }
    if (strcmp(kind, "idle") == 0) {
        usleep(500000);
        return 0;
    }
    int service = log_in();
    struct frame request = load("REQUEST");
    if (strcmp(kind, "get") == 0) {
        send_plain(service, &request);
        print_answer(service);
    } else if (strcmp(kind, "hold") == 0 || strcmp(kind, "naive") == 0) {
        // Has its secret in memory, and prints nothing of it.
        static struct frame reply;
        send_plain(service, &request);
        receive_frame(service, &reply);
        CHECK(write(1, "!", 1));
        usleep(500000);
    } else if (strcmp(kind, "become") == 0) {
        hand_on(service);
        CHECK(execv(arguments[2], arguments + 2));
    } else if (strcmp(kind, "fork") == 0) {
        hand_on(service);
        if (CHECK(fork()) == 0) {
            CHECK(execv(arguments[2], arguments + 2));
        }
        wait(NULL);
    }
    return 0;
}
