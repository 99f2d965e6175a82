// HTTP by libcurl, which is looked for when it is needed.
#ifndef CHATELAINE_CLIBCURL_H
#define CHATELAINE_CLIBCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clibcurl_status {
    CLIBCURL_OK = 0,
    /// The library is not installed, or is not what its name says, or would resolve names without a limit of time.
    CLIBCURL_NO_LIBRARY,
    /// No answer: whatever went wrong, on this side, on the way or there.
    CLIBCURL_NO_ANSWER,
};

/// One request. Nothing of it outlives the call.
struct clibcurl_request {
    /// http or https; no other protocol is spoken, here or after a redirection.
    const char *url;
    /// What is sent by POST; NULL for GET.
    const uint8_t *body;
    size_t body_count;
    /// Whole lines without their ends, such as "Accept: text/plain"; NULL for none.
    const char *content_type;
    const char *accept;
    /// Milliseconds, for all of it, names and redirections included.
    long time_limit;
    /// A longer answer is none. It is broken off when it gets too long.
    size_t most_bytes;
    /// How many redirections are followed.
    long most_redirections;
    /// Whether the proxies count that the environment names.
    bool uses_proxies;
    /// Whether a server may be on this machine or on its own link: not what a certificate shall choose. It does not count
    /// where proxies are used.
    bool may_be_nearby;
};

/// What came. Its bytes are given back with clibcurl_free.
struct clibcurl_answer {
    uint8_t *bytes;
    size_t count;
};

// In both of these, `library` is what the dynamic linker is asked for: libcurl.so.4, or something that is not there.

/// Loads the library and has it prepare itself, once in a process.
bool clibcurl_prepare(const char *library);

/// Sends a request, and waits for the answer no longer than the request allows. It sends no name of a program, no
/// cookies and no credentials. Any number of threads may call it, after clibcurl_prepare.
///
/// - Parameter answer: receives the body of an answer with the status 200; nothing otherwise.
enum clibcurl_status clibcurl_fetch(
    const char *library,
    const struct clibcurl_request *request,
    struct clibcurl_answer *answer
);

void clibcurl_free(struct clibcurl_answer *answer);

#endif
