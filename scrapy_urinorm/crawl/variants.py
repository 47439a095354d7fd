"""The second chance as a crawl sees it: whose chain of redirects ended how, and which variant is requested then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import pending
from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.claims import Chance, Claims

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter
    from scrapy_urinorm.normalizer import Normalizer

_MOVED_FOR_NOW = (302, 303, 307)


class Variants:
    """Watches the request that speaks for a key, and lets another variant pass when it fails.

    ``limit`` bounds how many keys are watched. ``reusable`` says that a request which got a fingerprint may get another
    one, which holds for our fingerprinter and for no other.
    """

    def __init__(
        self,
        crawler: Crawler,
        normalizer: Normalizer,
        fingerprinter: RequestFingerprinter,
        *,
        limit: int,
        reusable: bool,
    ):
        self._crawler = crawler
        self._normalizer = normalizer
        self._fingerprinter = fingerprinter
        self._reusable = reusable
        self._stats = own.stats_of(crawler)
        self._claims = Claims(limit, self._bare_key)
        self._passing: Request | None = None

    def restore(self, directory: Path) -> None:
        """Take up what the run before has left in a job's folder."""
        self._claims.restore(pending.restored(directory, self._crawler.spider))

    def save(self, directory: Path) -> None:
        """Leave what is open for the next run of the job."""
        if self._crawler.spider is not None:
            pending.save(directory, self._claims.rows(), self._crawler.spider)

    def passes(self, request: Request) -> bool:
        """Whether the request is one that was scheduled here, to be let through unseen."""
        if request is not self._passing:
            return False
        self._passing = None
        return True

    def claim(self, request: Request, fp: bytes) -> None:
        """A request of a new fingerprint was let through."""
        if request.method == "GET":
            self._claims.claim(fp, request.url)
            self._mark(request, fp)

    def taken_up(self, request: Request) -> None:
        """A request of an earlier run goes on: it has the claims that it had, where that run could not leave them."""
        for fp, url in self._claimed(request, _chain(request)):
            if fp not in self._claims:
                self._claims.claim(fp, url)

    def repeated(self, request: Request, fp: bytes) -> bool:
        """Whether a request of a known key may pass, because the one before it failed."""
        chance = self._claims.repeated(fp, request)
        if chance and self._reusable:
            self._give_chance(request, fp, chance)
            return True
        if chance:
            # a fingerprinter in front of ours may have kept the fingerprint of this very object
            self._schedule(fp, request, chance)
            return False
        meta = request._meta
        if meta and "redirect_urls" in meta:
            self._ended_at(request, fp)
        return False

    def ended(self, request: Request, *, delivered: bool) -> None:
        """The chain of a request came to its end; ``delivered`` says whether with a page.

        A page that stands at the end of a temporary redirect to another key, such as a log-in form, serves its own key
        and not the one that was asked for.
        """
        chain = _chain(request)
        for fp, url in self._claimed(request, chain):
            if delivered and not self._sent_elsewhere(url, request, chain):
                self._claims.served(fp)
            else:
                self._schedule_all(self._claims.failed(fp, url, chain[chain.index(url) :]))

    def idle(self) -> bool:
        """Nothing is under way: schedule the variants whose first request ended untold; whether there were any."""
        ended = self._claims.all_ended()
        self._schedule_all(ended)
        return bool(ended)

    # ------------------------------------------------------------------

    def _ended_at(self, request: Request, target: bytes) -> None:
        """A redirect was dropped since its key is known: the chain behind it ends with what that key came to."""
        chain = _chain(request)
        claimed = self._claimed(request, chain)
        loop = any(fp == target for fp, _ in claimed)
        for fp, url in claimed:
            if loop or self._sent_elsewhere(url, request, chain):
                self._schedule_all(self._claims.failed(fp, url, chain[chain.index(url) :]))
            else:
                self._schedule_all(self._claims.ended_at(target, fp, url))

    @staticmethod
    def _claimed(request: Request, chain: list[str]) -> list[tuple[bytes, str]]:
        """The fingerprints and URLs that a chain has claimed; none where the meta was copied from another request."""
        rows = (request._meta or {}).get(own.CLAIMS_META, ())
        if not rows or rows[0][1] != chain[0]:
            return []
        return [(bytes.fromhex(fp), url) for fp, url in rows if url in chain]

    def _sent_elsewhere(self, url: str, request: Request, chain: list[str]) -> bool:
        """Whether a URL of a chain was answered by a temporary redirect, and the chain did not come back to its key."""
        reasons = list(request.meta.get("redirect_reasons", ()))
        if not any(reason in _MOVED_FOR_NOW for reason in reasons[chain.index(url) :]):
            return False
        return self._normalizer.key(url) != self._normalizer.key(chain[-1])

    @staticmethod
    def _mark(request: Request, fp: bytes) -> None:
        """Write the claim into the request's meta, behind those of the chain that led to it."""
        meta = request.meta
        mine = [fp.hex(), request.url]
        earlier = meta.get(own.CLAIMS_META, ()) if meta.get("redirect_urls") else ()
        if earlier and earlier[0][1] != str(meta["redirect_urls"][0]):
            earlier = ()
        meta[own.CLAIMS_META] = [*earlier, mine]

    def _give_chance(self, request: Request, fp: bytes, chance: int) -> None:
        """Let a variant pass under a fingerprint of its own."""
        self._stats.inc_value("urinorm/second_chance")
        request.meta[own.CHANCE_META] = [chance, self._fingerprinter.key(request)]
        self._mark(request, fp)

    def _schedule_all(self, chances: list[Chance]) -> None:
        for fp, request, chance in chances:
            self._schedule(fp, request, chance)

    def _schedule(self, fp: bytes, request: Request, chance: int) -> None:
        engine = self._crawler.engine
        assert engine is not None
        request = request.copy()
        self._give_chance(request, fp, chance)
        self._passing = request
        engine.crawl(request)

    def _bare_key(self, url: str) -> str:
        return self._normalizer.key(url, lossy=False)


def _chain(request: Request) -> list[str]:
    """The URLs of a chain of redirects, the request's own last."""
    chain = (request._meta or {}).get("redirect_urls")
    return [*map(str, chain if isinstance(chain, (list, tuple)) else ()), request.url]
