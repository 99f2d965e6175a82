#!/usr/bin/env python3
"""Plays systemd and the kernel for chatelaine-passkey-device.

Accepts one connection at SOCKET and starts PROGRAM with it, as systemd does. What the program writes to /dev/uhid comes
here: the device that it makes is described in FOLDER/device.json, and NODE is a socket of packets in the place of the
device's node: each client's packets are output reports, and all clients get all input reports.

usage: uhid_kernel.py PROGRAM SOCKET NODE FOLDER
"""

import json
import os
import select
import socket
import struct
import subprocess
import sys

DESTROY, START, OPEN, OUTPUT, GET_REPORT, GET_REPORT_REPLY = 1, 2, 4, 6, 9, 10
CREATE2, INPUT2, SET_REPORT, SET_REPORT_REPLY = 11, 12, 13, 14
EVENT_SIZE = 4380


def listen(path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(8)
    return listener


def event(kind, content=b""):
    return (struct.pack("<I", kind) + content).ljust(EVENT_SIZE, b"\0")


def text(data):
    return data.split(b"\0")[0].decode()


def described(data):
    name, phys, uniq, size, bus, vendor, product = struct.unpack_from("<128s64s64sHHII", data, 4)
    descriptor = data[4 + 128 + 64 + 64 + 2 + 2 + 16 :][:size]
    return {
        "name": text(name),
        "uniq": text(uniq),
        "bus": bus,
        "vendor": vendor,
        "descriptor": descriptor.hex(),
    }


def main():
    program, path, node, folder = sys.argv[1:]
    listener = listen(path)
    nodes = listen(node)
    print("ready", flush=True)
    connection, _ = listener.accept()
    kernel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = subprocess.Popen(
        [program, str(theirs.fileno())],
        stdin=connection,
        pass_fds=[theirs.fileno()],
        env={"RUNTIME_DIRECTORY": folder},
    )
    theirs.close()
    connection.close()
    clients = []
    replies = []
    while True:
        for ready in select.select([kernel, nodes, *clients], [], [])[0]:
            if ready is kernel:
                data = kernel.recv(EVENT_SIZE)
                if not data:
                    sys.exit(child.wait())
                (kind,) = struct.unpack_from("<I", data)
                if kind == CREATE2:
                    with open(folder + "/device.json", "w", encoding="utf-8") as file:
                        json.dump(described(data), file)
                    for kind in (START, OPEN):
                        kernel.send(event(kind))
                    # What a program may ask of any device.
                    kernel.send(event(GET_REPORT, struct.pack("<IBB", 7, 0, 0)))
                    kernel.send(event(SET_REPORT, struct.pack("<IBBH", 8, 0, 0, 1)))
                    # Reports that this device has not.
                    for size in (0, 1, 63, 66):
                        kernel.send(event(OUTPUT, b"\1" * 4096 + struct.pack("<HB", size, 1)))
                elif kind in (GET_REPORT_REPLY, SET_REPORT_REPLY):
                    replies.append(struct.unpack_from("<IH", data, 4))
                    with open(folder + "/replies.json", "w", encoding="utf-8") as file:
                        json.dump(replies, file)
                elif kind == INPUT2:
                    (size,) = struct.unpack_from("<H", data, 4)
                    for client in clients:
                        client.send(data[6 : 6 + size])
            elif ready is nodes:
                clients.append(nodes.accept()[0])
            else:
                report = ready.recv(65)
                if report:
                    # hidraw puts the report's number in front.
                    kernel.send(event(OUTPUT, (b"\0" + report).ljust(4096, b"\0") + struct.pack("<HB", 65, 1)))
                else:
                    clients.remove(ready)


if __name__ == "__main__":
    main()
