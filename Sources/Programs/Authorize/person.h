// Has the system find out, by PAM, whether the user is there.
#ifndef CHATELAINE_AUTHORIZE_PERSON_H
#define CHATELAINE_AUTHORIZE_PERSON_H

#include <sys/types.h>

enum person_result {
    person_is_there,
    /// A wrong password, an account that may not be used, or nobody who answered.
    person_is_not_there,
    /// Nobody can be asked: there is no terminal, or the process is in its background.
    person_cannot_be_asked,
};

/// - Parameter purpose: completes "Authentication is required to ".
enum person_result person_authenticate(const char *user, uid_t uid, const char *purpose, unsigned seconds);

#endif
