"""What every seen store offers, and how it says that it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.seen.stamp import Stamp, StampChange

RECORD_BYTES = 20
"""Length of a stored fingerprint, that of SHA-1: Scrapy's fingerprints are kept whole."""


class SeenStoreError(UrinormError):
    """A seen store cannot be opened, read or written; the message says which one, why, and what to do."""


class SeenStoreLostError(SeenStoreError):
    """An open seen store can no longer keep its promise (disk full, Redis gone, data evicted): stop the crawl.

    The fingerprint whose `add` raised it was not recorded.
    """


def as_record(fp: bytes) -> bytes:
    """The stored form of a fingerprint: 20 bytes as they are, any other length as a 20-byte BLAKE2b of them."""
    return fp if len(fp) == RECORD_BYTES else blake2b(fp, digest_size=RECORD_BYTES).digest()


def miscounted(known: int, listed: int) -> list[str]:
    """What is wrong, in words, where a store counts so many fingerprints and iteration gives so many."""
    return [] if listed == known else [f"{known} fingerprints are counted, {listed} can be read"]


@runtime_checkable
class SeenStore(Protocol):
    """An exact set of request fingerprints that outlives the process, or is shared, or both.

    Fingerprints are bytes. 20 bytes (Scrapy's length) are kept whole; any other length is kept as its 20-byte BLAKE2b
    digest, and that is what iteration gives back. No method may be called before `open` or after `close`. Stores
    are not thread-safe: Scrapy asks from one thread.
    """

    @property
    def changes(self) -> tuple[StampChange, ...]:
        """What in the stamp differs from the run before; empty for a new store. Known after `open`."""

    def open(self) -> None:
        """Acquire and load. Raises SeenStoreError, with nothing left open, when the store cannot be used."""

    def add(self, fp: bytes) -> bool:
        """Record a fingerprint; True when it was new.

        What was answered survives a kill -9 of the process, unless the store was told to `hold`. Raises
        SeenStoreLostError.
        """

    def add_many(self, fps: Iterable[bytes]) -> int:
        """Record many (an import, a seed list), in bulk; returns how many were new. Raises SeenStoreLostError."""

    def hold(self) -> bool:
        """Write nothing from now on before `flush`; False where the store is shared and cannot wait.

        So the caller can write down first what a fingerprint stands for. What was not flushed is not in the store of
        the next run.
        """

    def flush(self) -> None:
        """Write what was held back. Raises SeenStoreLostError."""

    def __contains__(self, fp: bytes, /) -> bool: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[bytes]:
        """The stored 20-byte records, in no order."""

    def clear(self) -> None:
        """Forget every fingerprint."""

    def compact(self) -> None:
        """Rewrite what is stored in its smallest form. Raises SeenStoreError, nothing being lost."""

    def stamps(self) -> list[Stamp]:
        """What the fingerprints were made under, oldest first, each with the time `since`."""

    def problems(self, listed: int) -> list[str]:
        """What is wrong with the stored data, in words, given how many fingerprints iteration gave."""

    def stats(self) -> dict[str, int]:
        """Plain numbers for the crawl's stats: `count`, `memory_bytes`, `disk_bytes`, `round_trips`, ..."""

    def close(self) -> None:
        """Let go; what was held back and not flushed is dropped. May be called twice."""


@runtime_checkable
class AsksOthers(Protocol):
    """A store that asks elsewhere for what it does not know by itself, and calls `before` first, where it is set."""

    before: Callable[[], object] | None


@runtime_checkable
class KeepsOrder(Protocol):
    """A store with a file in which fingerprints stand in the order in which they came."""

    @property
    def folder(self) -> Path | None:
        """Where the file is; None where there is none."""

    @property
    def written(self) -> int:
        """How many the file has; 0 where there is none. Those that are held count."""

    def cut(self, written: int) -> None:
        """Forget all but so many of the file. Raises SeenStoreError."""


@runtime_checkable
class TellsOutcomes(Protocol):
    """A store that processes share, and that knows what became of what they recorded: see `RedisOutcomes`."""

    @property
    def forgets(self) -> bool:
        """Whether fingerprints expire."""

    def add(self, fp: bytes, text: Callable[[], bytes] | None = None) -> bool:
        """As of any store; under way until its outcome is told where `text` gives the digest of a URL's text."""

    def asked(self, script: str, rows: Sequence[list[Any]]) -> list[Any]:
        """The answers of a script to some questions. Raises SeenStoreLostError."""
