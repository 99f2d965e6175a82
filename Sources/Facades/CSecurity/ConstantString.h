// Constant strings of Core Foundation, laid out by the compiler: no code runs to make them.
//
// The layout is that of `struct __CFConstStr` in the toolchain's CFString.h, which C targets of SwiftPM do not find; the
// tests compare the two.
#pragma once

#include <stdint.h>

/// The class of constant strings, in libFoundation.
extern const char ConstantStringClass[] __asm__("$s10Foundation19_NSCFConstantStringCN");

struct ConstantString {
    const void *class_;
    /// So many references that counting them changes nothing.
    uintptr_t references;
    /// An immutable string of ASCII characters that lie elsewhere, and are not freed.
    uint64_t info;
    const char *characters;
    uint64_t length;
};

#define SECURITY_CONSTANT(name, value)                                                                              \
    static struct ConstantString name##_string = {ConstantStringClass, (uintptr_t)0x80000004ffffffff, 0x07c8, value, \
                                                  sizeof(value) - 1};                                                 \
    const struct ConstantString *const name = &name##_string;
