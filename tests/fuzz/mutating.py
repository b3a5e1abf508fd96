"""A valid file in, a broken one out: bytes, JSON values, and the members of archives, changed at random.

All randomness is in the `Random` that is passed, so that a case is made again from its number.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

NUMBERS = (0, 1, -1, 127, 128, 255, 256, 2**15 - 1, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64)
PIECES = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b'""', b"'", b",", b"\t", b";", b"\r", b"\n", b"\r\n\n\n",
    b"sep=;\n", b"{", b"}", b"[", b"]", b"null", b"NaN", b"-Infinity", b"1e999", b"nan", b"inf",
    b"=cmd|' /c'!A0", b"../../etc/passwd", b"<script>alert(1)</script>", b"&#9999999999;", b"&lt;",
    b"<![CDATA[", b"\\u0000", b"\\ud800", b"\xed\xa0\x80", b"\xf0\x9f\x94\xa5", "\u202e".encode(),
    "İı".encode(), b"a" * 5_000, b"[" * 5_000, b'"' * 999, b"," * 5_000, b"9" * 5_000,
)  # fmt: skip
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 0.5, 1e308, float("nan"), float("inf"), 2**63, 10**400, "", "x", "nan", "\0",
    "\ud800", "../x", "/etc/passwd", "=1+1", "<script>", "9" * 5_000, [], {}, [[]], [None], {"": None},
    {"x": {"x": {}}}, "a" * 100_000, list(range(50)),
)  # fmt: skip
_DEEPEST = 60


def mutated(data: bytes, draw: Random) -> bytes:
    """Return bytes with one to six changes."""
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        data = draw.choice(_CHANGES)(data, draw)
    return data[: 4 * 2**20]


def mutated_json(value: Any, draw: Random) -> Any:
    """Return a JSON value in which one to three of its parts are others, gone, or there twice."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        value = _at_a_random_place(value, draw, 0)
    return value


def json_bytes(value: Any) -> bytes:
    """Return a JSON value as it is written, with what JSON does not have."""
    return json.dumps(value).encode("utf-8", "surrogatepass")


@cache
def members(data: bytes) -> Mapping[str, bytes]:
    """Return the members of a (valid) zip archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: dict[str, bytes]) -> bytes:
    """Return a zip archive of the members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def mutated_zip(data: bytes, draw: Random) -> bytes:
    """Return an archive with a member changed, gone or renamed; now and then with its own bytes broken."""
    if draw.random() < 0.2:
        return mutated(data, draw)
    parts = dict(members(data))
    name = draw.choice(sorted(parts))
    what = draw.random()
    if what < 0.85:
        parts[name] = mutated(parts[name], draw)
    elif what < 0.92:
        del parts[name]
    else:
        parts[draw.choice(("../../evil", "/etc/evil", "xl/x.xml", "a.npy", "C:\\evil"))] = parts.pop(name)
    return zipped(parts)


# --- changes of bytes --------------------------------------------------------------------------------------


def _flip(data: bytes, draw: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8, 40))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _set(data: bytes, draw: Random) -> bytes:
    changed = bytearray(data)
    if changed:
        changed[draw.randrange(len(changed))] = draw.choice((0, 1, 9, 10, 13, 32, 34, 44, 127, 128, 255))
    return bytes(changed)


def _number(data: bytes, draw: Random) -> bytes:
    size = draw.choice((1, 2, 4, 8))
    place = draw.randrange(len(data) + 1)
    number = (draw.choice(NUMBERS) % 256**size).to_bytes(size, draw.choice(("little", "big")))
    return data[:place] + number + data[place + size :]


def _insert(data: bytes, draw: Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.choice(PIECES) + data[place:]


def _overwrite(data: bytes, draw: Random) -> bytes:
    place, piece = draw.randrange(len(data) + 1), draw.choice(PIECES)
    return data[:place] + piece + data[place + len(piece) :]


def _cut(data: bytes, draw: Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _without(data: bytes, draw: Random) -> bytes:
    first = draw.randrange(len(data) + 1)
    return data[:first] + data[first + draw.choice((1, 2, 16, 100, 1_000)) :]


def _twice(data: bytes, draw: Random) -> bytes:
    first = draw.randrange(len(data) + 1)
    piece = data[first : first + draw.choice((1, 8, 64, 1_000))]
    return data[:first] + piece * draw.choice((2, 2, 3, 50)) + data[first + len(piece) :]


def _swap(data: bytes, draw: Random) -> bytes:
    a, b, c = sorted(draw.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


_CHANGES = (_flip, _flip, _set, _number, _insert, _insert, _overwrite, _cut, _without, _twice, _swap)


# --- changes of JSON values --------------------------------------------------------------------------------


def _at_a_random_place(value: Any, draw: Random, depth: int) -> Any:
    if not isinstance(value, (dict, list)) or not value or depth == _DEEPEST or draw.random() < 0.15:
        return _other(value, draw)
    changed = value.copy()
    key = draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
    what = draw.random()
    if what < 0.1:
        del changed[key]
    elif what < 0.15 and isinstance(changed, list):
        changed.insert(key, changed[key])
    elif what < 0.15:
        changed[draw.choice(("", "x", "../x", "kind", "\0"))] = changed.pop(key)
    else:
        changed[key] = _at_a_random_place(value[key], draw, depth + 1)
    return changed


def _other(value: Any, draw: Random) -> Any:
    """Return another value, half the time of the same kind."""
    if draw.random() < 0.5:
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, float)):
            return draw.choice((value + 1, -value, 0, value * 2**40, draw.choice(NUMBERS)))
        if isinstance(value, str):
            value = value[:1_000]
            return draw.choice((value + "\0", value[::-1], value * 100, "", "\ud800" + value))
    return draw.choice(STRANGE)
