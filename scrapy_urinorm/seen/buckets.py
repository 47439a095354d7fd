"""An exact, compact set of 20-byte records in plain Python objects: what the module in C (`table.c`) is compared with.

Linear hashing (W. Litwin, VLDB 1980): a bucket is one `bytes` object with its records back to back, a lookup is
one search in it, and growth splits one bucket at a time, so that no insert ever waits for a rehash. 27 to 29
bytes per record at any size; a set of `bytes` takes 90 to 120.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from struct import Struct
from zlib import crc32

from scrapy_urinorm.seen.protocol import RECORD_BYTES, as_record

_PART_BLOCK = RECORD_BYTES * 4096
BUCKET_RECORDS = 12
"""Mean records per bucket: fewer cost memory (49 bytes a bucket), more cost time (cache lines scanned)."""


class Buckets:
    """Set of 20-byte records.

    The bucket is chosen by the record's CRC-32: unlike the record's own first bytes it spreads fingerprints that are no
    digests.
    """

    __slots__ = ("_buckets", "_capacity", "_low", "_mask", "_on_new", "_room")

    def __init__(self) -> None:
        self._on_new: Callable[[bytes], None] | None = None
        self._set_buckets([b""])

    def _set_buckets(self, buckets: list[bytes]) -> None:
        size = len(buckets)
        self._buckets = buckets
        self._mask = (1 << (size - 1).bit_length()) - 1
        self._low = self._mask >> 1
        count = sum(map(len, buckets)) // RECORD_BYTES
        # one counter less in `add`: the table holds what it may hold less the room that is left
        self._room = max(1, size * BUCKET_RECORDS - count)
        self._capacity = count + self._room

    def on_new(self, act: Callable[[bytes], None] | None) -> None:
        """Have `act` called with every new record before `add` inserts it; None for nothing."""
        self._on_new = act

    def add(self, fp: bytes) -> bool:
        """Insert a fingerprint of any length, as its record; True when it was new."""
        if len(fp) != RECORD_BYTES:
            fp = as_record(fp)
        buckets = self._buckets
        i = self._place(fp)
        if i < 0:
            return False
        if self._on_new is not None:
            self._on_new(fp)
        buckets[i] += fp
        self._room -= 1
        if not self._room:
            self._split()
        return True

    def __contains__(self, fp: bytes) -> bool:
        return self._place(fp if len(fp) == RECORD_BYTES else as_record(fp)) < 0

    def __len__(self) -> int:
        return self._capacity - self._room

    def _place(self, record: bytes) -> int:
        """The bucket that a record is to be put into, -1 where it is there."""
        buckets = self._buckets
        i = crc32(record) & self._mask
        if i >= len(buckets):
            i &= self._low
        at = buckets[i].find(record)
        # -1 % 20 is 19: only a match at a record's start leaves 0
        return -1 if not at % RECORD_BYTES or (at > 0 and _aligned(buckets[i], record, at)) else i

    def _split(self) -> None:
        buckets = self._buckets
        new = len(buckets)
        if new > self._mask:
            self._low, self._mask = self._mask, self._mask * 2 + 1
        old = new & self._low
        stay: list[bytes] = []
        move: list[bytes] = []
        for record in records(buckets[old]):
            (move if crc32(record) & (self._low + 1) else stay).append(record)
        buckets[old] = b"".join(stay)
        buckets.append(b"".join(move))
        self._room += BUCKET_RECORDS
        self._capacity += BUCKET_RECORDS

    def blocks(self) -> list[bytes]:
        """All records, back to back in some blocks."""
        return self._buckets

    def fill(self, blocks: Iterable[bytes], expected: int) -> None:
        """Take up different records, given as blocks of records back to back, in an empty table; faster than `add`.

        `expected`: how many there are. A first pass sorts them into 256 parts, so that the second one, which fills
        the buckets, stays within the processor's cache.
        """
        low_bits = 8
        size = 1 << max(low_bits, (expected // BUCKET_RECORDS).bit_length())
        parts = [bytearray() for _ in range(1 << low_bits)]
        for block in blocks:
            for record in records(block):
                parts[crc32(record) & 255] += record
        buckets = [b""] * size
        mask = (size >> low_bits) - 1
        for low, part in enumerate(parts):
            groups: list[list[bytes]] = [[] for _ in range(mask + 1)]
            for at in range(0, len(part), _PART_BLOCK):
                for record in records(part[at : at + _PART_BLOCK]):
                    groups[crc32(record) >> low_bits & mask].append(record)
            buckets[low :: 1 << low_bits] = map(b"".join, groups)
            part.clear()
        self._set_buckets(buckets)

    def memory_bytes(self) -> int:
        """Bytes of the buckets and their list, without the allocator's own waste (about a tenth)."""
        return self._buckets.__sizeof__() + len(self._buckets) * b"".__sizeof__() + len(self) * RECORD_BYTES


def _aligned(bucket: bytes, record: bytes, at: int) -> bool:
    """Whether the record is in the bucket, when its first match at `at` straddles two records."""
    while at > 0 and at % RECORD_BYTES:
        at = bucket.find(record, at + 1)
    return at >= 0


_unpackers: dict[int, Callable[[bytes | bytearray], tuple[bytes, ...]]] = {}


def records(block: bytes | bytearray) -> tuple[bytes, ...]:
    """The records of a block, whose length is a multiple of 20."""
    count = len(block) // RECORD_BYTES
    unpack = _unpackers.get(count)
    if unpack is None:
        # bounded: bucket sizes and the readers' block size are few; a pathological bucket is not kept
        unpack = Struct(f"{RECORD_BYTES}s" * count).unpack
        if len(_unpackers) < 256:
            _unpackers[count] = unpack
    return unpack(block)
