"""Positive answers of a slower store, kept in memory: a bounded cache of what is known to be seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.seen.table import FingerprintTable


class RecentForever:
    """The last `limit / 2` to `limit` records, for a store that never forgets: such an answer cannot change.

    Two generations: a full one takes the place of the old one, which is dropped as a whole. A hit in the old one
    renews it. `make` gives an empty generation: a plain set (100 bytes a record, fast) or a FingerprintTable (27).
    """

    def __init__(self, limit: int, make: Callable[[], set[bytes]] | Callable[[], FingerprintTable]):
        self._half = max(1, limit // 2)
        self._make = make
        self._young = make()
        self._old = make()

    def __contains__(self, record: bytes) -> bool:
        if record in self._young:
            return True
        if record in self._old:
            self.add(record)
            return True
        return False

    def add(self, record: bytes, seconds: float = 0) -> None:
        """Remember a record that the store has."""
        self._young.add(record)
        if len(self._young) >= self._half:
            self._old, self._young = self._young, self._make()

    def clear(self) -> None:
        """Forget all."""
        self._young = self._make()
        self._old = self._make()

    def memory_bytes(self) -> int:
        """Bytes held, about."""
        kept = (self._young, self._old)
        return sum(100 * len(part) if isinstance(part, set) else part.memory_bytes() for part in kept)


class RecentTimed:
    """The same for a store that forgets: every record comes with the seconds it has left there. 170 bytes a record."""

    def __init__(self, limit: int):
        self._half = max(1, limit // 2)
        self._young: dict[bytes, float] = {}
        self._old: dict[bytes, float] = {}

    def __contains__(self, record: bytes) -> bool:
        until = self._young.get(record) or self._old.get(record)
        return until is not None and time.monotonic() < until

    def add(self, record: bytes, seconds: float) -> None:
        """Remember a record that the store has for `seconds` more."""
        self._young[record] = time.monotonic() + seconds
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}

    def clear(self) -> None:
        """Forget all."""
        self._young = {}
        self._old = {}

    def memory_bytes(self) -> int:
        """Bytes held, about."""
        return 170 * (len(self._young) + len(self._old))
