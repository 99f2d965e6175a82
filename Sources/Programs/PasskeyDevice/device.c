#include "device.h"

#include <errno.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { report_size = 64 };

// CTAP 2.1, section 11.2.8.2: reports of 64 bytes in both directions, on the usage page of FIDO, without numbers.
static const uint8_t descriptor[] = {
    0x06, 0xD0, 0xF1,  // usage page: FIDO Alliance
    0x09, 0x01,        // usage: U2F HID authenticator
    0xA1, 0x01,        // collection: application
    0x09, 0x20,        //   usage: data in
    0x15, 0x00,        //   least value 0
    0x26, 0xFF, 0x00,  //   greatest value 255
    0x75, 0x08,        //   of eight bits each
    0x95, report_size, //   so many of them
    0x81, 0x02,        //   input
    0x09, 0x21,        //   usage: data out
    0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, report_size,
    0x91, 0x02,        //   output
    0xC0,              // end
};

static int write_event(int kernel, const struct uhid_event *event) {
    for (;;) {
        ssize_t count = write(kernel, event, sizeof *event);
        if (count == (ssize_t)sizeof *event) {
            return 0;
        }
        if (count >= 0) {
            errno = EIO;
            return -1;
        }
        if (errno != EINTR) {
            return -1;
        }
    }
}

int device_create(int kernel, unsigned int owner) {
    struct uhid_event event;
    memset(&event, 0, sizeof event);
    event.type = UHID_CREATE2;
    struct uhid_create2_req *device = &event.u.create2;
    snprintf((char *)device->name, sizeof device->name, "%s", DEVICE_NAME);
    // udev's rule makes the node this user's.
    snprintf((char *)device->uniq, sizeof device->uniq, "%u", owner);
    memcpy(device->rd_data, descriptor, sizeof descriptor);
    device->rd_size = sizeof descriptor;
    // libfido2 takes security keys of this bus alone.
    device->bus = BUS_USB;
    // pid.codes has this number for devices of its members' tests.
    device->vendor = 0x1209;
    device->product = 0x000A;
    device->version = 1;
    return write_event(kernel, &event);
}

// What the kernel asks of a device that has no such reports. Without an answer it waits for five seconds.
static int refuse(int kernel, const struct uhid_event *question) {
    struct uhid_event answer;
    memset(&answer, 0, sizeof answer);
    if (question->type == UHID_GET_REPORT) {
        answer.type = UHID_GET_REPORT_REPLY;
        answer.u.get_report_reply.id = question->u.get_report.id;
        answer.u.get_report_reply.err = EIO;
    } else {
        answer.type = UHID_SET_REPORT_REPLY;
        answer.u.set_report_reply.id = question->u.set_report.id;
        answer.u.set_report_reply.err = EIO;
    }
    return write_event(kernel, &answer);
}

enum outcome device_carry_to_user(int kernel, int user) {
    struct uhid_event event;
    memset(&event, 0, sizeof event);
    ssize_t count = read(kernel, &event, sizeof event);
    if (count < 0) {
        return errno == EAGAIN || errno == EINTR ? carried : broken;
    }
    if (count == 0) {
        return ended;
    }
    switch (event.type) {
    case UHID_GET_REPORT:
    case UHID_SET_REPORT: return refuse(kernel, &event) == 0 ? carried : broken;
    case UHID_OUTPUT: break;
    default: return carried;
    }
    const uint8_t *report = event.u.output.data;
    size_t size = event.u.output.size;
    // Who writes to a node of hidraw puts the report's number in front, 0 for none.
    if (size == report_size + 1 && report[0] == 0) {
        report += 1;
        size -= 1;
    }
    if (size != report_size) {
        return carried;
    }
    // A program that does not read has no device for long: the others' reports would wait behind it.
    if (send(user, report, report_size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        return errno == EINTR ? carried : ended;
    }
    return carried;
}

enum outcome device_carry_to_system(int user, int kernel) {
    // One byte more, so that a longer packet is not taken for a report.
    uint8_t report[report_size + 1];
    ssize_t count = recv(user, report, sizeof report, MSG_DONTWAIT);
    if (count < 0) {
        return errno == EAGAIN || errno == EINTR ? carried : ended;
    }
    if (count == 0) {
        return ended;
    }
    if (count != report_size) {
        return carried;
    }
    struct uhid_event event;
    memset(&event, 0, sizeof event);
    event.type = UHID_INPUT2;
    event.u.input2.size = report_size;
    memcpy(event.u.input2.data, report, report_size);
    return write_event(kernel, &event) == 0 ? carried : broken;
}
