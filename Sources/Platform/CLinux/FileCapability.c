#include "CLinux.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/xattr.h>

static const char attribute[] = "security.capability";

int clinux_set_file_capability(int descriptor, unsigned capability) {
    // Little-endian, as the kernel wants it (linux/capability.h).
    unsigned char data[XATTR_CAPS_SZ_2] = {0};
    data[3] = VFS_CAP_REVISION_2 >> 24;
    if (capability >= 64) {
        errno = EINVAL;
        return -1;
    }
    unsigned permitted = 4 + (capability / 32) * 8;
    data[permitted + (capability % 32) / 8] = (unsigned char)(1u << (capability % 8));
    return fsetxattr(descriptor, attribute, data, sizeof data, 0);
}

int clinux_remove_file_capabilities(int descriptor) {
    if (fremovexattr(descriptor, attribute) == 0 || errno == ENODATA || errno == EOPNOTSUPP) { return 0; }
    return -1;
}
