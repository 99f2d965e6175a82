"""A FIDO2 device at a UNIX socket: each packet is one CTAPHID report of 64 bytes."""

import socket
import sys
import time

from fido2 import cbor
from fido2.ctap import STATUS, CtapError
from fido2.hid import CTAPHID, CtapHidDevice
from fido2.hid.base import CtapHidConnection, HidDescriptor

REPORT_SIZE = 64
COMMANDS = {
    1: "makeCredential",
    2: "getAssertion",
    4: "getInfo",
    6: "clientPIN",
    7: "reset",
    8: "getNextAssertion",
    10: "credentialManagement",
    11: "selection",
    12: "largeBlobs",
    13: "config",
}


class SocketConnection(CtapHidConnection):
    """Sends and receives reports until a deadline."""

    def __init__(self, path, deadline):
        self.deadline = deadline
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(self._remaining())
        self.socket.connect(path)

    def _remaining(self):
        return max(0.001, self.deadline - time.monotonic())

    def read_packet(self):
        packet = self.read_until(self.deadline)
        if packet is None:
            raise TimeoutError("the device did not answer in time")
        if not packet:
            raise ConnectionError("the device closed the connection")
        if len(packet) != REPORT_SIZE:
            raise ConnectionError(f"the device sent a report of {len(packet)} bytes")
        return packet

    def read_until(self, moment):
        """Returns the next packet, b"" at the end of the connection, or None if the time is up."""
        remaining = moment - time.monotonic()
        if remaining <= 0:
            return None
        self.socket.settimeout(remaining)
        try:
            return self.socket.recv(4096)
        except TimeoutError:
            return None

    def write_packet(self, data):
        self.socket.settimeout(self._remaining())
        self.socket.send(data)

    def close(self):
        self.socket.close()


class SocketDevice(CtapHidDevice):
    """fido2's CTAPHID device at such a connection. Remembers which commands waited for the user."""

    def __init__(self, path, deadline, trace=False):
        self.trace = trace
        self.waits = []
        self.commands = []
        descriptor = HidDescriptor(path, 0, 0, REPORT_SIZE, REPORT_SIZE, "socket", None)
        super().__init__(descriptor, SocketConnection(path, deadline))

    @property
    def connection(self):
        return self._connection

    @property
    def channel(self):
        return self._channel_id

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        name = command_name(cmd, data)
        self.commands.append(name)
        self._log("> ", name, data[1:] if cmd == CTAPHID.CBOR else data, cmd)

        def keepalive(status):
            if status == STATUS.UPNEEDED:
                self.waits.append(name)
            if on_keepalive:
                on_keepalive(status)

        try:
            answer = super().call(cmd, data, event, keepalive)
        except CtapError as error:
            self._log("< ", f"CTAPHID error {error.code!s}", b"", cmd)
            raise
        if cmd == CTAPHID.CBOR:
            self._log("< ", status_name(answer[0]) if answer else "nothing", answer[1:], cmd)
        return answer

    def _log(self, arrow, name, body, cmd):
        if not self.trace:
            return
        text = body.hex()
        if cmd == CTAPHID.CBOR and body:
            try:
                text = readable(cbor.decode(body))
            except Exception:
                text = "not CBOR: " + text
        print(arrow + name, text, file=sys.stderr)


def command_name(cmd, data):
    if cmd == CTAPHID.CBOR and data:
        name = COMMANDS.get(data[0], f"0x{data[0]:02x}")
        if data[0] in (6, 10):
            try:
                body = cbor.decode(data[1:])
                return f"{name}.{body[2 if data[0] == 6 else 1]}"
            except Exception:
                return name
        return name
    try:
        return CTAPHID(cmd).name
    except ValueError:
        return f"0x{cmd:02x}"


def status_name(status):
    try:
        return CtapError.ERR(status).name
    except ValueError:
        return f"0x{status:02x}"


def readable(value):
    """Makes JSON of a decoded CBOR value: byte strings become hexadecimal, keys become text."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): readable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [readable(item) for item in value]
    return value
