// Calls that Swift hides from programs, for tests of what a keychain does around them.
#ifndef CHATELAINE_CPROBE_H
#define CHATELAINE_CPROBE_H

/// fork(2).
int cprobe_fork(void);

/// listen(2), as another user, while the rest of the process stays who it is. Only root can.
int cprobe_listen_as(int descriptor, int backlog, unsigned uid);

/// A connection to a UNIX stream socket, made as another user, while the rest of the process stays who it is. Only root can
/// be another one. -1 with errno.
int cprobe_connect_as(const char *path, unsigned uid);

#endif
