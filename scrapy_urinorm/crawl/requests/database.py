"""The SQLite database behind the file of requests: how it is opened, what it holds, what its errors say."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.requests.rows import SERVED, Row, State
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.temporary import make_temporary, remove_temporary

if TYPE_CHECKING:
    from pathlib import Path

_FORMAT = 1
# a page of SQLite's cache is 4 KiB; its own default of 2 MB is a batch's worth of rows
_CACHE_KIB = 4096

# the states of `SERVED`
_HELD = "state in ('released', 'later')"
_SCHEMA = f"""
create table if not exists requests (
  id integer primary key, state text not null, priority integer not null, slot text not null,
  generation integer not null, class blob, fingerprint blob, data blob not null);
create index if not exists waiting on requests (state, slot, priority, id) where {_HELD};
create index if not exists parked on requests (class, id) where state = 'parked';
create index if not exists later on requests (class, priority desc, id) where state = 'later';
create table if not exists notes (key blob primary key, text text not null) without rowid;
create index if not exists kept on requests (generation, id) where state = 'parked';
create table if not exists served (
  id integer primary key, site text not null, kind integer not null, url text not null);
create index if not exists by_site on served (site, id);
create table if not exists pieces (key blob primary key, text text not null) without rowid;
create table if not exists marks (name text primary key, value text not null);
"""

SELECT = "select id, state, priority, slot, data, fingerprint, class, generation from requests"
"""What `rows_of` makes rows of."""
ADVICE = "make room or mend the rights, then start the crawl again: what was written down is not lost"
_ANEW = "delete it, what was seen and the folder requests.queue to start anew: only it knows what waited"
_TEMPORARY = "make room there, name another folder in TMPDIR, or set a JOBDIR"


def rows_of(found: Iterable[Any]) -> list[Row]:
    """The rows that a query has found."""
    return [Row(number, State(state), *rest) for number, state, *rest in found]


def in_states(*states: State) -> str:
    """A condition on rows to be in any of these states, as SQLite has to read it to know which of its indexes serves.

    It is compared with the condition of an index word by word: none is used for a state that is bound as a value.
    """
    words = ", ".join(f"'{state}'" for state in states)
    found = f"state in ({words})" if len(states) > 1 else f"state = {words}"
    return f"{_HELD} and {found}" if set(states) <= {*SERVED} else found


class RequestsFileError(UrinormError):
    """The file cannot be opened, read or written; the message says which one and what to do."""


class RequestsFileInUseError(RequestsFileError):
    """Another process has the file."""


class RequestsDatabase:
    """A database of one process, which only its owner can read; in a temporary folder where `folder` is None.

    All methods but `close` raise RequestsFileError where the disk does not do its part.
    """

    def __init__(self, folder: Path | None, name: str):
        self._temporary = folder is None
        self.folder = folder
        self._name = name
        self._database: sqlite3.Connection | None = None
        self._holds = False

    def open(self, *, begun: bool = False) -> None:
        """Open or make it; a transaction that a kill has cut off is rolled back. One that was `begun` has tables."""
        try:
            self._open(begun=begun)
        except BaseException:
            self.close()
            raise

    def _open(self, *, begun: bool) -> None:
        with self._explained("open"):
            if self.folder is None:
                self.folder = make_temporary("requests")
                # a shell closes no crawl
                self._remove = weakref.finalize(self, remove_temporary, self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self.folder / self._name
            # SQLite gives its other files the rights of this one
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._database = database = sqlite3.connect(path, isolation_level=None, timeout=0)
            for pragma in (
                # one process: no shared memory, and a second crawl on the folder is refused
                "locking_mode = exclusive",
                "journal_mode = wal",
                # the operating system has what a killed process wrote; a power failure costs the last moments
                "synchronous = off",
                f"cache_size = -{_CACHE_KIB}",
            ):
                database.execute(f"pragma {pragma}")
            version = database.execute("pragma user_version").fetchone()[0]
            if begun and not version:
                # as a power failure leaves it, or a copy without the file beside it that ends with -wal
                raise RequestsFileError(f"{path} is empty: what waited in it is lost; restore a copy, or {_ANEW}")
            if version not in (0, _FORMAT):
                raise RequestsFileError(
                    f"{path} has format {version}, this version reads {_FORMAT}: use the version of scrapy-urinorm "
                    f"that wrote it, or {_ANEW}"
                )
            database.executescript(f"begin immediate; {_SCHEMA} pragma user_version = {_FORMAT}; commit;")
        self._name_holder()

    def _name_holder(self) -> None:
        # cosmetic, for the message to a second crawl: a full disk must not matter
        self._holds = True
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with contextlib.suppress(OSError), os.fdopen(os.open(self._holder, flags, 0o600), "w") as file:
            file.write(f"{os.getpid()}\n")

    @property
    def _holder(self) -> Path:
        assert self.folder is not None
        return self.folder / f"{self._name}.pid"

    def close(self) -> None:
        """Let go; may be called twice."""
        if self._holds:
            # before others may have the database; where another crawl has it, the name of its process stays
            self._holds = False
            with contextlib.suppress(OSError):
                self._holder.unlink()
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None
        if self._temporary and self.folder is not None:
            self._remove()
            self.folder = None

    @property
    def is_open(self) -> bool:
        """Whether it was opened and not closed."""
        return self._database is not None

    @contextlib.contextmanager
    def explained(self, verb: str) -> Iterator[sqlite3.Connection]:
        """The open database; its errors say what to do."""
        with self._explained(verb):
            assert self._database is not None
            yield self._database

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The open database, in a transaction of all or nothing."""
        with self.explained("write") as database:
            database.execute("begin immediate")
            try:
                yield database
                database.execute("commit")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    database.execute("rollback")
                raise

    @contextlib.contextmanager
    def _explained(self, verb: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            path = f"{tempfile.gettempdir() if self.folder is None else self.folder}/{self._name}"
            # an error of the system has no such code; of an extended one the lowest octet is the plain one
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                # SQLite has one error for a lock that is held and one that cannot be had
                holder = ", or its disk lends no locks"
                with contextlib.suppress(OSError, ValueError):
                    holder = f" (process {int(self._holder.read_text('ascii'))})"
                raise RequestsFileInUseError(
                    f"{self.folder} is in use by another crawl{holder}: wait until it ends, or give this crawl its own "
                    "JOBDIR"
                ) from error
            if isinstance(error, sqlite3.OperationalError | OSError):
                advice = _TEMPORARY if self._temporary else ADVICE
            else:
                advice = f"the file is damaged: restore a copy, or {_ANEW}"
            raise RequestsFileError(f"cannot {verb} {path}: {error}; {advice}") from error
