"""An exact, compact set of 20-byte records: in C where that was built (`table.c`), else in plain Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scrapy_urinorm.engine import native
from scrapy_urinorm.seen.buckets import Buckets, records
from scrapy_urinorm.seen.protocol import RECORD_BYTES, as_record

_BLOCK = 4096 * RECORD_BYTES


class FingerprintTable:
    """Set of 20-byte records: 23 to 31 bytes each at any size, where a set of `bytes` takes 90 to 120.

    No insert waits for all records to be placed anew. `add` inserts a fingerprint of any length, as its record, and
    says whether it was new: the one call of the hot path, hence the method of the table within and no detour.
    """

    __slots__ = ("_act", "_table", "add")

    def __init__(self, *, in_c: bool = native.module is not None):
        self._act: Callable[[bytes], None] | None = None
        self._table: Any = native.module.Table(as_record) if in_c and native.module is not None else Buckets()
        self.add: Callable[[bytes], bool] = self._table.add

    def on_new(self, act: Callable[[bytes], None]) -> None:
        """Have `act` called with every new record before `add` inserts it; when it raises, nothing is inserted."""
        self._act = act
        self._table.on_new(act)

    def insert_many(self, records: Iterable[bytes]) -> int:
        """Insert records that are already written down: without the hook. Returns how many were new."""
        self._table.on_new(None)
        try:
            return sum(map(self.add, records))
        finally:
            self._table.on_new(self._act)

    def __contains__(self, fp: bytes) -> bool:
        return fp in self._table

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[bytes]:
        for block in self.blocks():
            yield from records(block)

    def blocks(self) -> Iterator[bytes]:
        """All records, back to back in blocks of 4,096 at most."""
        whole = self._table.blocks() if isinstance(self._table, Buckets) else self._segments()
        for block in whole:
            for at in range(0, len(block), _BLOCK):
                yield block[at : at + _BLOCK]

    def _segments(self) -> Iterator[bytes]:
        assert native.module is not None
        return map(self._table.block, range(native.module.SEGMENTS))

    @classmethod
    def from_records(
        cls, blocks: Iterable[bytes], expected: int, *, in_c: bool = native.module is not None
    ) -> FingerprintTable:
        """The table of different records, given as blocks of records back to back; much faster than `add`.

        `expected`: how many there are.
        """
        made = cls(in_c=in_c)
        if isinstance(made._table, Buckets):
            made._table.fill(blocks, expected)
        else:
            for block in blocks:
                made._table.fill(block)
        return made

    def memory_bytes(self) -> int:
        """Bytes of the table, without the allocator's own waste (up to a tenth)."""
        return int(self._table.memory_bytes())
