// A program that uses what the C library takes from the environment, and says what came of it. It is installed, and copied.
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <nl_types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAS_LIBRARY
void program_library(void);
#else
static void program_library(void) {}
#endif

// What glibc takes away from programs that have rights of their own. It leaves GLIBC_TUNABLES and MALLOC_* there for what they
// start, and heeds them no more.
static const char *const names[] = {
    "GCONV_PATH", "GETCONF_DIR", "HOSTALIASES", "LD_AUDIT", "LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_DYNAMIC_WEAK",
    "LD_LIBRARY_PATH", "LD_ORIGIN_PATH", "LD_PRELOAD", "LD_PROFILE", "LD_SHOW_AUXV", "LOCALDOMAIN", "LOCPATH",
    "MALLOC_TRACE", "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF", "RES_OPTIONS", "TMPDIR", "TZDIR",
};

int main(void) {
    program_library();
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        if (getenv(names[index]) != NULL) {
            printf("LOOT variable %s\n", names[index]);
        }
    }

    // What was freed is filled anew where the allocator was told so.
    unsigned char *bytes = malloc(4000);
    if (bytes != NULL && bytes[2000] != 0) {
        printf("LOOT allocator\n");
    }
    free(bytes);

    const char *locale = setlocale(LC_ALL, "");
    if (locale != NULL && strcmp(locale, "loot") == 0) {
        printf("LOOT locale\n");
    }

    nl_catd catalog = catopen("loot", 0);
    const char *message = catalog == (nl_catd)-1 ? "none" : catgets(catalog, 1, 1, "none");
    if (strcmp(message, "none") != 0) {
        printf("LOOT catalog %s\n", message);
    }

    time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts) != NULL && strcmp(parts.tm_zone, "LOOT") == 0) {
        printf("LOOT zone\n");
    }

    fflush(stdout);
    iconv_t conversion = iconv_open("LOOT//", "UTF-8");
    if (conversion != (iconv_t)-1) {
        printf("LOOT conversion\n");
    }
    printf("done\n");
    return 0;
}
