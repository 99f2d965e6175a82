#!/usr/bin/env python3
"""Asks the backend of the Secret portal for an application's secret, as the portal does, and prints it in hexadecimal.

Usage: portal-secret.py APPLICATION, on a bus whose name of the portal is free. Needs jeepney (python3-secretstorage)."""
import os
import sys

from jeepney import DBusAddress, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

bus = open_dbus_connection("SESSION", enable_fds=True)
assert bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop")).body[0] == 1
path = "/org/freedesktop/portal/desktop"
to = DBusAddress(path, "org.freedesktop.secrets", "org.freedesktop.impl.portal.Secret")
reading, writing = os.pipe()
body = (path + "/request/1_1/t", sys.argv[1], writing, {})
reply = bus.send_and_get_reply(new_method_call(to, "RetrieveSecret", "osha{sv}", body), timeout=30)
os.close(writing)
if reply.body[0] != 0:
    sys.exit(f"refused: {reply.body}")
print(os.read(reading, 100).hex())
