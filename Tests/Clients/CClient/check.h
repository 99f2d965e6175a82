// What the programs here say of themselves.
#ifndef CHECK_H
#define CHECK_H

#include <CoreFoundation/CoreFoundation.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

/// Prints what does not hold.
#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            failures++;                                                                         \
            printf("NOT OK %s:%d: %s\n", __FILE__, __LINE__, #condition);                       \
        }                                                                                       \
    } while (0)

/// The same of a number, with the number.
#define CHECK_EQUAL(value, expected)                                                            \
    do {                                                                                        \
        long long is = (long long)(value), should = (long long)(expected);                      \
        if (is != should) {                                                                     \
            failures++;                                                                         \
            printf("NOT OK %s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #value, is, should); \
        }                                                                                       \
    } while (0)

static inline int all_is_well(void) {
    if (failures == 0) printf("all is well\n");
    return failures != 0;
}

/// How many references there are to an object: the toolchain's Core Foundation has no CFGetRetainCount.
extern size_t swift_retainCount(const void *object);

static inline CFMutableDictionaryRef new_dictionary(void) {
    return CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

/// The beginning of a file; without one the program ends.
static inline CFDataRef read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    UInt8 bytes[20000];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return CFDataCreate(NULL, bytes, (CFIndex)length);
}

static inline CFDataRef new_data(const char *text, size_t length) {
    return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)length);
}

#endif
