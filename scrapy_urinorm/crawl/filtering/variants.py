"""The second chance as a crawl sees it: whose chain of redirects ended how, and which variant is requested then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from scrapy.http.request import NO_CALLBACK

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.chains import chain_of, claimed_by, is_first, is_marked, mark, not_asked, sent_elsewhere
from scrapy_urinorm.crawl.filtering import pending
from scrapy_urinorm.crawl.filtering.claims import MAX_CHANCES, Chance
from scrapy_urinorm.crawl.filtering.lasting_claims import LastingClaims
from scrapy_urinorm.crawl.filtering.shared_claims import SharedClaims
from scrapy_urinorm.crawl.shown import shown
from scrapy_urinorm.seen.protocol import TellsOutcomes

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.seen import SeenStore


class Variants:
    """Watches the request that speaks for a key, and lets another variant pass when it fails.

    `limit` bounds what is kept of the keys under way, and the variants in hand. `reusable` says that a request
    which got a fingerprint may get another one, which holds for our fingerprinter and for no other. What is known of a
    key is in the `store` where that is in Redis, else here, and then it lasts from one run of a job to the next.
    """

    def __init__(
        self,
        crawler: Crawler,
        normalizer: Normalizer,
        fingerprinter: RequestFingerprinter,
        *,
        store: SeenStore,
        limit: int,
        reusable: bool,
    ):
        self._crawler = crawler
        self._normalizer = normalizer
        self._fingerprinter = fingerprinter
        self._reusable = reusable
        self._limit = limit
        self._stats = own.stats_of(crawler)
        same = partial(normalizer.key, lossy=False)
        self.shared: SharedClaims | None = None
        self._lasting = LastingClaims(limit, same)
        self._claims: LastingClaims | SharedClaims = self._lasting
        if isinstance(store, TellsOutcomes):
            self._claims = self.shared = SharedClaims(crawler, store, limit, same, self._schedule_all)
        self._most_redirects = crawler.settings.getint("REDIRECT_MAX_TIMES")
        self._passing: Request | None = None
        self._hurried = 0
        self.noted = False
        """Whether the next run is to go on from the `notes` alone."""

    def restore(self, directory: Path) -> None:
        """Take up what the run before has left in a job's folder."""
        pending.restore(directory, self._lasting, self._crawler.spider)

    def save(self, directory: Path | None) -> None:
        """Leave what is open for the next run of the job, or for the others of a fleet."""
        if self.shared is not None:
            self.shared.leave()
        elif directory is not None and self._crawler.spider is not None and not self.noted:
            pending.save(directory, self._lasting, self._crawler.spider)

    def add(self, fp: bytes, request: Request) -> bool:
        """Record a fingerprint in a store that processes share; True when it was new. Raises SeenStoreLostError."""
        assert self.shared is not None
        if self._may_claim(request):
            return self.shared.store.add(fp, partial(self.shared.digest, request.url))
        return self.shared.store.add(fp)

    def watch(self) -> None:
        """From now on `notes` are asked for."""
        self._lasting.watch()

    def notes(self) -> Iterator[tuple[bytes, str | None]]:
        """What has changed since the last time and a kill must not lose."""
        if self._crawler.spider is not None:
            yield from pending.noted(self._lasting, self._crawler.spider)

    def restore_notes(self, where: str, notes: Iterable[tuple[bytes, str]]) -> None:
        """Take up what a killed run has noted; `where` is for messages."""
        if self._crawler.spider is not None:
            pending.restore_noted(where, notes, self._lasting, self._crawler.spider)

    def expect(self, waiting: Iterable[tuple[bytes, str]]) -> None:
        """Requests of an earlier run with these fingerprints and URLs wait; the URL is empty where none can be read."""
        for fp, url in waiting:
            self._lasting.expect(fp, url)

    def goes_on(self, request: Request) -> None:
        """A request is written down; of a redirect or another try only its meta knows for which keys it speaks."""
        for fp, _ in claimed_by(request, chain_of(request)):
            self._lasting.keep(fp)

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

    def taken_up(self, request: Request, fingerprint: Callable[[Request], bytes]) -> None:
        """A request of an earlier run goes on: it has the claims that it had, where that run could not leave them."""
        if self.shared is not None:
            return
        claimed = claimed_by(request, chain_of(request))
        its_own = fingerprint(request)
        if not is_marked(request) and self._may_claim(request):
            claimed.append((its_own, request.url))
        else:
            self._lasting.unexpect(its_own, request.url)
        for fp, url in claimed:
            self._lasting.goes_on(fp, url)

    def repeated(self, request: Request, fp: bytes) -> bool:
        """Whether a request of a known key may pass, because the one before it failed."""
        chance = self._claims.repeated(fp, request) if request.method == "GET" else 0
        if self._hurried != self._claims.hurried:
            self._say_hurried()
        if chance:
            if self._reusable:
                self._give_chance(request, fp, chance)
                return True
            # a fingerprinter in front of ours may have kept the fingerprint of this very object
            self._schedule(fp, request, chance)
            return False
        meta = request._meta
        if meta and "redirect_urls" in meta:
            self._ended_at(request, fp)
        return False

    def sent(self, request: Request, fingerprint: Callable[[Request], bytes]) -> None:
        """A request goes to the downloader: what it speaks for is written into its meta, which redirects inherit.

        Not before: most requests wait in the queue for long, and there are many of them.
        """
        if is_marked(request):
            if self.shared is not None:
                self.shared.speaks(*claimed_by(request, chain_of(request))[-1])
            return
        if not self._may_claim(request):
            return
        fp = fingerprint(request)
        if self._claims.speaks(fp, request.url):
            mark(request, fp)

    def ended(self, request: Request, *, delivered: bool, cached: str = "") -> None:
        """The chain of a request came to its end; `delivered` says whether with a page.

        `cached` is the URL of which a cache had the answer: what another URL of the key had failed with says nothing of
        this one.

        A page that stands at the end of a redirect to another key, such as a log-in form or the start page, serves its
        own key and not the one that was asked for.
        """
        chain = chain_of(request)
        claimed = claimed_by(request, chain)
        asked = "" if delivered else not_asked(request, chain, cached)
        if asked and (fresh := self._anew(request, asked)) and (chance := self._again(fresh, claimed)):
            self._schedule(claimed[-1][0] if claimed else None, fresh, chance)
            return
        for fp, url in claimed:
            if delivered and not self._sent_elsewhere(url, chain):
                self._claims.served(fp)
            else:
                self._schedule_all(self._claims.failed(fp, url, chain[chain.index(url) :]))

    def itself(self, request: Request, cached: str, target: str) -> Request | None:
        """A copy of a start request that is to pass the cache by; None where the cache's answer may be followed.

        The answer is a redirect that the cache has of another spelling of the page: `cached` is that spelling, `target`
        where it leads. If that is the page's own key, it is followed; if it is another page, a circle or a chain
        without end, this spelling has to be asked itself.
        """
        chain = chain_of(request)
        asked = not_asked(request, chain, cached)
        if not asked:
            return None
        # the request's own address may still be that of a page
        circle = target.partition("#")[0] in (url.partition("#")[0] for url in (*chain[:-1], cached))
        first = asked != request.url or is_first(self._normalizer.key, chain)
        on_for_ever = first and (circle or len(chain) > self._most_redirects)
        if on_for_ever or self._sent_elsewhere(asked, [target]):
            fresh = self._anew(request, asked)
            if fresh is not None and (chance := self._again(fresh, [])):
                self._give_chance(fresh, None, chance)
                return fresh
        if first:
            request.meta[own.FOREIGN_META] = asked
        return None

    def idle(self) -> bool:
        """Nothing is under way: schedule the variants whose first request ended untold; whether there were any."""
        ended = self._claims.all_ended()
        self._schedule_all(ended)
        return bool(ended)

    def _ended_at(self, request: Request, target: bytes) -> None:
        """A redirect was dropped since its key is known: the chain behind it ends with what that key came to."""
        chain = chain_of(request)
        claimed = claimed_by(request, chain)
        # the chain of a variant has fingerprints of its own
        loop = any(fp == target for fp, _ in claimed) or self._fingerprinter.is_loop(request)
        for fp, url in claimed:
            if loop or self._sent_elsewhere(url, chain):
                self._schedule_all(self._claims.failed(fp, url, chain[chain.index(url) :]))
            else:
                self._schedule_all(self._claims.ended_at(target, fp, url))

    def _sent_elsewhere(self, url: str, chain: list[str]) -> bool:
        return sent_elsewhere(self._normalizer.key, url, chain)

    @staticmethod
    def _may_claim(request: Request) -> bool:
        return not request.dont_filter and request.method == "GET" and request.callback is not NO_CALLBACK

    def _give_chance(self, request: Request, fp: bytes | None, chance: int) -> None:
        """Let a variant pass under a fingerprint of its own; without `fp` it speaks for no key."""
        self._stats.inc_value("urinorm/second_chance")
        request.meta[own.CHANCE_META] = [chance, self._fingerprinter.key(request)]
        if fp is not None:
            mark(request, fp)

    def _schedule_all(self, chances: list[Chance]) -> None:
        for fp, request, chance in chances:
            self._schedule(fp, request, chance)

    def _again(self, request: Request, claimed: list[tuple[bytes, str]]) -> int:
        """The number of the chance that a request gets which was never sent; 0 for none."""
        if request.method != "GET":
            return 0
        if claimed and claimed[-1][1] == request.url:
            return self._claims.again(*claimed[-1])
        given = request.meta.get(own.CHANCE_META, (0, ""))
        chance = given[0] + 1 if given[1] == self._fingerprinter.key(request) else 1
        return chance if chance <= MAX_CHANCES else 0

    def _anew(self, request: Request, url: str) -> Request | None:
        """The first request of a chain, which is to be sent as if nothing had come of it; None where it is gone."""
        if url == request.url:
            return self._copied(request)
        try:
            fresh = request.replace(url=url)
        except Exception:  # noqa: BLE001  a Request subclass whose __init__ wants more than replace() gives
            own.logger.debug("%s cannot be copied: %s is not tried", type(request).__name__, shown(request))
            return None
        for name in (*own.REDIRECT_META, own.FOREIGN_META):
            fresh.meta.pop(name, None)
        return fresh

    def _schedule(self, fp: bytes | None, request: Request, chance: int) -> None:
        engine = self._crawler.engine
        assert engine is not None
        try:
            request = self._copied(request)
            self._give_chance(request, fp, chance)
            self._passing = request
            engine.crawl(request)
        except Exception:  # noqa: BLE001  raising here would reach the downloader, for a request that has nothing to do with it
            own.logger.warning("A variant could not be scheduled: %s", shown(request), exc_info=True)
        self._passing = None

    @staticmethod
    def _copied(request: Request) -> Request:
        try:
            return request.copy()
        except Exception:  # noqa: BLE001  a Request subclass whose __init__ wants more than copy() gives
            own.logger.debug("%s cannot be copied, the request itself is scheduled", type(request).__name__)
            return request

    def _say_hurried(self) -> None:
        fresh = self._claims.hurried - self._hurried
        self._stats.inc_value("urinorm/second_chance_hurried", fresh)
        self._hurried += fresh
        if self._hurried == fresh:
            own.logger.warning(
                "URINORM_SECOND_CHANCE_LIMIT (%d) is reached: variants of pages under way are requested at once",
                self._limit,
                extra={"spider": self._crawler.spider},
            )
