"""The file of the memory store: a header, a snapshot, and what was added since.

Layout, little-endian throughout:

- bytes 0 to 4095: `urinorm-seen 1`, a line break, the header as one line of JSON, spaces: `head` shows it.
- the snapshot: how many records each of the table's buckets has (uint32 each), then the records, 20 bytes each, bucket
  after bucket. The header holds its geometry and checksum.
- the tail: records of 24 bytes, the fingerprint and its CRC-32, one `write` each and unbuffered, so that what was
  answered is in the operating system's hands when the process is killed.

A record torn by a kill is cut off before anything is appended; a damaged one (power loss) is skipped and counted. The
snapshot is replaced atomically.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

from scrapy_urinorm.seen import snapshot
from scrapy_urinorm.seen.protocol import RECORD_BYTES, SeenStoreError, SeenStoreLostError
from scrapy_urinorm.seen.table import FingerprintTable, records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

logger = logging.getLogger("scrapy_urinorm.seen")

FILE_NAME = "urinorm.seen"
_ENTRY = Struct(f"<{RECORD_BYTES}sI")
# about 100 kB at a time; a tail of fewer records than these is not worth a snapshot
_READ_ENTRIES = 4096
_BULK_RECORDS = 100_000
# A tail that is this share of the snapshot is rewritten: in all, nine times the file's final size.
_REWRITE_SHARE = 8
_POLL_RECORDS = 1000
_FREED_BUCKETS = 4096


class _Rewriting(threading.Thread):
    """Writes a snapshot of the table as it is now; buckets are immutable, so a copy of their list is enough."""

    def __init__(self, path: Path, header: dict[str, Any], table: FingerprintTable, mark: int):
        super().__init__(name="urinorm-seen-snapshot", daemon=True)
        self._path = path
        self._buckets = list(table.snapshot())
        self.header = header
        self.mark = mark
        """Where in the old file the records start that the snapshot lacks."""
        self.end = 0
        self.error: OSError | None = None
        self.start()

    def run(self) -> None:
        """Write; `header` and `end` are those of the new file, or `error` says why there is none."""
        try:
            self.header, self.end = snapshot.write(self._path, self.header, self._buckets)
        except OSError as error:
            self.error = error
        # in steps: freeing millions of buckets at once would stop the crawl
        while self._buckets:
            del self._buckets[-_FREED_BUCKETS:]


class Journal:
    """One journal file, open for appending. The caller holds the folder's lock.

    `header` is plain JSON data: `stamps` (a list, the newest last) and `imported` belong to the store,
    `buckets`, `snapshot` and `checksum` to the snapshot. A tail that has become long is made a snapshot in a
    thread while the crawl goes on, so that the start after a kill is fast too.
    """

    rewrite_records = 500_000

    def __init__(self, path: Path):
        self._path = path
        self._fd = -1
        self._end = 0
        self._rewrite_at = 0
        self._rewriting: _Rewriting | None = None
        self.table = FingerprintTable()
        """What the file holds, once it is loaded or made; the store's own."""
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
            self._scratch.unlink(missing_ok=True)
            self._open_at(0)
            with self._path.open("rb") as file:
                self.header = snapshot.parse_header(self._path, file.read(snapshot.HEADER_BYTES))
                table, sound = snapshot.read(self._path, file, self.header)
                # which records of a damaged snapshot cannot be told; a wrong one costs one page fetched again
                self.damaged = 0 if sound else 1
                size = os.fstat(self._fd).st_size - file.tell()
                self.torn = size % _ENTRY.size
                self.tail = size // _ENTRY.size
                self._end = file.tell() + self.tail * _ENTRY.size
                if self.torn:
                    os.ftruncate(self._fd, self._end)
                os.lseek(self._fd, self._end, os.SEEK_SET)
                self._rewrite_at = max(self.rewrite_records, self.header["snapshot"] // _REWRITE_SHARE)
                return self._load_tail(file, table)

    def _load_tail(self, file: BinaryIO, table: FingerprintTable) -> FingerprintTable:
        if self.tail > max(len(table), _BULK_RECORDS):
            blocks = chain(table.snapshot(), self._blocks(file))
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
                if self.tail >= self._rewrite_at:
                    # the record just written is not in the table yet
                    self._advance_rewriting(self._end - _ENTRY.size)
                return
            reason = "No space left on device"
        except OSError as error:
            reason = error.strerror or str(error)
        self._undo(reason)

    def append_many(self, records: list[bytes]) -> None:
        """Hand many records over in one write. Raises SeenStoreLostError, the file being as before."""
        if self.tail >= self._rewrite_at:
            self._advance_rewriting(self._end)
        data = b"".join([record + crc32(record).to_bytes(4, "little") for record in records])
        view = memoryview(data)
        try:
            while view:
                # Linux writes at most 2 GiB at once; a disk that fills up writes less and fails the next time
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            self._undo(error.strerror or str(error))
        self._end += len(data)
        self.tail += len(records)

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
            os.write(self._fd, snapshot.format_header(self.header))
            os.lseek(self._fd, self._end, os.SEEK_SET)

    def write_snapshot(self, table: FingerprintTable) -> None:
        """Replace the file, atomically, by a snapshot without a tail. Raises SeenStoreError, the old one intact."""
        if self._rewriting is not None:
            self._rewriting.join()
            self._rewriting = None
        try:
            with _explained(self._path, "write"):
                header, end = snapshot.write(self._scratch, self.header, table.snapshot())
                self._replace(header, end, 0)
        except SeenStoreError:
            self._drop_scratch()
            raise
        self.damaged = 0

    def _replace(self, header: dict[str, Any], end: int, tail: int) -> None:
        # Windows replaces no open file
        self._close_file()
        try:
            self._scratch.replace(self._path)
        except OSError:
            self._open_at(self._end)
            raise
        self._open_at(end)
        self.header, self._end, self.tail = header, end, tail
        self._rewrite_at = tail + max(self.rewrite_records, header["snapshot"] // _REWRITE_SHARE)

    def _drop_scratch(self) -> None:
        with contextlib.suppress(OSError):
            self._scratch.unlink()

    def _advance_rewriting(self, mark: int) -> None:
        """Begin to rewrite the file in a thread, or, when that is done, take the new one. Raises nothing.

        `mark`: where in the file the records end that the table has.
        """
        self._rewrite_at = self.tail + _POLL_RECORDS
        if self._rewriting is None:
            self._rewriting = _Rewriting(self._scratch, self.header, self.table, mark)
        elif not self._rewriting.is_alive():
            self._take_rewritten(self._rewriting)

    def _take_rewritten(self, done: _Rewriting) -> None:
        self._rewriting = None
        try:
            if done.error is not None:
                raise done.error
            with self._path.open("rb") as old, self._scratch.open("ab") as new:
                old.seek(done.mark)
                missing = old.read(self._end - done.mark)
                new.write(missing)
            self._replace(done.header, done.end + len(missing), len(missing) // _ENTRY.size)
        except OSError as error:
            self._drop_scratch()
            self._rewrite_at = 2 * self.tail
            logger.warning("Seen store: %s was not rewritten, the next start will take longer: %s", self._path, error)

    def _open_at(self, end: int) -> None:
        self._fd = os.open(self._path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        os.lseek(self._fd, end, os.SEEK_SET)

    def size(self) -> int:
        """Bytes of the file."""
        return self._end

    def settle(self) -> None:
        """Wait for a rewriting that is under way."""
        if self._rewriting is not None:
            self._rewriting.join()
            self._take_rewritten(self._rewriting)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self.settle()
        self._close_file()

    def _close_file(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def _scratch(self) -> Path:
        return self._path.with_name(self._path.name + ".new")


@contextlib.contextmanager
def _explained(path: Path, verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SeenStoreError(f"cannot {verb} {path}: {error.strerror or error}") from error
