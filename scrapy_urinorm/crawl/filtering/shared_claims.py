"""Claims where several processes share one Redis: who learns of a failure need not be who found another variant."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.filtering.claims import MAX_CHANCES, Chance
from scrapy_urinorm.crawl.filtering.crowd import text_digest
from scrapy_urinorm.crawl.requests.as_json import from_json, to_json
from scrapy_urinorm.crawl.requests.serialized import unreadable
from scrapy_urinorm.crawl.shown import shown
from scrapy_urinorm.seen.protocol import SeenStoreLostError
from scrapy_urinorm.seen.recent import RecentForever
from scrapy_urinorm.seen.redis_outcomes import Granted, KeyState, RedisOutcomes, Variant
from scrapy_urinorm.seen.table import FingerprintTable

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_urinorm.seen.protocol import TellsOutcomes

_BATCH = 250
"""Variants that were found, or keys that were served, at which Redis is asked and told: 10 kB, 5 ms a round trip."""
_ROOM = 3
"""Variants that wait in Redis for each one that would in one process: 400 bytes each with a `Referer` and a depth, 120
MB by default."""
_SERVED = 200_000
"""Keys known to be served, of which nothing is asked again: 6 MB."""


class SharedClaims:
    """What `Claims` is for one process: the state of each key is in Redis, and so are the variants that wait.

    A variant that is found is in hand until Redis is asked how its key stands, with others of its kind, when
    `_BATCH` are in hand or nothing is under way. `schedule` is given variants that may go.
    """

    def __init__(
        self,
        crawler: Crawler,
        store: TellsOutcomes,
        limit: int,
        same: Callable[[str], str],
        schedule: Callable[[list[Chance]], None],
    ):
        self._crawler = crawler
        self.store = store
        self._outcomes = RedisOutcomes(store, chances=MAX_CHANCES, room=_ROOM * limit)
        self.hurried = 0
        self._limit = limit
        self._same = same
        self._schedule = schedule
        # where fingerprints expire, a key that was served may be open again
        self._known = None if store.forgets else RecentForever(_SERVED, FingerprintTable)
        self._served: list[bytes] = []
        self._found: dict[tuple[bytes, bytes], Request] = {}
        # redirects that ended at a key of which it is not known how it stands
        self._followers: dict[bytes, list[tuple[bytes, str]]] = {}
        self._under_way: dict[bytes, str] = {}

    def digest(self, url: str) -> bytes:
        """The digest of a URL's text, as Redis has it of the request that speaks for a key."""
        return text_digest(self._same(url))

    def claim(self, fp: bytes, url: str) -> None:
        """A request of a new key was let through: the store has been told so."""

    def speaks(self, fp: bytes, url: str) -> bool:
        """Whether the request that is sent decides about the key: it does, since the filter let it through."""
        # of a request that a middleware replaces by another one no end is told
        if len(self._under_way) < self._limit:
            self._under_way[fp] = url
        return True

    def repeated(self, fp: bytes, request: Request) -> int:
        """0: a further request of a key is in hand, until it is known how that stands."""
        if self._known is None or fp not in self._known:
            self._found.setdefault((fp, self.digest(request.url)), request)
            if len(self._found) >= _BATCH:
                self._schedule(self._look())
        return 0

    def served(self, fp: bytes) -> None:
        """The page of a key was delivered."""
        self._under_way.pop(fp, None)
        self._served.append(fp)
        if self._known is not None:
            self._known.add(fp)
        if len(self._served) >= _BATCH:
            self._schedule(self._look())

    def failed(self, fp: bytes, url: str, hops: Iterable[str] = ()) -> list[Chance]:
        """The request of a key failed, as did those that its redirects led to: the variant to schedule now."""
        self._under_way.pop(fp, None)
        digests = dict.fromkeys(map(self.digest, (url, *hops)))
        chances = self._chances(self._outcomes.fail(fp, [*digests]))
        its_own = [one for one in self._found if one[0] == fp]
        return chances + self._offer({one: self._found.pop(one) for one in its_own})

    def again(self, fp: bytes, url: str) -> int:
        """The number of the chance that the request under way gets itself, since it was not sent; 0 for none."""
        return self._outcomes.again(fp, self.digest(url))

    def ended_at(self, target: bytes, fp: bytes, url: str) -> list[Chance]:
        """The chain of a claim ended at a key that was known already: the claim shares the fate of that key."""
        self._under_way.pop(fp, None)
        if (self._known is not None and target in self._known) or len(self._followers) >= self._limit:
            self.served(fp)
        else:
            self._followers.setdefault(target, []).append((fp, url))
        return []

    def all_ended(self) -> list[Chance]:
        """Nothing is under way here any more: what was sent and has no outcome has failed; the variants to schedule."""
        chances = [one for fp, url in [*self._under_way.items()] for one in self.failed(fp, url)]
        waited = -1
        while waited != len(self._followers):
            # one that shares the fate of another may be what a third one waits for
            waited = len(self._followers)
            chances += self._look(len(self._followers))
        while not chances and (granted := self._outcomes.left()) is not None:
            chances += self._chances(granted)
        return chances

    def leave(self) -> None:
        """The process ends: what it knows and has found is left to others."""
        served, self._served = self._served, []
        found, self._found = self._found, {}
        try:
            self._outcomes.look(served, ())
            self._offer(found, ending=True)
        except SeenStoreLostError as error:
            own.logger.info("Second chances are not left to other workers: %s", error)

    def _look(self, most: int = _BATCH) -> list[Chance]:
        """Tell what was served, ask how the keys of what was found stand: the variants that may go now.

        `most`: of how many keys with followers.
        """
        served, self._served = self._served, []
        found, self._found = self._found, {}
        followed = [*islice(self._followers, most)]
        if not (served or found or followed):
            return []
        stand = self._outcomes.look(served, [*found, *((fp, b"") for fp in followed)])
        of_use = {}
        for one, state in zip(found, stand, strict=False):
            if state is KeyState.SERVED and self._known is not None:
                self._known.add(one[0])
            elif state in (KeyState.UNDER_WAY, KeyState.FAILED):
                of_use[one] = found[one]
        chances = self._offer(of_use)
        for fp, state in zip(followed, stand[len(found) :], strict=True):
            followers = self._followers.pop(fp, [])
            if state is KeyState.UNDER_WAY and followers:
                # behind those that are still to be asked for
                self._followers[fp] = followers
                continue
            for follower, url in followers:
                if state in (KeyState.FAILED, KeyState.GIVEN_UP):
                    chances += self.failed(follower, url)
                else:
                    self.served(follower)
        return chances

    def _offer(self, found: dict[tuple[bytes, bytes], Request], *, ending: bool = False) -> list[Chance]:
        if not found:
            return []
        variants = [Variant(*one, self._dumped(request)) for one, request in found.items()]
        offered = self._outcomes.offer(variants, ending=ending)
        self.hurried += sum(one.hurried for one in offered)
        return [
            (variant.fp, request, one.chance)
            for variant, request, one in zip(variants, found.values(), offered, strict=True)
            if one.chance
        ]

    def _dumped(self, request: Request) -> bytes | None:
        """The request as JSON, None where it has none: what comes from a server that others use is not unpickled."""
        spider = self._crawler.spider
        if spider is None:
            return None
        try:
            row = to_json(request, spider)
        except Exception:  # noqa: BLE001  a Request of a project's own: one must not cost the others of its batch
            return None
        # what a request has where nothing is said
        usual = () if "_class" in row else (("encoding", "utf-8"), ("method", "GET"))
        empty: tuple[Any, ...] = (None, 0, [], {"dict": []}, {"bytes": ""})
        said = {name: value for name, value in row.items() if value not in empty and (name, value) not in usual}
        return json.dumps(said, separators=(",", ":")).encode()

    def _chances(self, granted: Granted | None) -> list[Chance]:
        spider = self._crawler.spider
        if granted is None or spider is None:
            return []
        try:
            request = from_json(json.loads(granted.data), spider)
        except Exception:  # noqa: BLE001  another version of the spider wrote it, or anybody who has the server
            unreadable(self._crawler, "Redis", stays=False)
            # the key must not wait for what nobody sends: another variant may be there
            return self._chances(self._outcomes.fail(granted.fp, [granted.digest]))
        own.logger.debug("Found by another worker: %s", shown(request))
        return [(granted.fp, request, granted.chance)]
