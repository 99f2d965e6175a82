#include "operations.h"

#include <stddef.h>
#include <string.h>

static const struct operation operations[] = {
    {"backup", 1, "make a backup of your keychain. Whoever has the backup and its key can read all of your passwords"},
    {"restore", 2, "restore your keychain from a backup. Items of the same name are replaced"},
    {"export", 3, "export your keychain. The program that you started can then read all of your passwords"},
    {"rotate-keys", 4, "give all items of your keychain new keys"},
    {"set-passcode", 5, "set the passcode of your keychain. Whoever knows the passcode can read all of your passwords"},
    {"remove-passcode", 6, "remove the passcode of your keychain. It can no longer be locked then"},
    {"confirm-passcode", 7, "confirm that you set the passcode of your keychain yourself"},
    {"change-settings", 8, "change when your keychain locks, and after how many wrong passcodes it is destroyed"},
    {"synchronize", 9,
     "add a device to those that share your keychain, or remove one. A device that you add can read your passwords"},
};

const struct operation *operation_named(const char *name) {
    for (size_t index = 0; index < sizeof operations / sizeof operations[0]; index++) {
        if (strcmp(operations[index].name, name) == 0) return &operations[index];
    }
    return NULL;
}
