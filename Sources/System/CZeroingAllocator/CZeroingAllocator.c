// glibc's allocator, but that memory is zeroed before it is given back: what Swift's strings and arrays held of a secret
// does not stay behind. A program's own definitions come before the C library's, for all libraries of the process; the C
// library supports that (its manual, "Replacing malloc") where all of these are replaced.
#define _GNU_SOURCE
#include "CZeroingAllocator.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Large blocks are the kernel's, each by itself, and go back to it when they are freed. glibc would take the first that is
// freed for a sign that more are needed, and keep up to 32 MiB of such memory in each of eight arenas a core: many clients
// with large requests left four times as much behind as they ever had at the same time.
__attribute__((constructor)) static void give_back_what_is_large(void) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
    mallopt(M_ARENA_MAX, 4);
}

static void zero(void *bytes, size_t count) {
    memset(bytes, 0, count);
    // The compiler must not take the writing for superfluous.
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

void *malloc(size_t size) { return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
void *valloc(size_t size) { return __libc_memalign((size_t)sysconf(_SC_PAGESIZE), size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *bytes = __libc_memalign(alignment, size);
    if (bytes == NULL) return ENOMEM;
    *result = bytes;
    return 0;
}

void free(void *bytes) {
    if (bytes == NULL) return;
    int before = errno;
    zero(bytes, malloc_usable_size(bytes));
    __libc_free(bytes);
    errno = before;
}

// Never in place by the C library: that would free the old memory, or its end, as it is.
void *realloc(void *bytes, size_t size) {
    if (bytes == NULL) return malloc(size);
    if (size == 0) {
        free(bytes);
        return NULL;
    }
    size_t old = malloc_usable_size(bytes);
    if (size <= old && size >= old / 2) {
        return bytes;
    }
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, bytes, old < size ? old : size);
    free(bytes);
    return moved;
}
