"""The messages between a crawl and its page reader, and between the reader and the process that parses.

A message is a header, a JSON object (written by `marshal` from the reader to the process that parses), and a body,
octets that are nobody's text: two lengths of four octets, little-endian, then header and body. `do` in the header says
what it is; what a side does not know it ignores, so that either can learn new ones.

| to the reader | header | body |
| --- | --- | --- |
| `open` | `crawl` (a number of the user's process), `id`, `path`, `rotate`, `salt` (hexadecimal), `rules`, `preset` | |
| `visit` | `crawl`, what `visit_of` takes, `read`: whether to read the body | it |
| `failure` | `crawl`, what `visit_of` takes of a request without a response | |
| `ended` | `crawl`, `time`, and `visits`: how many the crawl has handed over that came to its end by itself | |
| `close` | `crawl` | |

| from the reader | header |
| --- | --- |
| `opened`, `refused` | `crawl`; `text`: why the file cannot be written |
| `failed` | `crawl`; `text`: why a visit was not |
| `progress` | `crawl`, `written`, `given_up`, and `cpu`, the seconds of all its processes so far |
| `closed` | the same of the whole crawl, `files`, and `platforms`, each [site, name, path, pages] |
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable
from datetime import date, time
from itertools import islice
from struct import Struct
from typing import Any

_LENGTHS = Struct("<II")
PIECES = 64
"""Pieces of one call: POSIX lets a system refuse more than 16, all that Python runs on take 1024."""
MOST = 1 << 31
"""Octets of a header or a body: more is no message of ours."""

Message = tuple[dict[str, Any], bytes]


def _dated(value: object) -> str:
    # of rules the dates that TOML knows become texts, which rules know as well
    if isinstance(value, date | time):
        return value.isoformat()
    msg = f"{type(value).__name__} cannot be sent"
    raise TypeError(msg)


_encoded = json.JSONEncoder(separators=(",", ":"), default=_dated).encode


def packed(header: dict[str, Any], body: bytes = b"") -> list[bytes]:
    """Return the pieces of a message, the body as it is: a page is not copied to be sent."""
    return framed(_encoded(header).encode(), body)


def framed(text: bytes, body: bytes = b"") -> list[bytes]:
    """Return the pieces of a message whose header is written already."""
    head = _LENGTHS.pack(len(text), len(body)) + text
    return [head, body] if body else [head]


def send(write: Callable[[memoryview], int], header: dict[str, Any], body: bytes = b"") -> None:
    """Write a message to a pipe, which may take less than it is given. Raises `OSError` where nobody reads."""
    for piece in packed(header, body):
        left = memoryview(piece)
        while left:
            left = left[write(left) :]


def send_many(pipe: int, pieces: deque[bytes]) -> None:
    """Write pieces to the pipe of this descriptor, in few calls, and take away those that are written.

    Raises `OSError` where nobody reads; a piece that was not written whole is then still there.
    """
    while pieces:
        some = list(islice(pieces, PIECES))
        taken = os.writev(pipe, some) if hasattr(os, "writev") else os.write(pipe, some[0])
        while pieces and taken >= len(pieces[0]):
            taken -= len(pieces.popleft())
        if taken:
            left = memoryview(pieces[0])[taken:]
            while left:
                left = left[os.write(pipe, left) :]
            pieces.popleft()


def received(read: Callable[[int], bytes], decode: Callable[[bytes], Any] = json.loads) -> Message | None:
    """Return the next message, None at the end. `read(n)` gives n octets, fewer only at the end.

    Raises `ValueError` on what is no message.
    """
    lengths = read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head, rest = _LENGTHS.unpack(lengths)
    if head > MOST or rest > MOST:
        raise ValueError("not a message")
    text, body = read(head), read(rest) if rest else b""
    if len(text) < head or len(body) < rest:
        return None
    header = decode(text)
    if type(header) is not dict:
        raise ValueError("not a message")
    return header, body
