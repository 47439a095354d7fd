"""Many keys in few bytes: what is left of a claim when no request is in hand for it."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from scrapy_urinorm.seen.protocol import as_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHARDS = 1 << 12  # a shard is copied when it changes: at a million keys, 5 kB in 0.3 us
_PREFIX, _DIGEST = 12, 7  # 96 bits tell keys apart, as much as anyone will queue; 56 the texts of one key
_RECORD = _PREFIX + _DIGEST + 1


class Entry(NamedTuple):
    """The digest of a URL text, and how many chances were given before."""

    digest: bytes
    chances: int


def text_digest(text: str) -> bytes:
    """The digest of a URL text, the same in every process."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


class Crowd:
    """A map from fingerprints to entries that takes 20 bytes a key, whatever the length of the fingerprints."""

    def __init__(self) -> None:
        self._shards = [b""] * _SHARDS
        self._count = 0

    def put(self, fp: bytes, entry: Entry) -> None:
        """Add or replace an entry."""
        self.pop(fp)
        record = as_record(fp)
        self._shards[crc32(record) % _SHARDS] += record[:_PREFIX] + entry.digest + bytes((entry.chances,))
        self._count += 1

    def get(self, fp: bytes) -> Entry | None:
        """The entry of a fingerprint."""
        if not self._count:
            return None
        shard, at = self._place(fp)
        return None if at < 0 else _entry(self._shards[shard][at : at + _RECORD])

    def pop(self, fp: bytes) -> Entry | None:
        """Take the entry of a fingerprint away."""
        if not self._count:
            return None
        shard, at = self._place(fp)
        if at < 0:
            return None
        block = self._shards[shard]
        self._shards[shard] = block[:at] + block[at + _RECORD :]
        self._count -= 1
        return _entry(block[at : at + _RECORD])

    def _place(self, fp: bytes) -> tuple[int, int]:
        record = as_record(fp)
        shard = crc32(record) % _SHARDS
        block, prefix = self._shards[shard], record[:_PREFIX]
        at = block.find(prefix)
        while at > 0 and at % _RECORD:
            at = block.find(prefix, at + 1)
        return shard, at

    def take_all(self, other: Crowd) -> None:
        """Take over the entries of another crowd, which is left empty."""
        for shard, block in enumerate(other._shards):
            for at in range(0, len(block), _RECORD):
                prefix = block[at : at + _PREFIX]
                if not _has(self._shards[shard], prefix):
                    self._shards[shard] += block[at : at + _RECORD]
                    self._count += 1
        other._shards = [b""] * _SHARDS
        other._count = 0

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """The entries as numbered blocks of bytes, for `load`."""
        return ((shard, block) for shard, block in enumerate(self._shards) if block)

    def load(self, blocks: Iterable[tuple[int, bytes]]) -> None:
        """Take up what `blocks` gave; raises ValueError where it is none of it."""
        for shard, block in blocks:
            if not 0 <= shard < _SHARDS or len(block) % _RECORD:
                raise ValueError("not a block of keys")
            self._count += (len(block) - len(self._shards[shard])) // _RECORD
            self._shards[shard] = block

    def __len__(self) -> int:
        return self._count


def _entry(record: bytes) -> Entry:
    return Entry(record[_PREFIX:-1], record[-1])


def _has(block: bytes, prefix: bytes) -> bool:
    at = block.find(prefix)
    while at > 0 and at % _RECORD:
        at = block.find(prefix, at + 1)
    return at >= 0
