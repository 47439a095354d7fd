"""What the workers of a fleet share of live rules, in Redis: requests that wait, pages that were served, judgements."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.live.fleet_redis import FleetConnection, pairs, scores, text
from scrapy_urinorm.live.fleet_scripts import ALONE, BUSY, JUDGE, MOST_NOTES, MOVE, NOTE, PARK, SERVE

if TYPE_CHECKING:
    from scrapy_urinorm.seen import OnLost

_BATCH = 500
"""Rows of a round trip: some 300 kB."""
_HEAD = 28
"""Characters of a member before its number: generation and class."""
_MEANT = re.compile(r"[*?\[\]\\^-]")
"""What means something in a pattern of Redis."""
CLOSED = 0
"""The generation of what a closed pattern keeps back."""


class HeldBack(NamedTuple):
    """A request that waits: under which member, of which generation and class."""

    member: bytes
    data: bytes

    @property
    def generation(self) -> int:
        """That of the rules that hold it, `CLOSED` for a pattern."""
        return int(self.member[:12])

    @property
    def class_key(self) -> bytes:
        """The class of pages that it was taken for."""
        return bytes.fromhex(self.member[12:_HEAD].decode())

    @property
    def number(self) -> bytes:
        """Its number, which it keeps under newer rules."""
        return self.member[_HEAD:]


class FleetStanding(NamedTuple):
    """How the fleet stands: who is alive, whether all are idle and all they have seen is learned, what was judged."""

    workers: frozenset[str]
    idle: bool
    moves: int
    judged: int
    parked: int
    generations: dict[str, int]


class FleetShare:
    """One worker's end. All methods raise SeenStoreLostError where Redis is lost, as `URINORM_SEEN_ON_LOST` says."""

    def __init__(self, url: str, prefix: str, on_lost: OnLost, worker: str) -> None:
        self._redis = FleetConnection(url, prefix, on_lost)
        self.base = self._redis.base
        self.worker = worker
        self.salt = ""
        self.epoch = 0
        self._served: list[tuple[str, int, str]] = []

    def open(self) -> None:
        """Connect. Raises SeenStoreError."""
        self._redis.open()
        with self._redis.explained():
            fresh = secrets.token_hex(16)
            self._redis.client.hsetnx(self.base, "salt", fresh)
            found: Any = self._redis.client.hget(self.base, "salt")
            self.salt = found.decode()

    def close(self) -> None:
        """Disconnect; may be called twice."""
        self._redis.close()

    # ------------------------------------------------------------------ requests that wait

    def park(self, site: str, generation: int, class_key: bytes, data: bytes) -> bool:
        """Have a request wait; False where the rules that hold it are no longer in force."""
        return bool(self._redis.script(PARK, site, generation, f"{generation:012d}{class_key.hex()}", data))

    def move(self, site: str, generation: int, class_key: bytes, member: bytes) -> bool:
        """Have one wait under newer rules; False where these are no longer in force, or it is gone."""
        return bool(self._redis.script(MOVE, site, generation, f"{generation:012d}{class_key.hex()}", member))

    def waiting(
        self, generation: int | None = None, class_key: bytes = b"", limit: int | None = None
    ) -> Iterator[HeldBack]:
        """Those that wait, all or of a generation, or of its class; others may change them meanwhile."""
        prefix = b"" if generation is None else f"{generation:012d}{class_key.hex()}".encode()
        first, last = b"[" + prefix, b"[" + prefix + b"\xff"
        left = limit
        while left is None or left > 0:
            size = _BATCH if left is None else min(_BATCH, left)
            (members,) = self._redis.piped([("ZRANGEBYLEX", f"{self.base}:index", first, last, "LIMIT", 0, size)])
            if not members:
                return
            (rows,) = self._redis.piped([("HMGET", f"{self.base}:parked", *members)])
            for member, data in zip(members, rows, strict=True):
                yield HeldBack(member, data or b"")
            first = b"(" + members[-1]
            left = None if left is None else left - len(members)

    def classes(self) -> Iterator[HeldBack]:
        """As `waiting`, all of them, without their requests."""
        first = b"-"
        while True:
            (members,) = self._redis.piped(
                [("ZRANGEBYLEX", f"{self.base}:index", first, b"+", "LIMIT", 0, 10 * _BATCH)]
            )
            if not members:
                return
            yield from (HeldBack(member, b"") for member in members)
            first = b"(" + members[-1]

    def request(self, member: bytes) -> bytes | None:
        """The request of a member; None where it is gone."""
        found: bytes | None = self._redis.piped([("HGET", f"{self.base}:parked", member)])[0]
        return found

    def remove(self, members: Sequence[bytes]) -> None:
        """Those are in a queue again: they no longer wait."""
        if members:
            self._redis.piped([("ZREM", f"{self.base}:index", *members), ("HDEL", f"{self.base}:parked", *members)])

    def count(self) -> int:
        """How many wait."""
        return int(self._redis.piped([("ZCARD", f"{self.base}:index")])[0])

    def older(self, generations: Iterable[int]) -> list[int]:
        """The generations that something waits under and that hold no more; `generations` are those that do."""
        known, first = {CLOSED, *generations}, b"-"
        found: list[int] = []
        while True:
            (members,) = self._redis.piped([("ZRANGEBYLEX", f"{self.base}:index", first, b"+", "LIMIT", 0, 1)])
            if not members:
                return found
            generation = int(members[0][:12])
            if generation not in known:
                found.append(generation)
            first = b"[" + f"{generation + 1:012d}".encode()

    def alone(self, task: str, seconds: int) -> bool:
        """Whether this worker is the one to do something that one should."""
        return bool(self._redis.script(ALONE, self.worker, task, seconds))

    # ------------------------------------------------------------------ what was served

    def serve(self, site: str, kind: int, url: str) -> None:
        """Note an address whose page was delivered; told to the others with `told`."""
        self._served.append((site, kind, url))

    def told(self, after: dict[str, int]) -> dict[str, list[tuple[int, str]]]:
        """Tell what was served, and return what else was on some sites; `after`: how many are known of each."""
        calls: list[tuple[Any, ...]] = [(SERVE, site, _octets(f"{kind} {url}")) for site, kind, url in self._served]
        calls += [("LRANGE", f"{self.base}:served:{site}", n, n + _BATCH - 1) for site, n in after.items()]
        if not calls:
            return {}
        answers = self._redis.piped(calls)
        pushed = len(calls) - len(after)
        self._served.clear()
        return dict(zip(after, map(_pages, answers[pushed:]), strict=True))

    # ------------------------------------------------------------------ the fleet

    def standing(self) -> FleetStanding:
        """How the fleet stands."""
        base = self.base
        time, workers, learners, epoch, idle, marks, parked, generations = self._redis.piped(
            [
                ("TIME",),
                ("ZRANGE", f"{base}:workers", 0, -1, "WITHSCORES"),
                ("HVALS", f"{base}:learners"),
                ("HGETALL", f"{base}:epoch"),
                ("HGETALL", f"{base}:idle"),
                ("HMGET", base, "moves", "judged"),
                ("ZCARD", f"{base}:index"),
                ("HGETALL", f"{base}:generations"),
            ]
        )
        now, epoch, idle = int(time[0]), pairs(epoch), pairs(idle)
        alive = [name for name, until in scores(workers) if until > now]
        return FleetStanding(
            frozenset(name.decode() for name in alive),
            {*learners} <= {*alive} and all(name in idle and idle[name] == epoch.get(name, b"0") for name in alive),
            int(marks[0] or 0),
            -1 if marks[1] is None else int(marks[1]),
            int(parked),
            {text(site): int(number) for site, number in pairs(generations).items()},
        )

    def busy(self) -> None:
        """Fetch again: nobody is to judge before it is idle and has said so."""
        self.epoch += 1
        self._redis.script(BUSY, self.worker, self.epoch)

    def judge(self, moves: int, seconds: float) -> int:
        """Ask all learners for the judgement on what was fetched; its number, 0 where another worker has asked."""
        return int(self._redis.script(JUDGE, self.worker, int(seconds), moves))

    def have_judged(self, number: int) -> set[str]:
        """The workers that have."""
        (found,) = self._redis.piped([("SMEMBERS", f"{self.base}:verdicts:{number}")])
        return {name.decode() for name in found}

    def judged(self, moves: int) -> None:
        """The judgement is over: what was fetched until then is judged."""
        self._redis.piped([("HSET", self.base, "judged", moves), ("HDEL", self.base, "judge")])

    # ------------------------------------------------------------------ from run to run

    def note(self, rows: Mapping[str, str]) -> None:
        """Write down what some patterns have brought (JSON; nothing for one that is forgotten), for later workers."""
        self._redis.script(NOTE, MOST_NOTES, *(one for name, row in rows.items() for one in (_octets(name), row)))

    def noted(self) -> dict[str, Any]:
        """Return that, of all patterns."""
        (found,) = self._redis.piped([("HGETALL", f"{self.base}:yields")])
        return {text(name): json.loads(row) for name, row in pairs(found).items()}

    def clear(self) -> None:
        """Forget everything, for all."""
        client = self._redis.client
        client.unlink(self.base)
        # a prefix is a text, of which Redis would read some characters as a pattern: these keys, and nobody else's
        for name in client.scan_iter(_MEANT.sub(r"\\\g<0>", self.base) + ":*", count=1000):
            client.unlink(name)


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _pages(rows: list[bytes]) -> list[tuple[int, str]]:
    found = []
    for row in rows:
        kind, _, url = text(row).partition(" ")
        found.append((int(kind), url))
    return found
