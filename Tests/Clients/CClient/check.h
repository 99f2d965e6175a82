// What the programs here say of themselves.
#ifndef CHECK_H
#define CHECK_H

#include <CoreFoundation/CoreFoundation.h>
#include <stdio.h>

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

static inline CFDataRef new_data(const char *text, size_t length) {
    return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)length);
}

#endif
