// The one call that Swift hides from programs, for tests of what a keychain does around it.
#ifndef CHATELAINE_CPROBE_H
#define CHATELAINE_CPROBE_H

/// fork(2).
int cprobe_fork(void);

#endif
