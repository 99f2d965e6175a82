// Threads of the service's programs keep the priority that the process was started with. A program's own definition comes
// before the C library's, for all libraries of the process.
//
// libdispatch sets one for each thread that it starts: when Swift's concurrency needs one, and whenever GRDB closes a
// database. The units forbid that (SystemCallFilter=~@resources), and libdispatch wrote a line into the journal each time.
#include "CNoPriorities.h"

int setpriority(int which, unsigned int who, int value);

// setpriority(2), as <sys/resource.h> has it but for the type of the first parameter: does nothing, and says that it has.
int setpriority(int which, unsigned int who, int value) {
    (void)which;
    (void)who;
    (void)value;
    return 0;
}
