#include "CProbe.h"

#include <unistd.h>

int cprobe_fork(void) {
    return (int)fork();
}
