"""Decodes the blobs of the synchronization formats and compares the results with vectors.

Usage: python3 decode.py VECTORS.json
"""

import functools
import json
import sys
from hashlib import sha256

VERSION = 1
ZERO = bytes(32)
NUMBERS = 1 << 48

# Counts that lists may have.
HASHES, POINTS, WRAPS, EARLIER_EPOCHS, BOXES = 32, 256, 64, 256, 2
SPINE, RECORDS = 10_000, 10_485

# Sizes in bytes.
CARD, SIGNATURE, KEY_BOX, BOX_OVERHEAD = 1282, 64, 60, 28
ENCAPSULATION, SEALED_SECRET = 1120, 48
SMALLEST_CONTENTS, LARGEST_CONTENTS = 1024, 524_288
LARGEST_LIST = LARGEST_CONTENTS - 4
LARGEST_ITEM, LARGEST_BODY = 491_520, 102_496

# Kinds of cards, records and entries.
DEVICE, RECOVERY_KEY = 1, 2
ITEM, TOMBSTONE = 1, 2
FOUND, ADD, REMOVE, END, EPOCH, FLOOR, MERGE = range(1, 8)


class Refusal(Exception):
    """The name of the first rule that a blob does not keep."""


def require(holds, refusal):
    if not holds:
        raise Refusal(refusal)


def digest(tag, *parts):
    return sha256(tag.encode("ascii") + b"".join(parts)).digest()


class Reader:
    """Takes fields from the front of some bytes."""

    def __init__(self, data):
        self.data = data
        self.position = 0

    def take(self, size):
        end = self.position + size
        require(end <= len(self.data), "truncated")
        taken = self.data[self.position:end]
        self.position = end
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size), "big")

    def hash(self):
        return self.take(32)

    def name(self):
        return self.take(16)

    def code(self, known):
        code = self.number(1)
        require(code in known, "unknownKind")
        return code

    def flag(self):
        flag = self.number(1)
        require(flag <= 1, "notCanonical")
        return flag == 1

    def version(self):
        require(self.number(1) == VERSION, "unknownVersion")

    def field(self, limit):
        size = self.number(4)
        require(size <= limit, "tooLarge")
        return self.take(size)

    def list(self, limit, part, key):
        """Reads parts that rise by what `key` returns for them."""
        count = self.number(2)
        require(count <= limit, "tooLarge")
        parts = []
        for _ in range(count):
            parts.append(part(self))
            rises = len(parts) == 1 or key(parts[-2]) < key(parts[-1])
            require(rises, "notCanonical")
        return parts

    def hashes(self):
        return self.list(HASHES, Reader.hash, key=lambda part: part)

    def points(self):
        return self.list(POINTS, point, key=first)

    def end(self):
        require(self.position == len(self.data), "trailing")


def first(part):
    return part[0]


def second(part):
    return part[1]


def point(reader):
    journal, number, value = reader.name(), reader.number(8), reader.hash()
    require(number < NUMBERS and (number == 0) == (value == ZERO), "outOfRange")
    return journal, number, value


# Device cards

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


def is_point_of_p256(key):
    x = int.from_bytes(key[1:33], "big")
    y = int.from_bytes(key[33:65], "big")
    on_curve = (y * y - (x * x * x - 3 * x + B)) % P == 0
    return key[0] == 4 and x < P and y < P and on_curve


def has_reduced_numbers(key):
    """Whether each number of 12 bits in a key of ML-KEM-768 is below the modulus."""
    for at in range(0, 1152, 3):
        pair = int.from_bytes(key[at:at + 3], "little")
        if pair & 0xFFF >= 3329 or pair >> 12 >= 3329:
            return False
    return True


@functools.lru_cache(maxsize=64)
def are_good_keys(signing, sealing):
    return is_point_of_p256(signing) and has_reduced_numbers(sealing)


def card(reader):
    """Returns the kind of a card, and its identifier."""
    start = reader.position
    kind = reader.code({DEVICE, RECOVERY_KEY})
    signing, sealing = reader.take(65), reader.take(1216)
    require(are_good_keys(signing, sealing), "badKey")
    return kind, sha256(reader.data[start:reader.position]).digest()


def decode_card(reader):
    kind, identifier = card(reader)
    reader.end()
    return {"kind": kind, "id": identifier}


# Entries

def wrap(reader):
    """Returns the epoch and the recipient of a wrap."""
    epoch, recipient = reader.hash(), reader.hash()
    reader.take(ENCAPSULATION)
    reader.take(SEALED_SECRET)
    return epoch, recipient


def earlier_epoch(reader):
    identifier = reader.hash()
    reader.take(KEY_BOX)
    return identifier


def found(reader):
    kind, identifier = card(reader)
    reader.hash()
    reader.end()
    return {"card": identifier, "isDevice": kind == DEVICE}


def add(reader):
    _, identifier = card(reader)
    wraps = reader.list(WRAPS, wrap, key=first)
    reader.end()
    require(all(recipient == identifier for _, recipient in wraps), "otherPlace")
    return {"card": identifier, "wraps": [epoch for epoch, _ in wraps]}


def place(reader, device):
    """Returns the salt of a journal of a device, and the point where it ends."""
    salt, number, value = reader.name(), reader.number(8), reader.hash()
    require(number < NUMBERS and (number == 0) == (value == ZERO), "outOfRange")
    return salt, (journal_name(device, salt), number, value)


def journal_name(device, salt):
    return digest("chatelaine sync journal 1", device, salt)[:16]


def remove(reader):
    device = reader.hash()
    places = reader.list(POINTS, lambda part: place(part, device), key=first)
    reader.end()
    return {"device": device, "points": [ending for _, ending in places]}


def ending(reader):
    """Returns the name of a journal, its device, and the point where it ends."""
    device = reader.hash()
    _, last = place(reader, device)
    return last[0], device, last


def end_journals(reader):
    endings = reader.list(POINTS, ending, key=first)
    reader.end()
    require(endings, "outOfRange")
    return {"device": [device for _, device, _ in endings], "points": [last for _, _, last in endings]}


def begin_epoch(reader):
    identifier = reader.hash()
    reader.take(KEY_BOX)
    wraps = reader.list(WRAPS, wrap, key=second)
    earlier = reader.list(EARLIER_EPOCHS, earlier_epoch, key=lambda part: part)
    reader.end()
    require(all(epoch == identifier for epoch, _ in wraps), "otherPlace")
    require(identifier not in earlier, "otherPlace")
    recipients = [recipient for _, recipient in wraps]
    return {"epoch": identifier, "wraps": recipients, "earlier": earlier}


def raise_floor(reader):
    floor = reader.number(2)
    reader.end()
    return {"floor": floor}


def merge(reader):
    reader.end()
    return {}


BODIES = {
    FOUND: found, ADD: add, REMOVE: remove, END: end_journals, EPOCH: begin_epoch,
    FLOOR: raise_floor, MERGE: merge,
}


def decode_entry(reader):
    reader.version()
    circle, parents, author = reader.hash(), reader.hashes(), reader.hash()
    kind = reader.code(BODIES)
    body = BODIES[kind](Reader(reader.field(LARGEST_BODY)))
    signed = reader.data[:reader.position]
    if kind == ADD:
        reader.take(SIGNATURE)
    reader.take(SIGNATURE)
    reader.end()
    founds = kind == FOUND
    require((not parents) == founds, "outOfRange")
    require((circle == ZERO) == founds, "outOfRange")
    require(kind != MERGE or len(parents) > 1, "outOfRange")
    is_device = body.pop("isDevice", True)
    require(is_device and (not founds or body["card"] == author), "otherPlace")
    return body | {
        "circle": circle, "parents": parents, "author": author, "kind": kind,
        "hash": sha256(signed).digest(),
    }


# Records and segments

def record(reader):
    """Returns the item's name, and the record's version.

    That its number is at most the segment's is for a reader who has the segment.
    """
    kind = reader.code({ITEM, TOMBSTONE})
    item = reader.hash()
    stamp = reader.number(8)
    require(stamp < NUMBERS, "outOfRange")
    require(0 < reader.number(8) < NUMBERS, "outOfRange")
    if reader.flag():
        reader.hash()
    content = sha256(reader.field(LARGEST_ITEM)).digest() if kind == ITEM else ZERO
    return item, digest("chatelaine sync version 1", stamp.to_bytes(8, "big"), content)


def decode_records(reader):
    records = reader.list(RECORDS, record, key=first)
    reader.end()
    return {"versions": [version for _, version in records]}


def padded_size(size):
    padded = SMALLEST_CONTENTS
    while padded < size:
        padded *= 2
    return padded


def decode_contents(reader):
    listed = reader.field(LARGEST_LIST)
    padding = reader.data[reader.position:]
    require(len(reader.data) == padded_size(reader.position), "notCanonical")
    require(not any(padding), "notCanonical")
    # The list is read only when the padding is known to be right.
    return {"records": len(decode_records(Reader(listed))["versions"])}


def box(reader):
    tier, epoch = reader.code({1, 2}), reader.hash()
    sealed = len(reader.field(LARGEST_CONTENTS + BOX_OVERHEAD))
    require(sealed >= BOX_OVERHEAD, "truncated")
    size = sealed - BOX_OVERHEAD
    require(size == padded_size(size), "notCanonical")
    return tier, epoch, sealed


def base(reader, number, previous):
    """Returns the number of a base's first segment, and the hashes of all before its last."""
    first_number = reader.number(8)
    require(0 < first_number <= number, "outOfRange")
    count = reader.number(2)
    require(count <= SPINE, "tooLarge")
    require(count == number - 1, "outOfRange")
    spine = [reader.hash() for _ in range(count)]
    require(not spine or spine[-1] == previous, "notCanonical")
    require(ZERO not in spine, "notCanonical")
    return first_number, spine


def decode_segment(reader):
    reader.version()
    circle, journal = reader.hash(), reader.name()
    number, previous = reader.number(8), reader.hash()
    require(0 < number < NUMBERS and (number == 1) == (previous == ZERO), "outOfRange")
    require(circle != ZERO, "outOfRange")
    ends_base = reader.flag()
    first_number, spine = base(reader, number, previous) if ends_base else ("", [])
    boxes = reader.list(BOXES, box, key=first)
    reader.end()
    return {
        "circle": circle, "journal": journal, "number": number, "previous": previous,
        "base": first_number, "spine": spine, "boxes": boxes,
        "hash": sha256(reader.data).digest(),
    }


# Heads

def decode_head(reader):
    reader.version()
    circle, device, salt = reader.hash(), reader.hash(), reader.name()
    counter, newest, newest_hash = reader.number(8), reader.number(8), reader.hash()
    base_end, settled = reader.number(8), reader.flag()
    read, read_at_base, frontier = reader.points(), reader.points(), reader.hashes()
    epoch, stamp_floor = reader.hash(), reader.number(8)
    items, clock = reader.hash(), reader.number(8)
    signed = reader.data[:reader.position]
    reader.take(SIGNATURE)
    reader.end()
    require(0 < counter < NUMBERS and circle != ZERO and 0 < newest < NUMBERS and newest_hash != ZERO, "outOfRange")
    require(base_end <= newest and frontier and stamp_floor < NUMBERS, "outOfRange")
    require(all(number > 0 for _, number, _ in read + read_at_base), "outOfRange")
    journal = journal_name(device, salt)
    require(all(other != journal for other, _, _ in read + read_at_base), "notCanonical")
    return {
        "circle": circle, "device": device, "journal": journal, "counter": counter,
        "tip": (journal, newest, newest_hash), "base": base_end, "settled": "true" if settled else "false", "read": read, "readAtBase": read_at_base,
        "frontier": frontier, "epoch": epoch, "stampFloor": stamp_floor, "digest": items,
        "clock": clock, "hash": sha256(signed).digest(),
    }


# The messages of a ceremony

def ceremony(reader):
    reader.version()
    return reader.name()


def read_head(reader):
    """A head as an answer names it."""
    return reader.name(), reader.number(8), reader.hash()


def decode_request(reader):
    name = ceremony(reader)
    kind, identifier = card(reader)
    commitment = reader.hash()
    reader.end()
    require(kind == DEVICE, "outOfRange")
    return {"ceremony": name, "card": identifier, "commitment": commitment}


def decode_answer(reader):
    name = ceremony(reader)
    circle, frontier = reader.hash(), reader.hashes()
    kind, identifier = card(reader)
    nonce = reader.take(32)
    heads = reader.list(POINTS, read_head, key=first)
    reader.end()
    require(circle != ZERO and frontier and kind == DEVICE, "outOfRange")
    require(all(0 < counter < NUMBERS and value != ZERO for _, counter, value in heads), "outOfRange")
    return {
        "ceremony": name, "circle": circle, "frontier": frontier, "card": identifier,
        "nonce": nonce, "heads": heads,
    }


def decode_reveal(reader):
    name, nonce = ceremony(reader), reader.take(32)
    reader.end()
    return {"ceremony": name, "nonce": nonce}


def decode_consent(reader):
    name = ceremony(reader)
    reader.take(SIGNATURE)
    reader.end()
    return {"ceremony": name}


# The largest size of each kind of blob, and its decoder.
KINDS = {
    "card": (CARD, decode_card),
    "entry": (103_656, decode_entry),
    "records": (LARGEST_LIST, decode_records),
    "contents": (LARGEST_CONTENTS, decode_contents),
    "segment": (1_368_808, decode_segment),
    "head": (29_975, decode_head),
    "request": (1331, decode_request),
    "answer": (16_727, decode_answer),
    "reveal": (49, decode_reveal),
    "consent": (81, decode_consent),
}


def decode(kind, data):
    """Returns the fields of a blob, or raises the refusal of it."""
    limit, decoder = KINDS[kind]
    require(len(data) <= limit, "tooLarge")
    return decoder(Reader(data))


# Comparison with the vectors

def text(value):
    """What a field looks like in the vectors."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return " ".join(map(text, value))
    if isinstance(value, list):
        separator = ", " if value and isinstance(value[0], tuple) else " "
        return separator.join(map(text, value))
    return str(value)


def changed(data, change):
    data = bytearray(data[:change.get("length", len(data))])
    if "offset" in change:
        patch = bytes.fromhex(change["bytes"])
        data[change["offset"]:change["offset"] + len(patch)] = patch
    return bytes(data) + bytes.fromhex(change.get("appended", "")) + bytes(change.get("zeros", 0))


def verdict(kind, data):
    try:
        decode(kind, data)
    except Refusal as refusal:
        return str(refusal)
    return "valid"


def differences(blob):
    """The fields of a blob that are not what the vectors say."""
    try:
        fields = decode(blob["kind"], bytes.fromhex(blob["bytes"]))
    except Refusal as refusal:
        return [f"refused as {refusal}"]
    got = {name: text(value) for name, value in fields.items()}
    expected = blob["fields"]
    names = sorted(got.keys() | expected.keys())
    return [f"{name} is {got.get(name)}, not {expected.get(name)}"
            for name in names if got.get(name) != expected.get(name)]


def disagreements(vectors):
    blobs = vectors["blobs"]
    for number, blob in enumerate(blobs):
        for difference in differences(blob):
            yield f"blob {number}, {blob['kind']}: {difference}"
    for number, change in enumerate(vectors["changes"]):
        blob = blobs[change["blob"]]
        got = verdict(blob["kind"], changed(bytes.fromhex(blob["bytes"]), change))
        if got != change["result"]:
            shown = {name: str(value)[:40] for name, value in change.items()}
            yield f"change {number}, {blob['kind']}, {shown}: {got}"


def main(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    lines = list(disagreements(vectors))
    print("".join(line + "\n" for line in lines[:50]), end="")
    blobs, changes = len(vectors["blobs"]), len(vectors["changes"])
    print(f"{blobs} blobs, {changes} changes, {len(lines)} disagreements")
    return 1 if lines or blobs == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
