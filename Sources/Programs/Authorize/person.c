#include "person.h"

#include <pwd.h>
#include <security/pam_appl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locked_memory.h"
#include "terminal.h"

// The name of the file in /etc/pam.d.
static const char service[] = "chatelaine";

// PAM takes answers that malloc() has made, and zeroes and frees them itself.
static char *copy_for_pam(const struct locked_memory *line) {
    char *copy = malloc(line->count + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, line->bytes, line->count);
    copy[line->count] = '\0';
    return copy;
}

static bool answer(const struct terminal *terminal, const struct pam_message *message, struct pam_response *response) {
    switch (message->msg_style) {
    case PAM_PROMPT_ECHO_OFF:
    case PAM_PROMPT_ECHO_ON: {
        struct locked_memory *line = terminal_ask(terminal, message->msg, message->msg_style == PAM_PROMPT_ECHO_ON);
        if (line == NULL) return false;
        response->resp = copy_for_pam(line);
        locked_memory_free(line);
        return response->resp != NULL;
    }
    case PAM_ERROR_MSG:
    case PAM_TEXT_INFO: terminal_say(terminal, message->msg); return true;
    default: return false;
    }
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data) {
    if (count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
    struct pam_response *answers = calloc((size_t)count, sizeof *answers);
    if (answers == NULL) return PAM_BUF_ERR;
    for (int index = 0; index < count; index++) {
        if (answer(data, messages[index], &answers[index])) continue;
        for (int earlier = 0; earlier < index; earlier++) {
            if (answers[earlier].resp == NULL) continue;
            explicit_bzero(answers[earlier].resp, strlen(answers[earlier].resp));
            free(answers[earlier].resp);
        }
        free(answers);
        return PAM_CONV_ERR;
    }
    *responses = answers;
    return PAM_SUCCESS;
}

// A module may have found somebody else than it was asked about.
static bool is_still(pam_handle_t *handle, uid_t uid) {
    const void *name = NULL;
    if (pam_get_item(handle, PAM_USER, &name) != PAM_SUCCESS || name == NULL) return false;
    const struct passwd *entry = getpwnam(name);
    return entry != NULL && entry->pw_uid == uid;
}

enum person_result person_authenticate(const char *user, uid_t uid, const char *purpose, unsigned seconds) {
    struct terminal terminal;
    if (!terminal_open(&terminal, seconds)) return person_cannot_be_asked;
    char text[512];
    const int length = snprintf(text, sizeof text, "Authentication is required to %s.", purpose);
    if (length < 0 || (size_t)length >= sizeof text) return person_cannot_be_asked;
    terminal_say(&terminal, text);

    const struct pam_conv conversation = {converse, &terminal};
    pam_handle_t *handle = NULL;
    if (pam_start(service, user, &conversation, &handle) != PAM_SUCCESS) return person_is_not_there;
    int result = pam_set_item(handle, PAM_RUSER, user);
    if (result == PAM_SUCCESS) result = pam_set_item(handle, PAM_TTY, "/dev/tty");
    // The pause after a wrong password is PAM's. Signals from the terminal do not cut it short.
    if (result == PAM_SUCCESS) result = pam_authenticate(handle, PAM_DISALLOW_NULL_AUTHTOK);
    // An account that has expired, or a password that has to be changed first, is refused.
    if (result == PAM_SUCCESS) result = pam_acct_mgmt(handle, PAM_DISALLOW_NULL_AUTHTOK);
    const bool is_there = result == PAM_SUCCESS && is_still(handle, uid);
    (void)pam_end(handle, result);
    return is_there ? person_is_there : person_is_not_there;
}
