#!/usr/bin/env python3
"""memory-frames.py DIR: writes requests of the largest sizes that the protocol allows, for Benchmarks/memory.sh."""

import os
import struct
import sys


def varint(number):
    out = b""
    while True:
        byte = number & 127
        number >>= 7
        out += bytes([byte | (128 if number else 0)])
        if not number:
            return out


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def integer(number, value):
    return varint(number << 3) + varint(value)


def attribute(key, text=None, data=None):
    value = field(1, text.encode()) if text is not None else field(2, data)
    return varint(1 << 3 | 5) + struct.pack("<I", int.from_bytes(key.encode(), "big")) + field(2, value)


def add(account, data, service="hog"):
    attributes = field(2, attribute("acct", account)) + field(2, attribute("svce", service))
    return field(1, integer(1, 1) + attributes + field(7, attribute("data", data=data)))


def find(filters, limit=None):
    query = integer(1, 1) + b"".join(field(3, attribute(*pair)) for pair in filters)
    count = integer(2, limit) if limit else b""
    return field(2, field(1, query) + count + field(3, integer(1, 1) + integer(2, 1)))


def batch(operations):
    return field(3, b"".join(field(1, operation) for operation in operations))


def request(body):
    message = field(2, integer(1, 1) + body)
    return struct.pack(">I", len(message)) + message


def main(folder):
    dense = b"\x12\x00" * 199_000
    proof = field(1, field(1, b"\xaa" * 32) + integer(2, 1))
    label = field(3, field(1, integer(1, 1) + field(3, attribute("svce", "hog"))) + field(2, attribute("labl", "new")))
    frames = {
        "auth": struct.pack(">I", len(proof)) + proof,
        "large": request(field(2, add("large", os.urandom(16 << 20)))),
        "many": request(batch([add(f"many{i}", os.urandom(23_000), "many") for i in range(1000)])),
        "fields": request(field(2, field(1, integer(1, 1) + dense + field(2, attribute("gena", data=bytes(24_000_000)))))),
        "find-large": request(field(2, find([("acct", "large")], 1))),
        "find-many": request(field(2, find([("svce", "many")]))),
        "find-batch": request(batch([find([("svce", "many")])] * 1000)),
        "rewrite": request(field(2, label)),
    }
    for name, content in frames.items():
        with open(os.path.join(folder, name + ".frame"), "wb") as file:
            file.write(content)


main(sys.argv[1])
