#ifndef CHATELAINE_PASSKEY_DEVICE_H
#define CHATELAINE_PASSKEY_DEVICE_H

// A security key, as /dev/uhid makes one (Linux, Documentation/hid/uhid.rst).

// What programs and udev's rule know it by.
#define DEVICE_NAME "Chatelaine passkeys"

enum outcome {
    carried,
    // One of the ends is gone, or does not read.
    ended,
    broken,
};

// Has the kernel make the device. Returns 0, or -1 with errno.
int device_create(int kernel, unsigned int owner);

// Carries one event of the kernel's to the user, if it is a report.
enum outcome device_carry_to_user(int kernel, int user);

// Carries one report of the user's to the kernel. A packet of another size is dropped.
enum outcome device_carry_to_system(int user, int kernel);

#endif
