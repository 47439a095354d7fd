"""What became of the fingerprints that a fleet has claimed: served, failed, and which variants wait for that."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.seen.protocol import as_record
from scrapy_urinorm.seen.redis_outcome_scripts import AGAIN, FAIL, LOOK, OFFER, TAKE_LEFT

if TYPE_CHECKING:
    from scrapy_urinorm.seen.protocol import TellsOutcomes


class KeyState(IntEnum):
    """How a key stands, for a variant of it that was found."""

    SERVED = -1
    USELESS = 0
    """It is the text that is under way or was tried, as many wait as may be sent, or nothing is known of the key."""
    UNDER_WAY = 1
    FAILED = 2
    """The next variant may go."""
    GIVEN_UP = 3


class Variant(NamedTuple):
    """A variant that was found: the fingerprint of its key, the digest of its text, the request.

    Without `data` it cannot wait, and goes at once where it may be of use.
    """

    fp: bytes
    digest: bytes
    data: bytes | None


class Offered(NamedTuple):
    """The number of the chance of a variant that may go now, else 0; whether it goes for want of room to wait."""

    chance: int
    hurried: bool


class Granted(NamedTuple):
    """A variant that may go: its key's fingerprint, its digest, the number of its chance, the request that waited."""

    fp: bytes
    digest: bytes
    chance: int
    data: bytes


class RedisOutcomes:
    """The outcomes of a store's fingerprints; all methods raise SeenStoreLostError.

    A fingerprint that `add` of the store was given a text for is under way until `look` says that it was served, or
    `fail` that it failed. Texts are given by their digests, of 7 bytes. A key gets `chances` further requests, and up
    to `room` variants wait in Redis for the first of theirs to fail.
    """

    def __init__(self, store: TellsOutcomes, *, chances: int, room: int):
        self._ask_each = store.asked
        self._chances = chances
        self._room = room

    def _ask(self, script: str, args: list[Any]) -> Any:
        return self._ask_each(script, [args])[0]

    def look(self, served: Sequence[bytes], pairs: Sequence[tuple[bytes, bytes]]) -> list[KeyState]:
        """Tell which fingerprints were served, and ask how those of some pairs with a digest stand: one round trip."""
        args: list[bytes | int] = [self._chances, len(served), *map(as_record, served)]
        for fp, digest in pairs:
            args += (as_record(fp), digest)
        return [KeyState(one) for one in self._ask(LOOK, args)]

    def offer(self, variants: Sequence[Variant], *, ending: bool = False) -> list[Offered]:
        """Offer variants, in one round trip; what may be of use and does not go now waits in Redis.

        A process that is `ending` sends nothing: the variant of a failed key is left to others.
        """
        rows = [
            [
                as_record(one.fp),
                one.digest,
                one.data or b"",
                self._chances,
                self._room,
                int(one.data is None),
                int(ending),
            ]
            for one in variants
        ]
        return [Offered(chance, data == b"hurried") for chance, data, _ in self._ask_each(OFFER, rows)]

    def fail(self, fp: bytes, digests: Sequence[bytes]) -> Granted | None:
        """The request of the first digest failed, and the others were tried with it: the variant that may go now."""
        chance, data, digest = self._ask(FAIL, [as_record(fp), self._chances, *digests])
        return Granted(fp, digest, chance, data) if chance else None

    def again(self, fp: bytes, digest: bytes) -> int:
        """The number of the chance that the request under way gets itself; 0 for none."""
        return int(self._ask(AGAIN, [as_record(fp), self._chances, digest]))

    def left(self) -> Granted | None:
        """One of the variants that a process which has ended left."""
        fp, chance, data, digest = self._ask(TAKE_LEFT, [self._chances])
        return Granted(fp, digest, chance, data) if fp else None
