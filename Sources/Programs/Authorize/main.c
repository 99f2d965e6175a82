// Has the system authenticate the person whose keychain it is, and prints a token with which the keychain's service does
// one operation, once, within a minute. chatelaine-authorize(8) has the rest.
//
// It runs as root in one of two ways. Where polkit is, pkexec starts it after polkit has authenticated the person. Where
// polkit is not, it is a set-user-ID program that does so by PAM. docs/decisions/0030 says why there are two.

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control_message.h"
#include "enclave_socket.h"
#include "operations.h"
#include "person.h"
#include "surroundings.h"

enum {
    /// How long a person has to answer.
    seconds_to_answer = 120,
    /// After which the kernel ends the process, whatever it is at: a module of PAM's, or the pause after a wrong password.
    seconds_in_all = 180,
    /// For the enclave.
    milliseconds_to_answer = 10000,
};

/// For whom the program speaks.
struct owner {
    uid_t uid;
    gid_t gid;
    const char *name;
};

static int refuse(const char *sentence) {
    (void)fprintf(stderr, "chatelaine-authorize: %s\n", sentence);
    return EXIT_FAILURE;
}

// What ends in anything but "not there" is there: limits that a user has set must not hide polkit.
static bool is_missing(const char *path) {
    struct stat status;
    return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// Whether the administrator's rules for polkit decide here.
static bool polkit_decides(void) {
    static const char *const starters[] = {"/usr/bin/pkexec", "/usr/local/bin/pkexec", "/run/wrappers/bin/pkexec"};
    // Where versions of polkit look for actions.
    static const char *const actions[] = {
        "/usr/share/polkit-1/actions/org.chatelaine.policy",
        "/usr/local/share/polkit-1/actions/org.chatelaine.policy",
        "/etc/polkit-1/actions/org.chatelaine.policy",
        "/run/polkit-1/actions/org.chatelaine.policy",
    };
    bool has_starter = false;
    for (size_t index = 0; index < sizeof starters / sizeof starters[0]; index++) {
        if (!is_missing(starters[index])) has_starter = true;
    }
    bool has_action = false;
    for (size_t index = 0; index < sizeof actions / sizeof actions[0]; index++) {
        if (!is_missing(actions[index])) has_action = true;
    }
    return has_starter && has_action;
}

// A uid as pkexec writes it: decimal digits and nothing else.
static bool parse_uid(const char *text, uid_t *uid) {
    uint64_t number = 0;
    const size_t length = strlen(text);
    if (length == 0 || length > 10 || (length > 1 && text[0] == '0')) return false;
    for (size_t index = 0; index < length; index++) {
        if (text[index] < '0' || text[index] > '9') return false;
        number = number * 10 + (uint64_t)(text[index] - '0');
    }
    // The greatest one stands for "no user".
    if (number >= UINT32_MAX) return false;
    *uid = (uid_t)number;
    return true;
}

// Prints the token as the user, without root's rights: standard output may be anything that they could open. A terminal
// is nothing worse than a pipe here, since a token is worth nothing without the program that asked for it.
static int hand_over(const struct owner *owner, const unsigned char token[control_token_size]) {
    static const char digits[] = "0123456789abcdef";
    char text[2 * control_token_size + 1];
    for (size_t index = 0; index < control_token_size; index++) {
        text[2 * index] = digits[token[index] >> 4];
        text[2 * index + 1] = digits[token[index] & 15];
    }
    text[2 * control_token_size] = '\n';
    if (!surroundings_give_up_root(owner->uid, owner->gid)) {
        explicit_bzero(text, sizeof text);
        return refuse("root's rights cannot be given up");
    }
    size_t count = 0;
    while (count < sizeof text) {
        const ssize_t written = write(STDOUT_FILENO, text + count, sizeof text - count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        count += (size_t)written;
    }
    explicit_bzero(text, sizeof text);
    return count == sizeof text ? EXIT_SUCCESS : refuse("the token cannot be written to standard output");
}

static int ask_enclave(const struct owner *owner, const struct operation *operation) {
    const long long deadline = enclave_deadline(milliseconds_to_answer);
    const int descriptor = enclave_connect_to_system(deadline);
    if (descriptor < 0) return refuse("the system's keychain service is not here, or does not answer");
    struct locked_memory *question = control_authorize(owner->uid, operation->number);
    unsigned char reply[control_reply_limit];
    const ssize_t count = question == NULL ? -1 : enclave_exchange(descriptor, question, reply, deadline);
    locked_memory_free(question);
    (void)close(descriptor);
    if (count <= 0) return refuse("the keychain's enclave does not answer");
    const unsigned char *token = control_token_of_reply(reply, (size_t)count);
    int status;
    if (token != NULL) status = hand_over(owner, token);
    else if (control_outcome_of_reply(reply, (size_t)count) == control_no_keychain) status = refuse("there is no keychain yet");
    else status = refuse("the keychain's enclave refuses this");
    explicit_bzero(reply, sizeof reply);
    return status;
}

// Started by pkexec: polkit has authenticated the person for this operation.
static int speak_after_polkit(const char *number, const struct operation *operation) {
    struct owner owner = {.uid = 0};
    if (!parse_uid(number, &owner.uid)) return refuse("PKEXEC_UID is no user's number");
    if (owner.uid == 0) return refuse("root needs no authorization: start the command itself as root");
    const struct passwd *entry = getpwuid(owner.uid);
    if (entry == NULL) return refuse("there is no such user");
    owner.gid = entry->pw_gid;
    return ask_enclave(&owner, operation);
}

// Started by the user: PAM authenticates the person.
static int authenticate_and_speak(const struct operation *operation) {
    if (geteuid() != 0) return refuse("it is not installed set-user-ID root; start it by pkexec");
    if (polkit_decides()) return refuse("polkit decides on this machine: start it by pkexec");
    struct owner owner = {.uid = getuid(), .gid = getgid()};
    const struct passwd *entry = getpwuid(owner.uid);
    // Kept: PAM's modules look users up too.
    if (entry != NULL) owner.name = strdup(entry->pw_name);
    if (owner.name == NULL) return refuse("there is no such user");
    switch (person_authenticate(owner.name, owner.uid, operation->purpose, seconds_to_answer)) {
    case person_is_there: return ask_enclave(&owner, operation);
    case person_is_not_there: return refuse("the authentication failed");
    case person_cannot_be_asked: return refuse("there is no terminal on which you could be asked");
    }
    return EXIT_FAILURE;
}

int main(int count, char *arguments[]) {
    const bool is_root = getuid() == 0;
    // Only root's environment says anything: a user's could name another user.
    const char *given = is_root ? getenv("PKEXEC_UID") : NULL;
    char number[16] = "";
    bool has_number = false;
    if (given != NULL) {
        has_number = true;
        // One that is longer is no number.
        if (strlen(given) < sizeof number) memcpy(number, given, strlen(given) + 1);
    }
    if (!surroundings_clear(seconds_in_all)) return EXIT_FAILURE;
    const struct operation *operation = count == 2 ? operation_named(arguments[1]) : NULL;
    if (operation == NULL) {
        return refuse("it takes one operation: set-passcode, remove-passcode, confirm-passcode, change-settings, backup, "
                      "restore, export, rotate-keys or synchronize");
    }
    if (!is_root) return authenticate_and_speak(operation);
    if (has_number) return speak_after_polkit(number, operation);
    return refuse("root needs no authorization: start the command itself as root");
}
