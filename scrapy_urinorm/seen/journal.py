"""The file of the memory store: a header, and a record of every fingerprint as it came.

Layout, little-endian throughout:

- bytes 0 to 4095: `urinorm-seen 1`, a line break, the header as one line of JSON, spaces: `head` shows it.
- records of 24 bytes, the fingerprint and its CRC-32, one `write` each and unbuffered, so that what was answered is in
  the operating system's hands when the process is killed.

Files from before the first release have a snapshot before the records: how many each of the table's buckets has (uint32
each), then 20 bytes a fingerprint, bucket after bucket. The header holds its geometry and checksum.

A record torn by a kill is cut off before anything is appended; a damaged one (power loss) is skipped and counted. There
are no others to be rid of, so nothing is ever rewritten behind a crawl's back: a million are loaded in half a second.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

from scrapy_urinorm.seen.buckets import records
from scrapy_urinorm.seen.protocol import RECORD_BYTES, SeenStoreError, SeenStoreLostError
from scrapy_urinorm.seen.stamp import are_stamps
from scrapy_urinorm.seen.table import FingerprintTable

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
MAGIC = b"urinorm-seen "
# a page of the disk, so that the header is written whole or not
HEADER_BYTES = 4096
_BLOCK = 4096 * RECORD_BYTES


def read_snapshot(path: Path, file: BinaryIO, header: dict[str, Any]) -> tuple[FingerprintTable, bool]:
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


FILE_NAME = "urinorm.seen"
_ENTRY = Struct(f"<{RECORD_BYTES}sI")
# about 100 kB at a time; from this many on a table is filled in one go
_READ_ENTRIES = 4096
_BULK_RECORDS = 100_000


class SeenJournal:
    """One journal file, open for appending. The caller holds the folder's lock.

    `header` is plain JSON data: `stamps` (a list, the newest last) and `imported` belong to the store,
    `buckets`, `snapshot` and `checksum` to the snapshot of files from before the first release.
    """

    def __init__(self, path: Path):
        self._path = path
        self._fd = -1
        self._end = 0
        self.header: dict[str, Any] = {}
        self.tail = 0
        """Records behind the snapshot."""
        self.damaged = 0
        """Records that were lost to damage, found by `load`."""
        self.torn = 0
        """Bytes of an incomplete record, cut off by `load`."""

    def exists(self) -> bool:
        """Whether there is a file to load."""
        return self._path.exists()

    def load(self) -> FingerprintTable:
        """Read, repair and open for appending. Raises SeenStoreError."""
        with _explained(self._path, "read"):
            # of a process that was killed while it wrote one
            self._path.with_name(self._path.name + ".new").unlink(missing_ok=True)
            self._open_at(0)
            with self._path.open("rb") as file:
                self.header = parse_header(self._path, file.read(HEADER_BYTES))
                table, sound = read_snapshot(self._path, file, self.header)
                # which records of a damaged snapshot cannot be told; a wrong one costs one page fetched again
                self.damaged = 0 if sound else 1
                size = os.fstat(self._fd).st_size - file.tell()
                self.torn = size % _ENTRY.size
                self.tail = size // _ENTRY.size
                self._end = file.tell() + self.tail * _ENTRY.size
                if self.torn:
                    os.ftruncate(self._fd, self._end)
                os.lseek(self._fd, self._end, os.SEEK_SET)
                return self._load_tail(file, table)

    def _load_tail(self, file: BinaryIO, table: FingerprintTable) -> FingerprintTable:
        if self.tail > max(len(table), _BULK_RECORDS):
            blocks = chain(table.blocks(), self._blocks(file))
            return FingerprintTable.from_records(blocks, len(table) + self.tail)
        for block in self._blocks(file):
            for record in records(block):
                table.add(record)
        return table

    def _blocks(self, file: BinaryIO) -> Iterator[bytes]:
        """The tail's sound records, many back to back."""
        left = self.tail
        while left:
            count = min(left, _READ_ENTRIES)
            entries = Struct("<" + f"{RECORD_BYTES}sI" * count).unpack(file.read(count * _ENTRY.size))
            left -= count
            fps, sums = entries[::2], entries[1::2]
            if tuple(map(crc32, fps)) != sums:
                sound = [fp for fp, checksum in zip(fps, sums, strict=True) if crc32(fp) == checksum]
                self.damaged += len(fps) - len(sound)
                fps = tuple(sound)
            yield b"".join(fps)

    def append(self, record: bytes) -> None:
        """Hand one record to the operating system. Raises SeenStoreLostError, the file being as before."""
        try:
            if os.write(self._fd, record + crc32(record).to_bytes(4, "little")) == _ENTRY.size:
                self._end += _ENTRY.size
                self.tail += 1
                return
            reason = "No space left on device"
        except OSError as error:
            reason = error.strerror or str(error)
        self._undo(reason)

    def append_many(self, records: list[bytes]) -> None:
        """Hand many records over in one write. Raises SeenStoreLostError, the file being as before."""
        data = _entries(records)
        view = memoryview(data)
        try:
            while view:
                # Linux writes at most 2 GiB at once; a disk that fills up writes less and fails the next time
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            self._undo(error.strerror or str(error))
        self._end += len(data)
        self.tail += len(records)

    @property
    def records(self) -> int:
        """Records of the file, sound or not."""
        return int(self.header["snapshot"]) + self.tail

    def cut(self, records: int) -> None:
        """Cut off all but so many, and never of the snapshot. Raises SeenStoreError; `load` is to be called then."""
        with _explained(self._path, "write"):
            os.ftruncate(self._fd, self._end - min(self.tail, self.records - records) * _ENTRY.size)
        self.close()

    def _undo(self, reason: str) -> None:
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, self._end)
            os.lseek(self._fd, self._end, os.SEEK_SET)
        raise SeenStoreLostError(
            f"cannot write {self._path}: {reason}. No fingerprint is lost; make room, then resume the crawl"
        )

    def write_header(self) -> None:
        """Store `header`. Raises SeenStoreError."""
        with _explained(self._path, "write"):
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, format_header(self.header))
            os.lseek(self._fd, self._end, os.SEEK_SET)

    def rewrite(self, table: FingerprintTable) -> None:
        """Replace the file, atomically, by one with these records alone. Raises SeenStoreError, the old one intact."""
        scratch = self._path.with_name(self._path.name + ".new")
        header = {**self.header, "buckets": 0, "snapshot": 0, "checksum": 0}
        try:
            with _explained(self._path, "write"):
                with scratch.open("wb") as file:
                    file.write(format_header(header))
                    for block in table.blocks():
                        file.write(_entries(records(block)))
                    file.flush()
                    os.fsync(file.fileno())
                    end = file.tell()
                # Windows replaces no open file
                self.close()
                try:
                    scratch.replace(self._path)
                except OSError:
                    self._open_at(self._end)
                    raise
                self._open_at(end)
        except SeenStoreError:
            with contextlib.suppress(OSError):
                scratch.unlink()
            raise
        self.header, self._end, self.tail, self.damaged = header, end, len(table), 0

    def _open_at(self, end: int) -> None:
        self._fd = os.open(self._path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        os.lseek(self._fd, end, os.SEEK_SET)

    def size(self) -> int:
        """Bytes of the file."""
        return self._end

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _entries(records: Iterable[bytes]) -> bytes:
    return b"".join([record + crc32(record).to_bytes(4, "little") for record in records])


@contextlib.contextmanager
def _explained(path: Path, verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SeenStoreError(f"cannot {verb} {path}: {error.strerror or error}") from error
