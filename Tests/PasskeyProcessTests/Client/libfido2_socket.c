/*
 * libfido2 whose only security key is behind a socket.
 *
 * A machine that builds has no /dev/uhid, so programs find no key of ours there. This library takes the place of libfido2.so.1
 * for them: it names one key, and carries its reports over the SEQPACKET socket SECURITY_KEY_SOCKET. All else is the real
 * library's, which it is linked to under another name.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fido.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void *open_key(const char *path) {
    (void)path;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = getenv("SECURITY_KEY_SOCKET");
    if (name == NULL || strlen(name) >= sizeof address.sun_path) return NULL;
    strcpy(address.sun_path, name);
    int *key = malloc(sizeof *key);
    if (key == NULL) return NULL;
    *key = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (*key >= 0 && connect(*key, (struct sockaddr *)&address, sizeof address) == 0) return key;
    if (*key >= 0) close(*key);
    free(key);
    return NULL;
}

static void close_key(void *key) {
    close(*(int *)key);
    free(key);
}

static int read_report(void *key, unsigned char *report, size_t size, int milliseconds) {
    struct pollfd waiting = {.fd = *(int *)key, .events = POLLIN};
    int ready;
    do ready = poll(&waiting, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready == 1 ? (int)read(*(int *)key, report, size) : -1;
}

/* The first byte is the number of the report, which hidraw takes and a socket does not. */
static int write_report(void *key, const unsigned char *report, size_t size) {
    ssize_t sent = send(*(int *)key, report + 1, size - 1, MSG_NOSIGNAL);
    return sent < 0 ? -1 : (int)sent + 1;
}

static const fido_dev_io_t socket_functions = {open_key, close_key, read_report, write_report};

int fido_dev_info_manifest(fido_dev_info_t *keys, size_t room, size_t *count) {
    *count = 0;
    if (room == 0) return FIDO_OK;
    int status =
        fido_dev_info_set(keys, 0, "/dev/hidraw-chatelaine", "Chatelaine", "Passkeys", &socket_functions, NULL);
    if (status == FIDO_OK) *count = 1;
    return status;
}

int fido_dev_open(fido_dev_t *key, const char *path) {
    int (*open_it)(fido_dev_t *, const char *) = (int (*)(fido_dev_t *, const char *))dlsym(RTLD_NEXT, "fido_dev_open");
    int status = fido_dev_set_io_functions(key, &socket_functions);
    if (open_it == NULL) return FIDO_ERR_INTERNAL;
    return status == FIDO_OK ? open_it(key, path) : status;
}
