// Hands the log-in password to the keychain's enclave, so that the keychain is unlocked when somebody has logged in, and,
// where it is told to, gets its first passcode then.
//
// pam_chatelaine(8) has the options. Whatever happens here, the log-in goes on: every function answers PAM_IGNORE.

#define PAM_SM_AUTH
#define PAM_SM_SESSION
#define PAM_SM_PASSWORD

#include <pwd.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "control_message.h"
#include "handover.h"
#include "locked_memory.h"

// Linux-PAM looks for these names and nothing else of the module.
#define EXPORTED __attribute__((visibility("default")))

static const char data_name[] = "chatelaine_unlock";
static const char finger_name[] = "chatelaine_finger";

struct options {
    struct enclave_place place;
    /// Programs that do not run as root hand over too: screen lockers.
    bool as_user;
    /// The log-in password becomes the first passcode of a keychain that has none.
    bool sets_passcode;
    /// The line follows a module that reads fingers, and does nothing else.
    bool tells_of_finger;
    /// The end of a session locks.
    bool lock_on_close;
    bool is_debugging;
};

enum { default_milliseconds = 2000, longest_milliseconds = 10000 };

static struct options options_of(pam_handle_t *handle, int count, const char **arguments) {
    struct options options = {.place = {.milliseconds = default_milliseconds}};
    for (int index = 0; index < count; index++) {
        const char *argument = arguments[index];
        if (strncmp(argument, "socket=", 7) == 0) {
            options.place.socket = argument + 7;
        } else if (strncmp(argument, "timeout=", 8) == 0) {
            char *end = NULL;
            const long value = strtol(argument + 8, &end, 10);
            if (*end == '\0' && value > 0 && value <= longest_milliseconds) {
                options.place.milliseconds = (int)value;
            } else {
                pam_syslog(handle, LOG_WARNING, "timeout= takes 1 to %d milliseconds", longest_milliseconds);
            }
        } else if (strcmp(argument, "as_user") == 0) {
            options.as_user = true;
        } else if (strcmp(argument, "set_passcode") == 0) {
            options.sets_passcode = true;
        } else if (strcmp(argument, "finger") == 0) {
            options.tells_of_finger = true;
        } else if (strcmp(argument, "lock_on_close") == 0) {
            options.lock_on_close = true;
        } else if (strcmp(argument, "debug") == 0) {
            options.is_debugging = true;
        } else {
            pam_syslog(handle, LOG_WARNING, "unknown option %s", argument);
        }
    }
    return options;
}

// Whose keychain it is. False where nothing is to be handed over: the wrong guesses of a program that is not root are
// counted, and a passcode that is not the log-in password would be one at each unlocking of the screen.
static bool find_user(pam_handle_t *handle, const struct options *options, uid_t *uid) {
    const char *name = NULL;
    if (pam_get_item(handle, PAM_USER, (const void **)&name) != PAM_SUCCESS || name == NULL) return false;
    const struct passwd *entry = pam_modutil_getpwnam(handle, name);
    if (entry == NULL) return false;
    *uid = entry->pw_uid;
    const uid_t own = geteuid();
    return own == 0 || (options->as_user && own == entry->pw_uid);
}

static const char *password(pam_handle_t *handle, int item) {
    const char *text = NULL;
    if (pam_get_item(handle, item, (const void **)&text) != PAM_SUCCESS) return NULL;
    return text;
}

static void forget(pam_handle_t *handle, void *data, int status) {
    (void)handle;
    (void)status;
    locked_memory_free(data);
}

static bool is_remembered(pam_handle_t *handle) {
    const void *data = NULL;
    return pam_get_data(handle, data_name, &data) == PAM_SUCCESS && data != NULL;
}

static void remember(pam_handle_t *handle, uid_t uid, const char *passcode) {
    struct locked_memory *message = control_log_in(uid, passcode);
    if (message == NULL) return;
    // What was there before is cleaned up by this call.
    if (pam_set_data(handle, data_name, message, forget) != PAM_SUCCESS) locked_memory_free(message);
}

static void note(pam_handle_t *handle, const struct options *options, const char *what, enum handover_result result) {
    switch (result) {
    case handover_done:
        if (options->is_debugging) pam_syslog(handle, LOG_DEBUG, "%s: done", what);
        break;
    case handover_wrong_passcode:
        pam_syslog(handle, LOG_NOTICE, "%s: not done, since the log-in password is not the keychain's passcode", what);
        break;
    case handover_refused: pam_syslog(handle, LOG_NOTICE, "%s: not done by the keychain's enclave", what); break;
    case handover_unanswered: pam_syslog(handle, LOG_NOTICE, "%s: the keychain's enclave takes its time", what); break;
    case handover_no_keychain:
        if (options->is_debugging) pam_syslog(handle, LOG_DEBUG, "%s: there is no keychain", what);
        break;
    case handover_absent:
        if (options->is_debugging) pam_syslog(handle, LOG_DEBUG, "%s: no enclave of the keychain is here", what);
        break;
    }
}

// Hands over what was remembered, once.
static void unlock(pam_handle_t *handle, const struct options *options) {
    uid_t uid = 0;
    const void *data = NULL;
    if (pam_get_data(handle, data_name, &data) != PAM_SUCCESS || data == NULL) return;
    if (!find_user(handle, options, &uid)) return;
    // A passcode that root brings is the owner's beyond doubt; one from any other program would be that program's.
    // It is this module's own memory, which PAM keeps for it and calls constant.
    if (options->sets_passcode && geteuid() == 0) control_let_set_first((struct locked_memory *)(uintptr_t)data);
    const enum handover_result result = handover_send(options->place, data);
    note(handle, options, "unlocking", result);
    // The user's own service may be there only after the session has been opened.
    if (result == handover_absent) return;
    (void)pam_set_data(handle, data_name, NULL, NULL);
}

// MARK: - Fingers

// The line is reached after the module that reads fingers. Whether that has recognised one is known once the program sets
// credentials, which it does when all of the stack has let somebody in.
static void note_finger(pam_handle_t *handle) {
    static char mark;
    // With a password it was no finger that opened, or not a finger alone.
    const bool is_finger = password(handle, PAM_AUTHTOK) == NULL;
    (void)pam_set_data(handle, finger_name, is_finger ? &mark : NULL, NULL);
}

// Tells the enclave, once. It believes nobody but root.
static void tell_of_finger(pam_handle_t *handle, const struct options *options) {
    uid_t uid = 0;
    const void *mark = NULL;
    if (pam_get_data(handle, finger_name, &mark) != PAM_SUCCESS || mark == NULL) return;
    (void)pam_set_data(handle, finger_name, NULL, NULL);
    // A line for passwords after this one has seen one: the finger was not what opened.
    if (geteuid() != 0 || is_remembered(handle) || !find_user(handle, options, &uid)) return;
    struct locked_memory *message = control_session_unlocked(uid);
    if (message == NULL) return;
    note(handle, options, "telling of a finger", handover_send(options->place, message));
    locked_memory_free(message);
}

// MARK: - Authentication

EXPORTED int pam_sm_authenticate(pam_handle_t *handle, int flags, int count, const char **arguments) {
    (void)flags;
    const struct options options = options_of(handle, count, arguments);
    if (options.tells_of_finger) {
        note_finger(handle);
        return PAM_IGNORE;
    }
    uid_t uid = 0;
    // Nobody is asked for anything: a module before this one has done so, or there is no password.
    const char *passcode = password(handle, PAM_AUTHTOK);
    if (passcode != NULL && find_user(handle, &options, &uid)) remember(handle, uid, passcode);
    return PAM_IGNORE;
}

// Programs call this when all of the stack has let somebody in, and screen lockers when they open.
EXPORTED int pam_sm_setcred(pam_handle_t *handle, int flags, int count, const char **arguments) {
    if (((unsigned)flags & PAM_DELETE_CRED) == 0) {
        const struct options options = options_of(handle, count, arguments);
        if (options.tells_of_finger) {
            tell_of_finger(handle, &options);
        } else {
            unlock(handle, &options);
        }
    }
    return PAM_IGNORE;
}

// MARK: - Sessions

EXPORTED int pam_sm_open_session(pam_handle_t *handle, int flags, int count, const char **arguments) {
    (void)flags;
    const struct options options = options_of(handle, count, arguments);
    if (options.tells_of_finger) return PAM_IGNORE;
    unlock(handle, &options);
    (void)pam_set_data(handle, data_name, NULL, NULL);
    return PAM_IGNORE;
}

EXPORTED int pam_sm_close_session(pam_handle_t *handle, int flags, int count, const char **arguments) {
    (void)flags;
    const struct options options = options_of(handle, count, arguments);
    uid_t uid = 0;
    if (!options.lock_on_close || !find_user(handle, &options, &uid)) return PAM_IGNORE;
    struct locked_memory *message = control_lock(uid);
    if (message == NULL) return PAM_IGNORE;
    note(handle, &options, "locking", handover_send(options.place, message));
    locked_memory_free(message);
    return PAM_IGNORE;
}

// MARK: - Change of the password

// Where the passcode was the old password, it becomes the new one; the enclave finds that out.
EXPORTED int pam_sm_chauthtok(pam_handle_t *handle, int flags, int count, const char **arguments) {
    if (((unsigned)flags & PAM_UPDATE_AUTHTOK) == 0) return PAM_IGNORE;
    const struct options options = options_of(handle, count, arguments);
    const char *new_passcode = password(handle, PAM_AUTHTOK);
    const char *old_passcode = password(handle, PAM_OLDAUTHTOK);
    uid_t uid = 0;
    if (new_passcode == NULL || !find_user(handle, &options, &uid)) return PAM_IGNORE;
    // An administrator who sets somebody's password does not know the old one: the passcode stays.
    if (old_passcode != NULL) {
        struct locked_memory *message = control_change(uid, old_passcode, new_passcode);
        if (message != NULL) {
            note(handle, &options, "changing the passcode", handover_send(options.place, message));
            locked_memory_free(message);
        }
    }
    // A password that had expired is changed in the middle of a log-in.
    if (is_remembered(handle)) remember(handle, uid, new_passcode);
    return PAM_IGNORE;
}
