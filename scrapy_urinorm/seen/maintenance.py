"""What the `seen` command does: look into a store, move its content, repair and shrink it.

A *place* is what a person types: a job's folder (JOBDIR), a store's own file or folder (`urinorm.seen`,
`urinorm.seen.d`), Scrapy's `requests.seen`, a text file of hexadecimal fingerprints, or a Redis URL, whose keys are
said by `prefix`. Every function opens the place, does one thing, and closes it again; a running crawl holds its
folder, so it answers SeenStoreError then. Redis can be asked while workers run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from scrapy_urinorm.seen import disk as disk_store
from scrapy_urinorm.seen import journal as journal_file
from scrapy_urinorm.seen import requests_seen
from scrapy_urinorm.seen.protocol import SeenStore, SeenStoreError, as_record
from scrapy_urinorm.seen.redis_address import is_redis
from scrapy_urinorm.whole_files import replacing

if TYPE_CHECKING:
    from scrapy_urinorm.seen.stamp import Stamp

Kind = Literal["memory", "disk", "redis", "requests.seen"]
ExportFormat = Literal["text", "scrapy"]


class Verification(NamedTuple):
    """What `verify` found: how many `fingerprints` can be read; `problems` is empty for a sound store."""

    kind: Kind
    fingerprints: int
    problems: tuple[str, ...]
    stamps: tuple[Stamp, ...]
    """What the fingerprints were made under, oldest first, each with the time `since`."""


def kind_of(place: str) -> Kind:
    """What is at a place. Raises SeenStoreError, which names what was looked for, when there is nothing."""
    if is_redis(place):
        return "redis"
    path = Path(place)
    if path.is_file():
        with path.open("rb") as file:
            return "memory" if file.read(13) == b"urinorm-seen " else "requests.seen"
    if (path / journal_file.FILE_NAME).is_file():
        return "memory"
    if (path / disk_store.FOLDER_NAME).is_dir() or disk_store.is_store(path):
        return "disk"
    if (path / requests_seen.FILE_NAME).is_file():
        return "requests.seen"
    names = f"{journal_file.FILE_NAME}, {disk_store.FOLDER_NAME} or {requests_seen.FILE_NAME}"
    raise SeenStoreError(f"{place}: no seen store here; expected a folder with {names}, such a file, or a redis:// URL")


@contextmanager
def opened(place: str, *, prefix: str = "urinorm", create: bool = False) -> Iterator[SeenStore]:
    """The store at a place, opened as it is: no stamp is compared or written. Raises SeenStoreError.

    `create`: a place without a store gets an empty one: in Redis, or in a folder that exists, as a journal.
    """
    path = Path(place)
    new = create and not is_redis(place) and path.is_dir() and _is_empty(path)
    kind = "memory" if new else kind_of(place)
    if kind == "requests.seen":
        raise SeenStoreError(f"{place} is Scrapy's file: import it into a store first")
    if kind == "redis":
        from scrapy_urinorm.seen.redis import RedisStore

        store: SeenStore = RedisStore(place, prefix=prefix, create=create)
    elif kind == "memory":
        from scrapy_urinorm.seen.memory import MemoryStore

        store = MemoryStore(path.parent if path.is_file() else path, import_scrapys=False)
    else:
        store = disk_store.DiskStore(path if disk_store.is_store(path) else path / disk_store.FOLDER_NAME)
    store.open()
    try:
        yield store
    finally:
        store.close()


def _is_empty(folder: Path) -> bool:
    names = (journal_file.FILE_NAME, disk_store.FOLDER_NAME)
    return not any((folder / name).exists() for name in names) and not disk_store.is_store(folder)


def count(place: str, *, prefix: str = "urinorm") -> int:
    """How many fingerprints a place holds. Raises SeenStoreError."""
    if kind_of(place) == "requests.seen":
        return len({*map(as_record, _scrapys(place))})
    with opened(place, prefix=prefix) as store:
        return len(store)


def contains(place: str, fps: Iterable[bytes], *, prefix: str = "urinorm") -> list[bool]:
    """For each fingerprint whether it is there. The caller makes them of URLs. Raises SeenStoreError."""
    if kind_of(place) == "requests.seen":
        known = {*map(as_record, _scrapys(place))}
        return [as_record(fp) in known for fp in fps]
    with opened(place, prefix=prefix) as store:
        return [fp in store for fp in fps]


def sizes(place: str, *, prefix: str = "urinorm") -> dict[str, int]:
    """The store's `stats`: count, bytes in memory and on disk. Raises SeenStoreError."""
    with opened(place, prefix=prefix) as store:
        return store.stats()


def fingerprints(place: str, *, prefix: str = "urinorm") -> Iterator[bytes]:
    """All fingerprints of a place, as 20-byte records. Raises SeenStoreError."""
    if kind_of(place) == "requests.seen":
        yield from map(as_record, _scrapys(place))
        return
    with opened(place, prefix=prefix) as store:
        yield from store


def export(place: str, target: Path, form: ExportFormat = "text", *, prefix: str = "urinorm") -> int:
    """Write all fingerprints to a file, whole or not at all; returns how many. A file that is there is not overwritten.

    `text`: a line of 40 hexadecimal digits each, which Scrapy up to 2.18 reads as `requests.seen`; `scrapy`: the
    `requests.seen` of Scrapy 2.19 and later. Raises SeenStoreError.
    """
    write = requests_seen.write_text if form == "text" else requests_seen.write_binary
    if target.exists() or target.is_symlink():
        raise SeenStoreError(f"{target} exists already: choose another name, or delete it")
    try:
        with replacing(target) as partial:
            return write(partial, fingerprints(place, prefix=prefix))
    except OSError as error:
        raise SeenStoreError(f"cannot write {target}: {error.strerror or error}") from error


def import_(source: str, store: SeenStore, *, prefix: str = "urinorm") -> int:
    """Add all fingerprints of a place to an opened store; returns how many were new. Raises SeenStoreError."""
    return store.add_many(fingerprints(source, prefix=prefix))


def compact(place: str, *, prefix: str = "urinorm") -> tuple[int, int]:
    """Rewrite a store in its smallest form; returns the bytes on disk before and after. Raises SeenStoreError.

    A journal is written anew without what is damaged; a database drops what has expired; Redis needs neither (0, 0).
    """
    with opened(place, prefix=prefix) as store:
        before = store.stats().get("disk_bytes", 0)
        store.compact()
        return before, store.stats().get("disk_bytes", 0)


def clear(place: str, *, prefix: str = "urinorm") -> int:
    """Forget every fingerprint of a store; returns how many there were. Raises SeenStoreError.

    Workers that are still running on a store in Redis stop with an error.
    """
    with opened(place, prefix=prefix) as store:
        there = len(store)
        store.clear()
        return there


def verify(place: str, *, prefix: str = "urinorm") -> Verification:
    """Read everything and compare it with its checksums and counts. Raises SeenStoreError when it cannot be opened.

    Nothing is changed but a record that a kill has torn, which opening cuts off.
    """
    kind = kind_of(place)
    if kind == "requests.seen":
        return Verification(kind, count(place), (), ())
    with opened(place, prefix=prefix) as store:
        listed = sum(1 for _ in store)
        return Verification(kind, listed, tuple(store.problems(listed)), tuple(store.stamps()))


def _scrapys(place: str) -> Iterator[bytes]:
    path = Path(place)
    try:
        yield from requests_seen.read_fingerprints(path / requests_seen.FILE_NAME if path.is_dir() else path)
    except OSError as error:
        raise SeenStoreError(f"cannot read {path}: {error.strerror or error}") from error
