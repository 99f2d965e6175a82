// A library that says that it was loaded, under whichever name: as one of the program's own, as a character set's module, in
// the place of another.
#include <unistd.h>

void program_library(void);

void program_library(void) {}

int gconv_init(void *step);
int gconv(void);

int gconv_init(void *step) {
    (void)step;
    return 0;
}

int gconv(void) {
    return 0;
}

__attribute__((constructor)) static void say(void) {
    static const char text[] = "LOOT library\n";
    ssize_t written = write(1, text, sizeof text - 1);
    (void)written;
}
