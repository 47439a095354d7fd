"""The store for what does not fit in memory, or is to be remembered between runs: RocksDB in a folder."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.extras import MissingExtraError
from scrapy_urinorm.seen.lock import FolderLock
from scrapy_urinorm.seen.protocol import RECORD_BYTES, SeenStoreError, SeenStoreLostError, as_record, miscounted
from scrapy_urinorm.seen.recent import RecentForever, RecentTimed
from scrapy_urinorm.seen.rocksdb import options
from scrapy_urinorm.seen.stamp import Stamp, StampChange, are_stamps, compare_last
from scrapy_urinorm.temporary import make_temporary, remove_temporary
from scrapy_urinorm.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger("scrapy_urinorm.seen")

FOLDER_NAME = "urinorm.seen.d"
_META_NAME = "urinorm.json"
_DATABASE_NAME = "rocksdb"
_FORMAT = 1
# chosen for constant memory with those of rocksdb.py, 300 to 400 MB however many fingerprints (docs/seen.md)
_BATCH = 10_000
_RECENT = 100_000
_TIME_BYTES = 4


class DiskStore:
    """Every fingerprint in a RocksDB database, with the time at which it was new; memory is bounded (300 to 400 MB).

    `folder` is made when it is missing; None is a temporary one, deleted by `close`. `ttl` in seconds.
    RocksDB's write-ahead log goes to the operating system with every `add` and is not synced: a killed process loses
    nothing, a power failure the last moments. What has expired is dropped whenever RocksDB merges its files.
    """

    def __init__(self, folder: Path | None = None, *, stamp: Mapping[str, str] | None = None, ttl: float | None = None):
        self._folder = folder
        self._temporary = folder is None
        self._stamp = stamp
        self._ttl = ttl
        self._recent = RecentForever(_RECENT, set) if ttl is None else RecentTimed(_RECENT)
        self._lock: FolderLock | None = None
        self._database: Any = None
        self._meta: dict[str, Any] = {}
        self._held: dict[bytes, int] | None = None
        self.changes: tuple[StampChange, ...] = ()

    def open(self) -> None:
        """Lock the folder, open the database (a crash is repaired by its log). Raises SeenStoreError."""
        try:
            import rocksdict  # noqa: F401 - a missing extra is reported before anything is written
        except ImportError as error:
            raise MissingExtraError("The seen store 'disk'", "disk") from error
        if self._folder is None:
            self._folder = make_temporary("seen")
        folder = self._folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SeenStoreError(f"cannot make the folder {folder}: {error.strerror or error}") from error
        self._lock = FolderLock(folder / "lock")
        self._lock.acquire()
        try:
            self._read_meta(folder / _META_NAME)
            self._open_database()
            if not (folder / _META_NAME).exists():
                self._write_meta()
            if self._compare_stamps():
                self._write_meta()
        except BaseException:
            self.close()
            raise

    def _read_meta(self, path: Path) -> None:
        try:
            self._meta = {"format": None, "stamps": [], "timed": False} | json.loads(path.read_bytes())
        except FileNotFoundError:
            self._meta = {"format": _FORMAT, "stamps": [], "timed": False}
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise SeenStoreError(f"cannot read {path}: {error}; restore a copy, or delete the folder") from error
        if self._meta["format"] != _FORMAT:
            raise SeenStoreError(
                f"{path} has format {self._meta['format']}, this version reads {_FORMAT}: use the version of "
                "scrapy-urinorm that wrote it, or delete the folder to start anew"
            )
        if not are_stamps(self._meta["stamps"]):
            raise SeenStoreError(f"{path} is damaged: restore a copy, or delete the folder")

    def _write_meta(self) -> None:
        assert self._folder is not None
        path = self._folder / _META_NAME
        try:
            write_whole(path, json.dumps(self._meta, indent=1))
        except OSError as error:
            raise SeenStoreError(f"cannot write {path}: {error.strerror or error}") from error

    def _compare_stamps(self) -> bool:
        """Whether there is something new to write down."""
        self.changes, write = compare_last(self._meta["stamps"], self._stamp, self._folder)
        if self._ttl is not None and not self._meta["timed"]:
            self._meta["timed"] = write = True
        return write

    def _open_database(self) -> None:
        from rocksdict import AccessType, Rdict

        assert self._folder is not None
        path = self._folder / _DATABASE_NAME
        try:
            # 0: never; always of this type, because it adds its own time to every value
            access = AccessType.with_ttl(0 if self._ttl is None else max(1, round(self._ttl)))
            self._database = Rdict(str(path), options(), access_type=access)
            if self._ttl is not None:
                # files that nothing is merged into any more are looked at again in this time
                self._database.set_options({"periodic_compaction_seconds": str(max(60, round(self._ttl)))})
        except Exception as error:
            raise SeenStoreError(f"cannot open the database in {path}: {error}") from error

    def add(self, fp: bytes) -> bool:
        """Record a fingerprint; True when it was new, or had expired. Raises SeenStoreLostError."""
        if len(fp) != RECORD_BYTES:
            fp = as_record(fp)
        if fp in self._recent or self._left(fp) > 0:
            return False
        if self._held is not None:
            self._held[fp] = int(time.time())
            return True
        try:
            self._database.put(fp, int(time.time()).to_bytes(_TIME_BYTES, "big"))
        except Exception as error:
            raise self._lost("write", error) from error
        self._recent.add(fp, self._ttl or 0)
        return True

    def _left(self, fp: bytes) -> float:
        """Seconds for which a record is still known; 0 when it is not. Remembers a positive answer."""
        if self._held and fp in self._held:
            return self._ttl or 1
        try:
            value = self._database.get(fp)
        except Exception as error:
            raise self._lost("read", error) from error
        if value is None:
            return 0
        # a clock set back does not make anything live longer than from now on
        left = 1 if self._ttl is None else min(int.from_bytes(value, "big") + self._ttl - time.time(), self._ttl)
        if left > 0:
            self._recent.add(fp, left)
        return max(0, left)

    def _lost(self, verb: str, error: Exception) -> SeenStoreLostError:
        return SeenStoreLostError(f"cannot {verb} the database in {self._folder}: {error}. Nothing answered is lost")

    def hold(self) -> bool:
        """Write nothing from now on before `flush`."""
        if self._held is None:
            self._held = {}
        return True

    def flush(self) -> None:
        """Write what was held back, in one write. Raises SeenStoreLostError; it is held then as before."""
        if self._held:
            self._write(self._held)
            self._held.clear()

    def _write(self, times: Mapping[bytes, int]) -> None:
        from rocksdict import WriteBatch

        writes = WriteBatch(raw_mode=True)
        for fp, seconds in times.items():
            writes.put(fp, seconds.to_bytes(_TIME_BYTES, "big"))
        try:
            self._database.write(writes)
        except Exception as error:
            raise self._lost("write", error) from error

    def add_many(self, fps: Iterable[bytes]) -> int:
        """Record many, a batch per write; returns how many were new. Raises SeenStoreLostError."""
        rest = iter(fps)
        total = 0
        while batch := dict.fromkeys(map(as_record, islice(rest, _BATCH))):
            now = int(time.time())
            new = {fp: now for fp in batch if fp not in self._recent and not self._left(fp)}
            if self._held is None:
                self._write(new)
            else:
                self._held |= new
            total += len(new)
        return total

    def __contains__(self, fp: bytes) -> bool:
        fp = as_record(fp)
        return fp in self._recent or self._left(fp) > 0

    def __len__(self) -> int:
        """Exact, also after a kill; once a `ttl` was used RocksDB's estimate, which counts some that have expired."""
        if self._meta["timed"]:
            return int(self._database.property_int_value("rocksdb.estimate-num-keys") or 0)
        # every write is one new fingerprint, and RocksDB numbers its writes
        return int(self._database.latest_sequence_number()) + len(self._held or ())

    def __iter__(self) -> Iterator[bytes]:
        yield from self._held or ()
        for fp, value in self._database.items():
            if self._ttl is None or int.from_bytes(value, "big") + self._ttl > time.time():
                yield fp

    def clear(self) -> None:
        """Forget every fingerprint and delete the database's files. Raises SeenStoreError."""
        assert self._folder is not None
        self._database.close()
        self._recent.clear()
        if self._held:
            self._held.clear()
        try:
            shutil.rmtree(self._folder / _DATABASE_NAME)
        except OSError as error:
            raise SeenStoreError(f"cannot empty {self._folder}: {error.strerror or error}") from error
        self._open_database()

    def compact(self) -> None:
        """Merge all files into one level, which drops everything that has expired. Takes about 1 us a fingerprint."""
        self._database.flush()
        self._database.compact_range(None, None)

    def stamps(self) -> list[Stamp]:
        """What the fingerprints were made under, oldest first."""
        return list(self._meta["stamps"])

    def problems(self, listed: int) -> list[str]:
        """A count that differs; damaged blocks are errors of reading already."""
        return [] if self._meta["timed"] else miscounted(len(self), listed)

    def stats(self) -> dict[str, int]:
        """`count`, `memory_bytes` (RocksDB's and the local cache's) and `disk_bytes`."""
        assert self._folder is not None
        held = sum(self._database.property_int_value(f"rocksdb.{name}") or 0 for name in _MEMORY_PROPERTIES)
        return {
            "count": len(self),
            "memory_bytes": held + self._recent.memory_bytes(),
            "disk_bytes": _octets_in(self._folder / _DATABASE_NAME),
        }

    def close(self) -> None:
        """Let go of the database and the folder; a temporary one is deleted."""
        if self._database is not None:
            try:
                self._database.close()
            except Exception as error:  # noqa: BLE001 - all that rocksdict raises; what was answered is in the log file
                logger.warning("Seen store: the database in %s was not closed in good order: %s", self._folder, error)
            self._database = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if self._temporary and self._folder is not None:
            remove_temporary(self._folder)
            self._folder = None


def _octets_in(folder: Path) -> int:
    """The size of a folder's files; RocksDB takes some away meanwhile, in threads of its own."""
    total = 0
    for file in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def is_store(folder: Path) -> bool:
    """Whether a folder is a disk store's own."""
    return (folder / _META_NAME).is_file()


_MEMORY_PROPERTIES = ("block-cache-usage", "cur-size-all-mem-tables", "estimate-table-readers-mem")
