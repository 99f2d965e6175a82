// Core Foundation as C sees it, with the interface by which a type of one's own is added to it.
//
// Only Swift compiles this header: its compiler knows where the toolchain keeps Core Foundation's headers, and SwiftPM
// does not tell it to C targets.
#pragma once

#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/CFRuntime.h>

/// An object of one of the Sec types: what all Core Foundation objects begin with, then the Swift object it stands for.
struct CSecurityObject {
    CFRuntimeBase base;
    /// Retained. NULL until the object is complete.
    const void *_Nullable held;
};

/// `dispatch_async_f` and `dispatch_get_global_queue`, whose queues Swift can make no object of its own of.
extern void CSecurityDispatch(
    void *_Nullable queue, void *_Nullable context, void (*_Nonnull work)(void *_Nullable)) __asm__("dispatch_async_f");
extern void *_Nullable CSecurityGlobalQueue(intptr_t priority, uintptr_t flags) __asm__("dispatch_get_global_queue");

/// `_Block_copy` and `_Block_release`. Swift on Linux copies a block that a closure keeps, and never releases it.
extern const void *_Nullable CSecurityBlockCopy(const void *_Nonnull block) __asm__("_Block_copy");
extern void CSecurityBlockRelease(const void *_Nonnull block) __asm__("_Block_release");

static inline void CSecurityCallWithResult(const void *_Nonnull block, const void *_Nullable trust, uint32_t result) {
    ((void (^)(const void *, uint32_t))block)(trust, result);
}

static inline void CSecurityCallWithTrust(
    const void *_Nonnull block, const void *_Nullable trust, bool result, const void *_Nullable error) {
    ((void (^)(const void *, bool, const void *))block)(trust, result, error);
}

static inline void CSecurityCallWithError(const void *_Nonnull block, const void *_Nullable error) {
    ((void (^)(const void *))block)(error);
}

static inline void CSecurityCallWithObjects(
    const void *_Nonnull block, const void *_Nullable objects, const void *_Nullable error) {
    ((void (^)(const void *, const void *))block)(objects, error);
}

CF_IMPLICIT_BRIDGING_ENABLED

/// An array that retains its elements. The caller owns it.
static inline CFArrayRef _Nullable CSecurityCreateArray(
    const void *_Nullable *_Nonnull elements, CFIndex count) CF_RETURNS_RETAINED {
    return CFArrayCreate(NULL, (const void **)elements, count, &kCFTypeArrayCallBacks);
}

/// A dictionary that retains its keys and values. The caller owns it.
static inline CFDictionaryRef _Nullable CSecurityCreateDictionary(
    const void *_Nullable *_Nonnull keys, const void *_Nullable *_Nonnull values, CFIndex count) CF_RETURNS_RETAINED {
    return CFDictionaryCreate(NULL, (const void **)keys, (const void **)values, count,
                              &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

CF_IMPLICIT_BRIDGING_DISABLED
