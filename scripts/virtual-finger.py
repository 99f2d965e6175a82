"""Puts fingers on one of libfprint's virtual readers, for fprintd on the bus of DBUS_SYSTEM_BUS_ADDRESS.

    virtual-finger.py wait NAME             until somebody has that name on the bus
    virtual-finger.py enrol SOCKET FINGER   for the user that runs it
    virtual-finger.py scan SOCKET FINGER
"""

import os
import pwd
import socket
import sys
import time

from gi.repository import Gio, GLib

bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)


def call(path, interface, member, *texts):
    arguments = GLib.Variant("(" + "s" * len(texts) + ")", texts)
    return bus.call_sync("net.reactivated.Fprint", path, "net.reactivated.Fprint." + interface, member, arguments,
                         None, 0, 10000)


def wait(name):
    for _ in range(1000):
        if bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
                         GLib.Variant("(s)", (name,)), None, 0, -1)[0]:
            return
        time.sleep(.01)
    sys.exit(name + " is not there")


def scan(path, finger):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peer.sendall(b"SCAN " + finger.encode())
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1024)
    peer.close()


def enrol(path, finger):
    device = call("/net/reactivated/Fprint/Manager", "Manager", "GetDefaultDevice")[0]
    events = []
    bus.signal_subscribe(None, "net.reactivated.Fprint.Device", "EnrollStatus", device, None, 0,
                         lambda *words: events.append(words[5].unpack()))
    call(device, "Device", "Claim", pwd.getpwuid(os.getuid()).pw_name)
    call(device, "Device", "EnrollStart", "right-index-finger")
    context = GLib.MainContext.default()
    end = time.time() + 20
    # One more for each stage that the reader has told of.
    scans = 0
    while not any(done for _, done in events):
        if time.time() > end:
            sys.exit("no end: %r" % events)
        if scans == len(events):
            scans += 1
            scan(path, finger)
        context.iteration(False)
        time.sleep(.005)
    call(device, "Device", "EnrollStop")
    call(device, "Device", "Release")
    if events[-1][0] != "enroll-completed":
        sys.exit(repr(events))


{"wait": wait, "enrol": enrol, "scan": scan}[sys.argv[1]](*sys.argv[2:])
