// Core Foundation as C sees it, with the interface by which a type of one's own is added to it.
//
// Only Swift compiles this header: its compiler knows where the toolchain keeps Core Foundation's headers, and SwiftPM
// does not tell it to C targets.
#pragma once

#include <stddef.h>
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/CFRuntime.h>

/// An object of one of the Sec types: what all Core Foundation objects begin with, then the Swift object it stands for.
struct CSecurityObject {
    CFRuntimeBase base;
    /// Retained. NULL until the object is complete.
    const void *_Nullable held;
};

/// What SecPrivate.h calls SecKeyDescriptor, with all objects as plain pointers.
struct CSecurityKeyDescriptor {
    uint32_t version;
    const char *_Nullable name;
    uint32_t extraBytes;
    int32_t (*_Nullable init)(const void *_Nullable key, const uint8_t *_Nullable data, CFIndex length, uint32_t encoding);
    void (*_Nullable destroy)(const void *_Nullable key);
    int32_t (*_Nullable rawSign)(const void *_Nullable key, uint32_t padding, const uint8_t *_Nullable data, size_t length,
                                 uint8_t *_Nullable signature, size_t *_Nullable signatureLength);
    int32_t (*_Nullable rawVerify)(const void *_Nullable key, uint32_t padding, const uint8_t *_Nullable data,
                                   size_t length, const uint8_t *_Nullable signature, size_t signatureLength);
    int32_t (*_Nullable encrypt)(const void *_Nullable key, uint32_t padding, const uint8_t *_Nullable plain,
                                 size_t length, uint8_t *_Nullable cipher, size_t *_Nullable cipherLength);
    int32_t (*_Nullable decrypt)(const void *_Nullable key, uint32_t padding, const uint8_t *_Nullable cipher,
                                 size_t length, uint8_t *_Nullable plain, size_t *_Nullable plainLength);
    void (*_Nullable compute)(void);
    size_t (*_Nullable blockSize)(const void *_Nullable key);
    const void *_Nullable (*_Nullable copyDictionary)(const void *_Nullable key);
    const void *_Nullable (*_Nullable describe)(const void *_Nullable key);
    void (*_Nullable getAlgorithmID)(void);
    int32_t (*_Nullable copyPublic)(const void *_Nullable key, const void *_Nullable *_Nullable serialization);
    void (*_Nullable copyWrapKey)(void);
    void (*_Nullable copyUnwrapKey)(void);
    const void *_Nullable (*_Nullable copyExternalRepresentation)(const void *_Nullable key,
                                                                  const void *_Nullable *_Nullable error);
    const void *_Nullable (*_Nullable copyPublicKey)(const void *_Nullable key);
    const void *_Nullable (*_Nullable copyOperationResult)(
        const void *_Nullable key, CFIndex operation, const void *_Nullable algorithm, const void *_Nullable allAlgorithms,
        CFIndex mode, const void *_Nullable in1, const void *_Nullable in2, const void *_Nullable *_Nullable error);
    unsigned char (*_Nullable isEqual)(const void *_Nullable key, const void *_Nullable other);
    void (*_Nullable createDuplicate)(void);
    void (*_Nullable setParameter)(void);
};

/// The bytes of a table of a version: each has more functions than the one before. 0 for a version that there is not.
static inline size_t CSecurityKeyDescriptorSize(uint32_t version) {
    switch (version) {
    case 0: return offsetof(struct CSecurityKeyDescriptor, getAlgorithmID);
    case 1: return offsetof(struct CSecurityKeyDescriptor, copyPublic);
    case 2: return offsetof(struct CSecurityKeyDescriptor, copyWrapKey);
    case 3: return offsetof(struct CSecurityKeyDescriptor, copyExternalRepresentation);
    case 4: return sizeof(struct CSecurityKeyDescriptor);
    default: return 0;
    }
}

/// A key: an object as above, with what a program that implements the key itself finds in SecPrivate.h's __SecKey.
struct CSecurityKeyObject {
    struct CSecurityObject object;
    const void *_Nullable keyClass;
    void *_Nullable key;
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
