#define _GNU_SOURCE
#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

const uint64_t clinux_capability_ptrace = UINT64_C(1) << CAP_SYS_PTRACE;
const uint64_t clinux_capability_read_all = UINT64_C(1) << CAP_DAC_READ_SEARCH;

static int set_capabilities(uint64_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {.effective = (uint32_t)kept, .permitted = (uint32_t)kept},
        {.effective = (uint32_t)(kept >> 32), .permitted = (uint32_t)(kept >> 32)},
    };
    return syscall(SYS_capset, &header, data) == 0 ? 0 : errno;
}

int clinux_become(uint32_t uid, uint32_t gid, uint64_t capabilities) {
    if (geteuid() == 0) {
        for (int capability = 0; capability < 64; capability++) {
            // The kernel says EINVAL for the first one that it does not know.
            if ((capabilities >> capability & 1) == 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
                if (errno == EINVAL) {
                    break;
                }
                return errno;
            }
        }
        if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0
            || setresuid(uid, uid, uid) != 0) {
            return errno;
        }
    } else if (geteuid() != uid || getuid() != uid) {
        return EPERM;
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
        return errno;
    }
    return set_capabilities(capabilities);
}

void clinux_trim_memory(void) { (void)malloc_trim(0); }

int clinux_give_up_mark(void) {
    gid_t own = getgid();
    if (setresgid(own, own, own) != 0) {
        return -1;
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int clinux_harden(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0
        || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return errno;
    }
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0 && errno != EINVAL) {
        return errno;
    }
    return 0;
}
