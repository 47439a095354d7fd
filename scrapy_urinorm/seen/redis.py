"""The store of a fleet: one Redis server, many processes and machines."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.seen.buckets import records
from scrapy_urinorm.seen.protocol import RECORD_BYTES, SeenStoreError, as_record, miscounted
from scrapy_urinorm.seen.recent import RecentForever, RecentTimed
from scrapy_urinorm.seen.redis_connection import RedisConnection
from scrapy_urinorm.seen.redis_outcome_scripts import OUTCOME_KEYS
from scrapy_urinorm.seen.redis_scripts import ADD, CONTAINS, CREATE, TIER_BITS
from scrapy_urinorm.seen.stamp import Stamp, StampChange, are_stamps, compare_last
from scrapy_urinorm.seen.table import FingerprintTable

if TYPE_CHECKING:
    import redis as redis_py

    from scrapy_urinorm.seen import OnLost

_FORMAT = "1"
# fingerprints a round trip (20 kB); stamps of the last runs; what a worker remembers itself,
# 28 MB without and about 20 MB with times
_BATCH = 1000
_STAMPS_KEPT = 20
_RECENT = 1_000_000
_RECENT_TIMED = 200_000


class RedisStore:
    """Every fingerprint in Redis, shared by all who use the same URL and prefix; what is known is answered locally.

    At most one round trip for a fingerprint this process has not heard of, none for one it has: its own, those of which
    Redis said so, and those that other workers added before its last question, which come with every answer. Redis 5 or
    later, alone, under Sentinels or in one slot of a cluster. `ttl` in seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = "urinorm",
        stamp: Mapping[str, str] | None = None,
        ttl: float | None = None,
        on_lost: OnLost = "stop",
        create: bool = True,
    ):
        self._connection = RedisConnection(url, prefix, on_lost)
        prefix = self._prefix = self._connection.address.prefix
        self._stamp = stamp
        self._create = create
        self._ttl = 0 if ttl is None else max(1, round(ttl))
        self._recent = RecentTimed(_RECENT_TIMED) if ttl else RecentForever(_RECENT, FingerprintTable)
        self._worker = uuid.uuid4().hex
        self._keys = [prefix, f"{prefix}:feed", f"{prefix}:claims"]
        self._all_keys = [*self._keys, *(f"{prefix}:{name}" for name in OUTCOME_KEYS)]
        self._stamps: list[Stamp] = []
        self._timed = False
        self._id = ""
        self._cursor = 0
        self._total = 0
        self._asked = 0.0
        self.along: Callable[[], tuple[str, float, bytes]] | None = None
        """What to push into a sorted set in the same step as a fingerprint that is new: its key, a score, a member.

        So a worker that is killed leaves no fingerprint of a request that is in no queue. It is called only when Redis
        is asked.
        """
        self.before: Callable[[], object] | None = None
        """Called before Redis is asked for a fingerprint, so that what it stands for is written down first."""
        self.changes: tuple[StampChange, ...] = ()

    def open(self) -> None:
        """Connect, and make the store when it is not there. Raises SeenStoreError."""
        connection = self._connection
        try:
            connection.open()
            with connection.explained():
                connection.warn_of_eviction(timed=bool(self._ttl))
                self._open_store(create=self._create)
        except BaseException:
            connection.close()
            raise

    def _open_store(self, *, create: bool) -> None:
        if create:
            self._run(CREATE, [uuid.uuid4().hex, _FORMAT, int(self._timed or bool(self._ttl))])
        state: Any = self._connection.client.hgetall(self._prefix)
        if not state:
            raise SeenStoreError(f"{self._connection.place} holds no seen store: check the key prefix")
        if state.get(b"format", b"").decode() != _FORMAT:
            raise SeenStoreError(
                f"{self._connection.place} holds no seen store of format {_FORMAT}: choose another key prefix"
            )
        if self._ttl and state.get(b"timed") != b"1":
            raise SeenStoreError(
                f"{self._connection.place} was made without URINORM_SEEN_TTL and does not know how old its "
                "fingerprints are: clear it, or choose another key prefix"
            )
        try:
            self._timed = state[b"timed"] == b"1"
            self._id = state[b"id"].decode()
            self._cursor = int(state[b"feed"])
            self._total = _total(state)
            stamps = json.loads(state[b"stamps"])
        except (KeyError, ValueError, RecursionError) as error:
            raise self._damaged() from error
        if not are_stamps(stamps):
            raise self._damaged()
        self._stamps = stamps
        self._asked = time.monotonic()
        self.changes, write = compare_last(self._stamps, self._stamp, self._connection.place)
        if write:
            del self._stamps[:-_STAMPS_KEPT]
            self._connection.client.hset(self._prefix, "stamps", json.dumps(self._stamps))

    def _damaged(self) -> SeenStoreError:
        return SeenStoreError(
            f"{self._connection.place} holds a seen store that is damaged: clear it, or choose another key prefix"
        )

    def _run(self, script: str, args: list[Any], client: redis_py.Redis | None = None) -> Any:
        return self._connection.run(script, self._keys, args, client)

    def add(self, fp: bytes, text: Callable[[], bytes] | None = None) -> bool:
        """Claim a fingerprint for this process; True when it was new to all. Raises SeenStoreLostError.

        `text` gives the digest of the URL's text where the fingerprint is to be under way until its outcome is told
        (`RedisOutcomes`); it is called only when Redis is asked.
        """
        if len(fp) != RECORD_BYTES:
            fp = as_record(fp)
        if fp in self._recent:
            return False
        if self.before is not None:
            self.before()
        keys: list[str] = self._keys
        pushed: list[Any] = []
        if self.along is not None:
            queue, *pushed = self.along()
            keys = [*keys, queue]
        digest = b"" if text is None else text()
        new, left, total, feed, news = self._connection.ask(
            lambda again: self._connection.run(
                ADD, keys, [self._id, self._ttl, fp, self._worker, int(again), self._cursor, digest, *pushed]
            )
        )
        if feed < self._cursor:
            raise self._connection.lost(
                f"it went back from {self._cursor} to {feed} fingerprints, as after a restart without AOF"
            )
        now = time.monotonic()
        for other in records(news):
            # added after the last question: at least this long to live
            self._recent.add(other, self._ttl - (now - self._asked))
        self._recent.add(fp, self._ttl if new else left)
        self._cursor, self._total, self._asked = feed, total, now
        return bool(new)

    def add_many(self, fps: Iterable[bytes]) -> int:
        """Record many, a round trip per thousand; returns how many were new. Raises SeenStoreLostError.

        After a broken connection the batch is sent again, and what of it had arrived does not count as new.
        """
        rest = iter(fps)
        total = 0
        while batch := list(dict.fromkeys(map(as_record, islice(rest, _BATCH)))):
            total += self._add_batch(batch)
        return total

    def _add_batch(self, batch: list[bytes]) -> int:
        no_news = 1 << 53

        def question(_again: bool) -> int:
            pipeline = self._connection.client.pipeline(transaction=False)
            for fp in batch:
                self._run(ADD, [self._id, self._ttl, fp, self._worker, 0, no_news, b""], pipeline)
            answers = pipeline.execute()
            self._total = answers[-1][2]
            return sum(new for new, *_ in answers)

        return self._connection.ask(question)

    @property
    def forgets(self) -> bool:
        """Whether fingerprints expire."""
        return self._ttl > 0

    def asked(self, script: str, rows: Sequence[list[Any]]) -> list[Any]:
        """The answers of another script to some questions, in one round trip. Raises SeenStoreLostError."""

        def question(again: bool) -> list[Any]:
            pipeline = self._connection.client.pipeline(transaction=False)
            for args in rows:
                self._run(script, [self._id, self._ttl, self._worker, int(again), *args], pipeline)
            return pipeline.execute()

        return self._connection.ask(question)

    def hold(self) -> bool:
        """False: others ask, so that nothing can wait."""
        return False

    def flush(self) -> None:
        """Nothing is held back."""

    def __contains__(self, fp: bytes) -> bool:
        fp = as_record(fp)
        if fp in self._recent:
            return True
        (left,) = self._connection.ask(lambda _again: self._run(CONTAINS, [self._id, self._ttl, fp]))
        if left:
            self._recent.add(fp, left)
        return bool(left)

    def _state(self) -> dict[bytes, bytes]:
        state: Any = self._connection.ask(lambda _again: self._connection.client.hgetall(self._prefix))
        return dict(state)

    def __len__(self) -> int:
        """Exact; in a timed store an upper bound, which still counts some of what has expired."""
        self._total = _total(self._state())
        return self._total

    def __iter__(self) -> Iterator[bytes]:
        for bits in _used_tiers(self._state()):
            width = bits // 8
            for buckets in _ranges(1 << bits):
                for bucket, fields in zip(buckets, self._read(bits, buckets), strict=True):
                    implied = (bucket >> bits - 8 * width).to_bytes(width, "big")
                    for field, value in fields.items():
                        if not self._ttl or int(value.partition(b" ")[0]) + self._ttl > time.time():
                            yield implied + field

    def _read(self, bits: int, buckets: range) -> list[dict[bytes, bytes]]:
        def question(_again: bool) -> list[dict[bytes, bytes]]:
            pipeline = self._connection.client.pipeline(transaction=False)
            for bucket in buckets:
                pipeline.hgetall(f"{self._prefix}:{bits}:{bucket}")
            return pipeline.execute()

        return self._connection.ask(question)

    def clear(self) -> None:
        """Forget every fingerprint, for all: other workers that are still running stop with an error."""
        tiers = _used_tiers(self._state())
        # first, so that nobody goes on adding to what is being deleted
        self._connection.ask(lambda _again: self._connection.client.delete(*self._all_keys))
        for bits in tiers:
            for buckets in _ranges(1 << bits):
                self._unlink([f"{self._prefix}:{bits}:{bucket}" for bucket in buckets])
        self._recent.clear()
        self._connection.ask(lambda _again: self._open_store(create=True))

    def compact(self) -> None:
        """Nothing to do: Redis holds every fingerprint in its smallest form from the start."""

    def stamps(self) -> list[Stamp]:
        """What the fingerprints were made under, oldest first, the last twenty."""
        return list(self._stamps)

    def problems(self, listed: int) -> list[str]:
        """A count that differs, as after an eviction."""
        return [] if self._timed else miscounted(len(self), listed)

    def _unlink(self, names: list[str]) -> None:
        self._connection.ask(lambda _again: self._connection.client.unlink(*names))

    def stats(self) -> dict[str, int]:
        """`count` at the last answer, `memory_bytes` of the local cache, `round_trips`."""
        return {
            "count": self._total,
            "memory_bytes": self._recent.memory_bytes(),
            "round_trips": self._connection.round_trips,
        }

    def close(self) -> None:
        """Disconnect; say so when Redis evicted keys meanwhile."""
        self._connection.close()


def _ranges(stop: int) -> Iterator[range]:
    return (range(start, min(start + _BATCH, stop)) for start in range(0, stop, _BATCH))


def _used_tiers(state: Mapping[bytes, bytes]) -> list[int]:
    return [bits for bits in TIER_BITS if str(bits).encode() in state]


def _total(state: Mapping[bytes, bytes]) -> int:
    return sum(int(state[str(bits).encode()]) for bits in _used_tiers(state))
