"""The head of a journal file: its header, and the snapshot of a table that can be read in one go."""

from __future__ import annotations

import json
import os
from array import array
from sys import byteorder
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

from scrapy_urinorm.seen.protocol import RECORD_BYTES, SeenStoreError
from scrapy_urinorm.seen.table import FingerprintTable

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
MAGIC = b"urinorm-seen "
# a page of the disk, so that the header is written whole or not; buckets a write, about 100 kB
HEADER_BYTES = 4096
_BLOCK_BUCKETS = 4096


def read(path: Path, file: BinaryIO, header: dict[str, Any]) -> tuple[FingerprintTable, bool]:
    """The table of a snapshot, and whether its checksum is right; the file is left behind it. Raises SeenStoreError."""
    counts = array("I")
    head = file.read(4 * header["buckets"])
    body = file.read(RECORD_BYTES * header["snapshot"])
    if len(head) < 4 * header["buckets"] or len(body) < RECORD_BYTES * header["snapshot"]:
        raise SeenStoreError(f"{path} is shorter than its header says: restore a copy, or delete it to start anew")
    sound = crc32(head, crc32(body)) == header["checksum"]
    counts.frombytes(head)
    if byteorder == "big":
        counts.byteswap()
    if not counts:
        return FingerprintTable(), sound
    buckets = []
    at = 0
    for count in counts:
        end = at + count * RECORD_BYTES
        buckets.append(body[at:end])
        at = end
    return FingerprintTable.from_snapshot(buckets), sound


def write(path: Path, header: dict[str, Any], buckets: list[bytes]) -> tuple[dict[str, Any], int]:
    """Write a file of header and snapshot; returns the header, now with the snapshot's entries, and the file's size.

    Waits for the device. Touches nothing but its arguments, so that a thread can do it. Raises OSError.
    """
    counts = array("I")
    checksum = 0
    with path.open("wb") as file:
        # in steps, so that a crawl that shares the interpreter with this thread never waits for long
        file.write(bytes(HEADER_BYTES))
        file.seek(counts.itemsize * len(buckets), os.SEEK_CUR)
        for at in range(0, len(buckets), _BLOCK_BUCKETS):
            some = buckets[at : at + _BLOCK_BUCKETS]
            counts.extend([len(bucket) // RECORD_BYTES for bucket in some])
            block = b"".join(some)
            checksum = crc32(block, checksum)
            file.write(block)
        end = file.tell()
        total = (end - HEADER_BYTES - counts.itemsize * len(buckets)) // RECORD_BYTES
        if byteorder == "big":
            counts.byteswap()
        head = counts.tobytes()
        header = header | {"buckets": len(buckets), "snapshot": total, "checksum": crc32(head, checksum)}
        file.seek(0)
        file.write(format_header(header))
        file.write(head)
        file.flush()
        os.fsync(file.fileno())
    return header, end


def parse_header(path: Path, head: bytes) -> dict[str, Any]:
    """The header of a file's first page. Raises SeenStoreError."""
    title, _, rest = head.partition(b"\n")
    if not title.startswith(MAGIC):
        raise SeenStoreError(f"{path} is not a seen file: it does not start with {MAGIC.decode().strip()!r}")
    if title != MAGIC + str(FORMAT).encode("ascii"):
        raise SeenStoreError(
            f"{path} has format {title[len(MAGIC) :].decode('ascii', 'replace')}, this version reads {FORMAT}: "
            "use the version of scrapy-urinorm that wrote it, or delete it to start anew"
        )
    try:
        header: dict[str, Any] = json.loads(rest)
        return {"stamps": [], "buckets": 0, "snapshot": 0, "checksum": 0} | header
    except (ValueError, TypeError) as error:
        raise SeenStoreError(f"{path} has a damaged header: restore a copy, or delete it to start anew") from error


def format_header(header: dict[str, Any]) -> bytes:
    """One page; the oldest stamps are left out where they do not fit."""
    stamps = header.get("stamps", [])
    for skip in range(len(stamps) + 1):
        text = json.dumps(header | {"stamps": stamps[skip:]}, sort_keys=True).encode("ascii")
        page = MAGIC + str(FORMAT).encode("ascii") + b"\n" + text
        if len(page) < HEADER_BYTES:
            return page.ljust(HEADER_BYTES - 1) + b"\n"
    raise SeenStoreError(f"the stamp of a seen file must fit into {HEADER_BYTES} bytes")
