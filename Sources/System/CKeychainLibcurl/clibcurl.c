#include "clibcurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// As libcurl's manual has them (curl_easy_setopt(3), curl_easy_getinfo(3), curl_global_init(3), curl_version_info(3));
// the ABI of libcurl.so.4 keeps the numbers.
enum { CURLE_OK = 0 };
enum { CURL_GLOBAL_DEFAULT = 3 };
enum { CURLVERSION_FIRST = 0 };
enum { CURL_VERSION_ASYNCHDNS = 1 << 7 };
enum { CURLPROTO_HTTP = 1, CURLPROTO_HTTPS = 2 };
enum { CURL_NETRC_IGNORED = 0 };
enum { CURL_REDIR_POST_ALL = 7 };
enum { CURLINFO_RESPONSE_CODE = 0x200000 + 2 };
enum {
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_PROXY = 10004,
    CURLOPT_POSTFIELDS = 10015,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_HEADERDATA = 10029,
    CURLOPT_OPENSOCKETDATA = 10164,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_HEADERFUNCTION = 20079,
    CURLOPT_OPENSOCKETFUNCTION = 20163,
    CURLOPT_NOPROGRESS = 43,
    CURLOPT_FAILONERROR = 45,
    CURLOPT_POST = 47,
    CURLOPT_NETRC = 51,
    CURLOPT_FOLLOWLOCATION = 52,
    CURLOPT_POSTFIELDSIZE = 60,
    CURLOPT_MAXREDIRS = 68,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_TIMEOUT_MS = 155,
    CURLOPT_CONNECTTIMEOUT_MS = 156,
    CURLOPT_POSTREDIR = 161,
    CURLOPT_PROTOCOLS = 181,
    CURLOPT_REDIR_PROTOCOLS = 182,
    CURLOPT_QUICK_EXIT = 322,
};

enum { CURL_SOCKET_BAD = -1 };

// CURLOPT_OPENSOCKETFUNCTION(3): what a socket is opened for. The address is as long as its length says.
struct destination {
    int family;
    int type;
    int protocol;
    unsigned length;
    struct sockaddr address;
};

// How the structure begins that curl_version_info returns.
struct version {
    int age;
    const char *version;
    unsigned version_number;
    const char *host;
    int features;
};

struct functions {
    int (*global_init)(long);
    const struct version *(*version)(int);
    void *(*init)(void);
    int (*set)(void *, int, ...);
    int (*get)(void *, int, ...);
    int (*perform)(void *);
    void (*cleanup)(void *);
    void *(*append)(void *, const char *);
    void (*free_list)(void *);
};

static bool load(const char *name, struct functions *curl) {
    // It stays: a library that others of the process use as well is not unloaded under them.
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return false;
    }
#define FIND(member, symbol)                                                                                           \
    if ((curl->member = (__typeof__(curl->member))dlsym(library, symbol)) == NULL) {                                   \
        return false;                                                                                                  \
    }
    FIND(global_init, "curl_global_init")
    FIND(version, "curl_version_info")
    FIND(init, "curl_easy_init")
    FIND(set, "curl_easy_setopt")
    FIND(get, "curl_easy_getinfo")
    FIND(perform, "curl_easy_perform")
    FIND(cleanup, "curl_easy_cleanup")
    FIND(append, "curl_slist_append")
    FIND(free_list, "curl_slist_free_all")
#undef FIND
    return true;
}

// curl_global_init may not run twice at once in versions before 7.84. A child that was forked in the middle of it
// begins anew (pthread_once(3) in glibc).
static pthread_once_t preparation = PTHREAD_ONCE_INIT;
static int (*global_init)(long);
static bool is_prepared;

static void prepare(void) {
    int (*call)(long) = __atomic_load_n(&global_init, __ATOMIC_ACQUIRE);
    is_prepared = call != NULL && call(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool clibcurl_prepare(const char *library) {
    struct functions curl;
    if (!load(library, &curl)) {
        return false;
    }
    const struct version *version = curl.version(CURLVERSION_FIRST);
    // Without it, a name is resolved for as long as that takes.
    if (version == NULL || (version->features & CURL_VERSION_ASYNCHDNS) == 0) {
        return false;
    }
    __atomic_store_n(&global_init, curl.global_init, __ATOMIC_RELEASE);
    return pthread_once(&preparation, prepare) == 0 && is_prepared;
}

// What has come so far, and how much may come.
struct sink {
    uint8_t *bytes;
    size_t count;
    size_t room;
    size_t most;
    size_t header_bytes;
};

// All header lines of an answer and of the redirections to it.
static const size_t most_header_bytes = 64 << 10;

// Both return another number than they were given to break off.
static size_t take_header(char *line, size_t size, size_t count, void *context) {
    (void)line;
    struct sink *sink = context;
    size_t added;
    if (__builtin_mul_overflow(size, count, &added) || added > most_header_bytes - sink->header_bytes) {
        return 0;
    }
    sink->header_bytes += added;
    return added;
}

static size_t take_body(char *data, size_t size, size_t count, void *context) {
    struct sink *sink = context;
    size_t added;
    if (__builtin_mul_overflow(size, count, &added) || added > sink->most - sink->count) {
        return 0;
    }
    if (added > sink->room - sink->count) {
        size_t room = sink->room < 4096 ? 4096 : sink->room;
        while (room - sink->count < added) {
            if (__builtin_mul_overflow(room, 2, &room)) {
                return 0;
            }
        }
        uint8_t *bytes = realloc(sink->bytes, room);
        if (bytes == NULL) {
            return 0;
        }
        sink->bytes = bytes;
        sink->room = room;
    }
    if (added > 0) {
        memcpy(sink->bytes + sink->count, data, added);
        sink->count += added;
    }
    return added;
}

// Whether an address is this machine's own (loopback, or none), or of what is plugged into the same wire (link-local).
// Services at such addresses often trust every caller. A certificate must not have us call them.
static bool is_nearby_v4(uint32_t address) {
    uint32_t first = address >> 24;
    return first == 0 || first == 127 || address >> 16 == 0xA9FE;
}

static bool is_nearby(const struct sockaddr *address, size_t length) {
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return is_nearby_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) || IN6_IS_ADDR_V4COMPAT(&v6.sin6_addr)) {
            uint32_t v4;
            memcpy(&v4, v6.sin6_addr.s6_addr + 12, sizeof v4);
            return is_nearby_v4(ntohl(v4));
        }
        return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)
            || IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr);
    }
    return true;
}

// Called when a name has become an address, so that no name, and no redirection, leads elsewhere than it seems.
static int open_socket(void *context, int purpose, struct destination *destination) {
    (void)context;
    (void)purpose;
    if (is_nearby(&destination->address, destination->length)) {
        return CURL_SOCKET_BAD;
    }
    return socket(destination->family, destination->type | SOCK_CLOEXEC, destination->protocol);
}

static bool configure(const struct functions *curl, void *handle, const struct clibcurl_request *request, void *headers,
                      struct sink *sink) {
    bool is_set = true;
#define SET(option, value) is_set = is_set && curl->set(handle, option, value) == CURLE_OK
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    SET(CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, request->most_redirections);
    // A question stays one wherever it is sent on to.
    SET(CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_FAILONERROR, 1L);
    SET(CURLOPT_NOPROGRESS, 1L);
    // No handlers of signals in somebody else's program.
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TIMEOUT_MS, request->time_limit);
    SET(CURLOPT_CONNECTTIMEOUT_MS, request->time_limit);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, (void *)sink);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, (void *)sink);
    SET(CURLOPT_HTTPHEADER, headers);
    if (!request->uses_proxies) {
        SET(CURLOPT_PROXY, "");
    }
    // A proxy may well be nearby. Then it decides whom it asks.
    if (!request->uses_proxies && !request->may_be_nearby) {
        SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
        SET(CURLOPT_OPENSOCKETDATA, NULL);
    }
    if (request->body != NULL) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE, (long)request->body_count);
        SET(CURLOPT_POSTFIELDS, (const void *)request->body);
    }
#undef SET
    // Without it, the end waits for a name that is still being resolved. Versions before 7.87 have no such option.
    (void)curl->set(handle, CURLOPT_QUICK_EXIT, 1L);
    return is_set;
}

// A peer that closes a connection over TLS can bring SIGPIPE, which would end the program: it is kept off this thread.
struct pipe_signal {
    sigset_t before;
    bool was_pending;
    bool is_kept_off;
};

static void keep_off(struct pipe_signal *signal) {
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    signal->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    signal->is_kept_off = pthread_sigmask(SIG_BLOCK, &set, &signal->before) == 0;
}

static void let_in(struct pipe_signal *signal) {
    if (!signal->is_kept_off) {
        return;
    }
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    if (!signal->was_pending && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1) {
        const struct timespec none = {0};
        (void)sigtimedwait(&set, NULL, &none);
    }
    (void)pthread_sigmask(SIG_SETMASK, &signal->before, NULL);
}

static void *header_list(const struct functions *curl, const struct clibcurl_request *request) {
    void *list = NULL;
    const char *lines[] = {request->content_type, request->accept};
    for (size_t index = 0; index < sizeof lines / sizeof lines[0]; index++) {
        void *longer = lines[index] == NULL ? list : curl->append(list, lines[index]);
        list = longer == NULL ? list : longer;
    }
    return list;
}

enum clibcurl_status clibcurl_fetch(const char *library, const struct clibcurl_request *request,
                                    struct clibcurl_answer *answer) {
    *answer = (struct clibcurl_answer){0};
    struct functions curl;
    if (!load(library, &curl)) {
        return CLIBCURL_NO_LIBRARY;
    }
    void *handle = curl.init();
    if (handle == NULL) {
        return CLIBCURL_NO_ANSWER;
    }
    void *headers = header_list(&curl, request);
    struct sink sink = {.most = request->most_bytes};
    long status = 0;
    struct pipe_signal signal;
    keep_off(&signal);
    bool has_answer = configure(&curl, handle, request, headers, &sink) && curl.perform(handle) == CURLE_OK &&
                      curl.get(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 200;
    curl.cleanup(handle);
    let_in(&signal);
    curl.free_list(headers);
    if (!has_answer) {
        free(sink.bytes);
        return CLIBCURL_NO_ANSWER;
    }
    *answer = (struct clibcurl_answer){.bytes = sink.bytes, .count = sink.count};
    return CLIBCURL_OK;
}

void clibcurl_free(struct clibcurl_answer *answer) {
    free(answer->bytes);
    *answer = (struct clibcurl_answer){0};
}
