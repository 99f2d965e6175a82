// What glibc's module leaves out: the allocator's own figures.
#include <malloc.h>
