"""The head of a journal file: its header, and the snapshot that files from before the first release may have.

A snapshot is how many records each of the table's buckets has (uint32 each), then the records, 20 bytes each, bucket
after bucket. The header holds its geometry and checksum.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

from scrapy_urinorm.seen.protocol import RECORD_BYTES, SeenStoreError
from scrapy_urinorm.seen.stamp import are_stamps
from scrapy_urinorm.seen.table import FingerprintTable

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
MAGIC = b"urinorm-seen "
# a page of the disk, so that the header is written whole or not
HEADER_BYTES = 4096
_BLOCK = 4096 * RECORD_BYTES


def read(path: Path, file: BinaryIO, header: dict[str, Any]) -> tuple[FingerprintTable, bool]:
    """The table of a snapshot, and whether its checksum is right; the file is left behind it. Raises SeenStoreError."""
    sizes = 4 * header["buckets"], RECORD_BYTES * header["snapshot"]
    # before any of it is read: a wrong number may be more than there is memory
    if sum(sizes) > os.fstat(file.fileno()).st_size - file.tell():
        raise SeenStoreError(f"{path} is shorter than its header says: restore a copy, or delete it to start anew")
    counts, body = map(file.read, sizes)
    sound = crc32(counts, crc32(body)) == header["checksum"]
    blocks = (body[at : at + _BLOCK] for at in range(0, len(body), _BLOCK))
    return FingerprintTable.from_records(blocks, header["snapshot"]), sound


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
    damaged = SeenStoreError(f"{path} has a damaged header: restore a copy, or delete it to start anew")
    try:
        header: dict[str, Any] = {"stamps": [], "buckets": 0, "snapshot": 0, "checksum": 0} | json.loads(rest)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged from error
    if not are_stamps(header["stamps"]) or not all(_is_count(header[name]) for name in ("buckets", "snapshot")):
        raise damaged
    return header


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0


def format_header(header: dict[str, Any]) -> bytes:
    """One page; the oldest stamps are left out where they do not fit."""
    stamps = header.get("stamps", [])
    for skip in range(len(stamps) + 1):
        text = json.dumps(header | {"stamps": stamps[skip:]}, sort_keys=True).encode("ascii")
        page = MAGIC + str(FORMAT).encode("ascii") + b"\n" + text
        if len(page) < HEADER_BYTES:
            return page.ljust(HEADER_BYTES - 1) + b"\n"
    raise SeenStoreError(f"the stamp of a seen file must fit into {HEADER_BYTES} bytes")
