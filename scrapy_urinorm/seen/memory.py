"""The default store: all fingerprints in memory, and in a journal where there is a folder for one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from scrapy_urinorm.seen.protocol import SeenStoreError, as_record, miscounted
from scrapy_urinorm.seen.stamp import Stamp, StampChange, compare_last, dated
from scrapy_urinorm.seen.table import FingerprintTable

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.seen.journal import SeenJournal
    from scrapy_urinorm.seen.lock import FolderLock

logger = logging.getLogger("scrapy_urinorm.seen")

# fingerprints a write: one call of the system for thousands
_BATCH = 10_000


class MemoryStore:
    """Every fingerprint in a `FingerprintTable`; with `directory` also in the file `urinorm.seen` there.

    A folder that holds Scrapy's `requests.seen` has it imported, again whenever Scrapy has changed it since.
    """

    def __init__(
        self, directory: Path | None = None, *, stamp: Mapping[str, str] | None = None, import_scrapys: bool = True
    ):
        self._directory = directory
        self._stamp = stamp
        self._import_scrapys = import_scrapys
        self._journal: SeenJournal | None = None
        self._lock: FolderLock | None = None
        self._held: list[bytes] | None = None
        self.changes: tuple[StampChange, ...] = ()
        self._use(FingerprintTable())

    def _use(self, table: FingerprintTable) -> None:
        self._table = table
        if self._journal is not None:
            table.on_new(self._journal.append if self._held is None else self._held.append)
        self.add: Callable[[bytes], bool] = table.add
        """Record a fingerprint; True when it was new. Raises SeenStoreLostError when the journal cannot be written."""

    def open(self) -> None:
        """Lock the folder, load the journal, import what Scrapy left. Raises SeenStoreError."""
        if self._directory is None:
            return
        # what a crawl without a folder does without
        from scrapy_urinorm.seen import requests_seen
        from scrapy_urinorm.seen.journal import FILE_NAME, SeenJournal
        from scrapy_urinorm.seen.lock import FolderLock

        self._lock = FolderLock(self._directory / f"{FILE_NAME}.lock")
        self._lock.acquire()
        try:
            self._journal = journal = SeenJournal(self._directory / FILE_NAME)
            if journal.exists():
                self._use(journal.load())
                self._report_repairs(journal)
                self._compare_stamps(journal)
            else:
                journal.header = {"stamps": [] if self._stamp is None else [dated(self._stamp)]}
                journal.rewrite(self._table)
                self._use(self._table)
            if self._import_scrapys:
                self._import_requests_seen(self._directory / requests_seen.FILE_NAME)
        except BaseException:
            # whatever it was: a lock that stays would keep the next crawl of this process out
            self.close()
            raise

    def _report_repairs(self, journal: SeenJournal) -> None:
        if journal.torn:
            logger.info("Seen store: cut off %d bytes of a fingerprint that a killed process left behind", journal.torn)
        if journal.damaged:
            logger.warning(
                "Seen store: %d damaged records in %s were skipped; the pages they stood for may be fetched again",
                journal.damaged,
                self._directory,
            )

    def _compare_stamps(self, journal: SeenJournal) -> None:
        self.changes, write = compare_last(journal.header["stamps"], self._stamp, self._directory)
        if write:
            journal.write_header()

    def _import_requests_seen(self, path: Path) -> None:
        from scrapy_urinorm.seen.requests_seen import read_fingerprints

        journal = self._journal
        assert journal is not None
        try:
            status = path.stat()
        except FileNotFoundError:
            return
        mark = [status.st_size, status.st_mtime_ns]
        if journal.header.get("imported") == mark:
            return
        try:
            count = self.add_many(read_fingerprints(path))
        except OSError as error:
            raise SeenStoreError(f"cannot read {path}: {error.strerror or error}") from error
        journal.header["imported"] = mark
        journal.write_header()
        logger.info("Seen store: imported %d fingerprints from %s", count, path)

    def add_many(self, fps: Iterable[bytes]) -> int:
        """Record many, in batches of one write each; returns how many were new. Raises SeenStoreLostError."""
        if self._journal is None:
            return sum(map(self.add, fps))
        rest = iter(fps)
        total = 0
        while batch := dict.fromkeys(map(as_record, islice(rest, _BATCH))):
            new = [fp for fp in batch if fp not in self._table]
            if self._held is None:
                self._journal.append_many(new)
            else:
                self._held += new
            total += self._table.insert_many(new)
        return total

    def hold(self) -> bool:
        """Write nothing from now on before `flush`."""
        if self._journal is not None and self._held is None:
            self._held = []
            self._table.on_new(self._held.append)
        return True

    def flush(self) -> None:
        """Write what was held back, in one go. Raises SeenStoreLostError; it is held then as before."""
        if self._held and self._journal is not None:
            self._journal.append_many(self._held)
            self._held.clear()

    @property
    def folder(self) -> Path | None:
        """Where the file is; None where there is none."""
        return self._directory

    @property
    def written(self) -> int:
        """How many records the file has, those that are held included; 0 where there is none."""
        return (0 if self._journal is None else self._journal.records) + len(self._held or ())

    def cut(self, written: int) -> None:
        """Forget all but so many of these. Raises SeenStoreError. To be called before any is held."""
        if self._journal is not None and written < self._journal.records:
            self._journal.cut(written)
            self._use(self._journal.load())

    def __contains__(self, fp: bytes) -> bool:
        return fp in self._table

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._table)

    def clear(self) -> None:
        """Forget every fingerprint, in the file as well. Raises SeenStoreError."""
        table = FingerprintTable()
        if self._held:
            self._held.clear()
        if self._journal is not None:
            self._journal.rewrite(table)
        self._use(table)

    def compact(self) -> None:
        """Rewrite the file without what is damaged. Raises SeenStoreError, nothing being lost."""
        if self._journal is not None:
            self._journal.rewrite(self._table)

    def stamps(self) -> list[Stamp]:
        """What the fingerprints were made under, oldest first; those that the header has room for."""
        return [] if self._journal is None else list(self._journal.header["stamps"])

    def problems(self, listed: int) -> list[str]:
        """Damage that was found when the file was read."""
        found = miscounted(len(self), listed)
        if self._journal is not None and self._journal.damaged:
            found.append(f"{self._journal.damaged} damaged records in the file, which `compact` drops")
        return found

    def stats(self) -> dict[str, int]:
        """`count`, `memory_bytes` and, with a folder, `disk_bytes`."""
        numbers = {"count": len(self._table), "memory_bytes": self._table.memory_bytes()}
        if self._journal is not None:
            numbers["disk_bytes"] = self._journal.size()
        return numbers

    def close(self) -> None:
        """Release the folder."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
