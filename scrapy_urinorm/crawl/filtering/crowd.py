"""Many keys in few bytes: what is left of a claim when no request is in hand for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from zlib import crc32

from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.seen.protocol import as_record
from scrapy_urinorm.tuples import NamedTuple

_SHARDS = 1 << 12  # a shard is copied when it changes: at a million keys, 5 kB in 0.3 us
_PREFIX, _DIGEST = 12, 7  # 96 bits tell keys apart, as much as anyone will queue; 56 the texts of one key
_RECORD = _PREFIX + _DIGEST + 1
#: In the place of the chances: this record is one more text of the entry before it.
_FURTHER = 255
_MOST_FURTHER = 8  # a chain of redirects may go through twenty; those left out may be tried again


class Entry(NamedTuple):
    """The digest of a URL text, how many chances were given before, and the digests of other texts that were tried."""

    digest: bytes
    chances: int
    tried: tuple[bytes, ...] = ()


def text_digest(text: str) -> bytes:
    """The digest of a URL text, the same in every process."""
    return hash_of(text, _DIGEST)


class Crowd:
    """A map from fingerprints to entries that takes 20 bytes a key, whatever the length of the fingerprints.

    Each further text that was tried takes as much.
    """

    def __init__(self) -> None:
        self._shards = [b""] * _SHARDS
        self._count = 0

    def put(self, fp: bytes, entry: Entry) -> None:
        """Add or replace an entry."""
        self.pop(fp)
        record = as_record(fp)
        prefix = record[:_PREFIX]
        block = prefix + entry.digest + bytes((entry.chances,))
        for digest in entry.tried[:_MOST_FURTHER]:
            block += prefix + digest + bytes((_FURTHER,))
        self._shards[crc32(record) % _SHARDS] += block
        self._count += 1

    def get(self, fp: bytes) -> Entry | None:
        """The entry of a fingerprint."""
        if not self._count:
            return None
        shard, at = self._place(fp)
        return None if at < 0 else _entry(self._shards[shard], at)

    def pop(self, fp: bytes) -> Entry | None:
        """Take the entry of a fingerprint away."""
        if not self._count:
            return None
        shard, at = self._place(fp)
        if at < 0:
            return None
        block = self._shards[shard]
        self._shards[shard] = block[:at] + block[_end(block, at) :]
        self._count -= 1
        return _entry(block, at)

    def _place(self, fp: bytes) -> tuple[int, int]:
        record = as_record(fp)
        shard = crc32(record) % _SHARDS
        return shard, _found(self._shards[shard], record[:_PREFIX])

    def take_all(self, other: Crowd) -> None:
        """Take over the entries of another crowd, which is left empty."""
        for shard, block in enumerate(other._shards):
            at = 0
            while at < len(block):
                end = _end(block, at)
                if _found(self._shards[shard], block[at : at + _PREFIX]) < 0:
                    self._shards[shard] += block[at:end]
                    self._count += 1
                at = end
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
            self._count += _keys_in(block) - _keys_in(self._shards[shard])
            self._shards[shard] = block

    def __len__(self) -> int:
        return self._count


def _end(block: bytes, at: int) -> int:
    """Where the entry ends that begins there."""
    end = at + _RECORD
    while end < len(block) and block[end + _RECORD - 1] == _FURTHER:
        end += _RECORD
    return end


def _entry(block: bytes, at: int) -> Entry:
    digests = [block[one + _PREFIX : one + _RECORD - 1] for one in range(at, _end(block, at), _RECORD)]
    return Entry(digests[0], block[at + _RECORD - 1], tuple(digests[1:]))


def _keys_in(block: bytes) -> int:
    return sum(chances != _FURTHER for chances in block[_RECORD - 1 :: _RECORD])


def _found(block: bytes, prefix: bytes) -> int:
    """Where the first record of a prefix begins; -1 where there is none."""
    at = block.find(prefix)
    while at > 0 and at % _RECORD:
        at = block.find(prefix, at + 1)
    return at
