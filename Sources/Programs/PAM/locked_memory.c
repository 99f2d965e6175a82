#include "locked_memory.h"

#include <string.h>
#include <sys/mman.h>

struct locked_memory *locked_memory_new(size_t capacity) {
    const size_t size = sizeof(struct locked_memory) + capacity;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    // Neither is a condition: a program may have used up what it may lock.
    (void)mlock(pages, size);
    (void)madvise(pages, size, MADV_DONTDUMP);
    struct locked_memory *memory = pages;
    memory->mapped = size;
    memory->capacity = capacity;
    memory->count = 0;
    return memory;
}

void locked_memory_free(struct locked_memory *memory) {
    if (memory == NULL) return;
    const size_t size = memory->mapped;
    explicit_bzero(memory, size);
    (void)munmap(memory, size);
}
