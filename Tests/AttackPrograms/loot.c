// A library that asks the service as whichever program it was brought into (LD_PRELOAD, LD_AUDIT, or in the place of
// another library), and ends it.
#include "service.h"

unsigned la_version(unsigned version) {
    return version;
}

void program_library(void) {}

__attribute__((constructor)) static void loot(void) {
    unsetenv("LD_PRELOAD");
    unsetenv("LD_AUDIT");
    prctl(PR_SET_DUMPABLE, 0);
    answer_and_ask(connect_service(), true, 0);
    _exit(0);
}
