"""Scrapy's own `requests.seen`, read in every form it has had, and written."""

from __future__ import annotations

import re
from binascii import hexlify
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scrapy_urinorm.seen.protocol import SeenStoreError

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "requests.seen"
# The two forms cannot be confused: as a length, two hexadecimal digits would be 12,336 bytes and more.
_LINE = re.compile(rb"((?:[0-9a-fA-F]{2})+)(?:\r?\n|\Z)")
_PREFIX_BYTES = 2
_DIGEST_BYTES = 16


def read_fingerprints(path: Path) -> Iterator[bytes]:
    """The fingerprints of a `requests.seen` file, in its order.

    Up to Scrapy 2.18 the file is text, a line of hexadecimal digits each; since 2.19 it is binary, a length in two
    bytes, big-endian, before each. After an upgrade in mid-crawl it is the one followed by the other. Entries that a
    killed process left incomplete are dropped, also where the next run went on writing behind them. Raises OSError, and
    SeenStoreError when the file is neither form.
    """
    data = path.read_bytes()
    at = 0
    width = 0
    while line := _LINE.match(data, at):
        # a line cut short by a kill is the last one, or has lost its break
        if width and len(line[1]) != width and not line[0].endswith(b"\n"):
            return
        width = len(line[1])
        yield bytes.fromhex(line[1].decode("ascii"))
        at = line.end()
    if at and re.match(rb"[0-9a-fA-F]+\Z", data[at : at + 2 * width]):
        return
    yield from _binary(path, data, at)


def _binary(path: Path, data: bytes, at: int) -> Iterator[bytes]:
    prefix = data[at : at + _PREFIX_BYTES]
    size = int.from_bytes(prefix, "big")
    if not data[at:]:
        return
    # a small file may be one entry that a kill has torn, but none has a fingerprint as long as two letters say
    if at + _PREFIX_BYTES + size > len(data) and max(len(data), size * (at == 0)) > 1024:
        raise SeenStoreError(f"{path} is not a {FILE_NAME} of any Scrapy version: no fingerprint begins at byte {at}")
    while at + _PREFIX_BYTES <= len(data):
        start = at + _PREFIX_BYTES
        end = start + int.from_bytes(data[at:start], "big")
        if end == start or data[end : end + _PREFIX_BYTES] not in (prefix, b""):
            if torn := _after_torn(data, at, prefix, size):
                at = torn
                continue
            if end == start and data[at:].strip(b"\0"):
                raise SeenStoreError(f"{path}, byte {at}: an empty fingerprint; the file is damaged")
        # zeros to the end are what a power failure leaves
        if end > len(data) or end == start:
            return
        yield data[start:end]
        at = end


def _after_torn(data: bytes, at: int, prefix: bytes, size: int) -> int:
    """Where the entry behind a torn one starts: inside what that one claims, at two entries in a row. 0: nowhere."""
    if size < _DIGEST_BYTES:
        # too short to be told from what a fingerprint may contain
        return 0
    candidate = data.find(prefix, at + 1, at + 2 * _PREFIX_BYTES + size)
    while candidate > 0:
        end = candidate + _PREFIX_BYTES + size
        if end == len(data) or data.startswith(prefix, end):
            return candidate
        candidate = data.find(prefix, candidate + 1, at + 2 * _PREFIX_BYTES + size)
    return 0


def write_binary(path: Path, fps: Iterable[bytes]) -> int:
    """Write the form of Scrapy 2.19 and later; returns how many. Raises OSError."""
    return _write(path, (len(fp).to_bytes(_PREFIX_BYTES, "big") + fp for fp in fps))


def write_text(path: Path, fps: Iterable[bytes]) -> int:
    """Write the form of Scrapy up to 2.18, a line of hexadecimal digits each; returns how many. Raises OSError."""
    return _write(path, (hexlify(fp) + b"\n" for fp in fps))


def _write(path: Path, entries: Iterable[bytes]) -> int:
    count = 0
    with path.open("wb") as file:
        for entry in entries:
            file.write(entry)
            count += 1
    return count
