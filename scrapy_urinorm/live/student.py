"""Learning while a crawl runs: visits in, rules and doubts out. No clock, no process, no disk but its store.

A site is studied when its pages have grown by half: linear work in all. What is learned is what `urinorm learn` would
find, less what the sequential test does not believe yet. Between studies each visit is held against the first one of
its class: a pair that differs is a doubt, told at once, and the site is studied again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, NEAR, UNKNOWN, compare
from scrapy_urinorm.learn.evidence.candidate import SKIP
from scrapy_urinorm.learn.evidence.risk import BELIEVED, standing
from scrapy_urinorm.learn.learner import by_site
from scrapy_urinorm.live.answers import shown
from scrapy_urinorm.live.novelty import Novelty
from scrapy_urinorm.live.reachable import FRESH
from scrapy_urinorm.live.said_known import SaidKnown
from scrapy_urinorm.live.study import LIKELY
from scrapy_urinorm.live.trial import is_believed
from scrapy_urinorm.live.watched import FIRST_STUDY, MOST_WAITING, Standing, Store, Watched, octets_of
from scrapy_urinorm.live.work import Seen, Work
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.suffixes import site_at
from scrapy_urinorm.visits.links import url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.live.priors import Prior
    from scrapy_urinorm.visits.record import Visit

GROWTH = 1.5
DOUBT_PAGES, DOUBT_GROWTH = 5, 1.02
"""Visits between two studies of a doubted site: the pages under way when a doubt came belong to the same one."""
MOST_SITES = 1_000
"""Sites that are studied; a broad crawl has seldom a hundred pages of more."""

Message = dict[str, Any]


class Student:
    """The sites of one crawl. `rules` are those of its user, `priors` are tried on every site.

    `learned` are rules of learned files: they hold from the first page of their site on, until a page contradicts.
    """

    def __init__(
        self,
        options: Options,
        rules: Sequence[Any],
        store: Store,
        priors: Sequence[Prior] = (),
        learned: Iterable[Candidate] = (),
    ) -> None:
        self._learned = by_site(one for one in learned if one.rule != SKIP)
        self.options = options
        self.rules = list(rules)
        # what is wrong with them is said now, and not by each study
        Normalizer(self.rules or None, options.preset, check_examples=False)
        self.store = store
        self.priors = list(priors)
        self.novelty, self.said_known = Novelty(), SaidKnown()
        self._sites: dict[str, Watched] = {}
        self._waiting = 0
        self.starts: Callable[[Work], object] | None = None
        """Who runs the studies that are due while pages are taken, one at a time; it is to end `busy`."""
        self.busy = False
        # lines of packs, by what is evidence of them
        self._quiet, self._alike = set[str](), set[str]()

    def take(self, visit: Visit, pattern: str | None = None) -> list[Message]:
        """Take a visit, of an address of the pattern; return what the crawl is to be told."""
        name = site_at(visit.url)
        if not name:
            return []
        said: list[Message] = []
        site = self._site(name)
        if pattern is not None:
            news = self._news(visit, pattern, site.noise if site is not None else frozenset())
            said.append(news | {"site": name, "shows": shown(visit)})
            if site is not None and news["news"]:
                site.brought(visit.url)
        if site is None:
            return said
        self._came(site, visit)
        self.store.add(name, visit)
        site.pages += 1
        said += self._recognized(site, visit)
        said += self._judged(site, visit)
        if site.pages >= site.due or (site.doubted and site.pages >= site.studied * DOUBT_GROWTH + DOUBT_PAGES):
            said += self._due(name)
        return said

    def _due(self, name: str) -> list[Message]:
        """Study a site that is due: now, or where `starts` has it done."""
        if self.starts is None:
            return self.study(name)
        if not self.busy:
            work = self.begin(name)
            self.busy = True
            try:
                self.starts(work)
            except BaseException:
                self.busy = False
                raise
        return []

    def _recognized(self, site: Watched, visit: Visit) -> Iterator[Message]:
        if site.priors.see(visit):
            priors = site.priors
            self._quiet |= {one.name for one in (*priors.traps, *priors.folds) if one.proven and one.quiet}
            self._alike |= {one.name for one in priors.folds if not one.quiet}
            traps, folds = ([one[:4] for one in lines] for lines in (priors.traps, priors.folds))
            yield {"do": "platform", "site": site.name, "said": priors.said, "traps": traps, "folds": folds}
            site.due = min(site.due, site.pages)

    def met(self, urls: Iterable[str]) -> dict[str, list[str]]:
        """Note addresses that a page has named and that wait, redacted; return the new ones of each site."""
        new: dict[str, list[str]] = {}
        for url in urls:
            site = self._site(site_at(url))
            if site is not None and self._waiting < MOST_WAITING:
                hashed = url_hash(url)
                if hashed not in site.waiting:
                    site.waiting[hashed] = url
                    self._waiting += octets_of(url)
                    new.setdefault(site.name, []).append(url)
        return new

    def _came(self, site: Watched, visit: Visit) -> None:
        if visit.id is not None and (url := site.waiting.pop(visit.id, None)) is not None:
            self._waiting -= octets_of(url)

    def _site(self, name: str) -> Watched | None:
        site = self._sites.get(name)
        if site is None and name and len(self._sites) < MOST_SITES:
            site = self._sites[name] = self._watched(name)
        return site

    def _watched(self, name: str) -> Watched:
        learned = self._learned.get(name, ())
        return Watched(name, due=1 if learned else FIRST_STUDY, learned=learned)

    def _news(self, visit: Visit, pattern: str, noise: frozenset[int]) -> Message:
        (news, few, kin, *_, above), credit = self.novelty.brought(visit, pattern, noise)
        if pattern in self._quiet:
            # what it leads to may speak against it
            news, few, kin, credit = False, False, False, None
        if credit == pattern or credit in self._alike:
            credit = None  # the page that it is the same as leads there as well
        said = {"do": "news", "pattern": pattern, "news": news, "few": few, "credit": credit}
        said["same"] = bool(visit.redirects) and self.novelty.again(visit, pattern)
        above = tuple(one for one in above if credit and one not in self._alike)
        rare = {"kin": kin, "said": self.said_known(visit), "above": above}
        return said | {name: value for name, value in rare.items() if value}

    # ------------------------------------------------------------------ between studies

    def _judged(self, site: Watched, visit: Visit) -> Iterator[Message]:
        if site.found is None:
            return
        labels = len(site.found.labels)
        page = site.found.page_of(visit)
        if page.label < 0 and not page.data:
            return
        self._try(site, page)
        key = hash_of(site.normalizer.key(page.key)) if site.normalizer is not None else b""
        first = site.classes.get(key)
        if first is None and 0 <= page.label < labels and not visit.redirects:
            site.repeats_itself(page)
        if site.normalizer is None:
            return
        if first is None or first.page.label < 0 <= page.label:
            site.classes[key] = Standing(page, visit.url)
            return
        movers = site.movers(page, first.page)
        outcome = compare(page, first.page) if movers or first.page.key != page.key else UNKNOWN
        # of a long page a paragraph of its own is a small part
        against = outcome == DIFFERENT or (outcome == NEAR and hash(visit.url) in site.news)
        if outcome == UNKNOWN or (against and page.label in site.found.soft):
            return
        for name in movers:
            site.counts[name][against] += 1
        if against:
            site.doubted = True
            site.doubts += 1
            for name in movers:
                site.spoke_against(name, page)
                if standing(*site.counts[name]) <= -BELIEVED:
                    site.struck.add(name)
            yield {
                "do": "doubt",
                "site": site.name,
                "version": site.version,
                "rules": [site.found.said[name] for name in movers],
                "urls": [first.url, visit.url],
            }

    def _try(self, site: Watched, page: Page) -> None:
        """Hold a page against what is not believed yet; what is from now on has the site studied at once."""
        assert site.found is not None
        for trial in site.trials:
            key = trial.alone.key(page.key)
            first = trial.classes.setdefault(key, page)
            if first.label < 0 <= page.label:
                trial.classes[key] = page
            if first is page or first.key == page.key:
                continue
            outcome = compare(page, first)
            if outcome != UNKNOWN and not (outcome == DIFFERENT and page.label in site.found.soft):
                if outcome == DIFFERENT and not trial.counts[1] and trial.counts[0] >= LIKELY:
                    # what was right so far is no more: another rule on the same may well be wrong from here on, too
                    site.spoke_against(trial.name, page)
                trial.counts[outcome == DIFFERENT] += 1
                if trial.news and is_believed(*trial.counts, proven=trial.proven):
                    trial.news = False
                    site.sooner()

    # ------------------------------------------------------------------ studies

    def study(self, name: str, fresh: int = FRESH) -> list[Message]:
        """Study a site now; return its rules, should they be other ones than before.

        What the `fresh` latest pages lead to is not known yet.
        """
        work = self.begin(name, fresh)
        work.run()
        return self.ended(work)

    def begin(self, name: str, fresh: int = FRESH) -> Work:
        """Return the study of a site, which is to `run` and to be given to `ended`; pages may be taken meanwhile."""
        site = self._sites[name]
        site.begun(GROWTH)
        return Work(Seen.of(site, self.store, self.options, self.rules, self.priors, fresh))

    def ended(self, work: Work) -> list[Message]:
        """Return what a study has found, should it be other rules than before."""
        seen, found = work.seen, work.found
        site = self._sites[seen.site]
        if site.doubts != seen.doubts and work.is_refuted(site.since):
            # of rules that a page has spoken against since: they are studied again, with that page
            return []
        if found is None:
            said: list[Message] = [{"do": "failed", "site": site.name, "text": work.failure}]
            if site.unsaid or (site.doubted and site.found is not None):
                site.found, site.normalizer, site.doubted, site.unsaid = None, None, False, False
                said.append(work.message())
            return said
        before = (site.found.source, site.found.likely, site.found.later) if site.found is not None else ({}, {}, {})
        site.found, site.normalizer = found, work.normalizer
        site.alone, site.classes, site.trials, site.stopgaps = work.alone, work.classes, work.trials, work.stopgaps
        site.counts = {name: seen.counts.get(name, [0, 0]) for name in found.alone}
        changed = site.doubted or site.unsaid or before != (found.source, found.likely, found.later)
        site.ended(changed=changed)
        if changed:
            site.version = seen.pages
        said = [work.message()] if changed else []
        if site.pages > seen.pages:
            # those that came meanwhile
            for visit in self.store.visits(site.name, seen.pages):
                said += self._judged(site, visit)
        return said

    def judge(self, name: str) -> list[Message]:
        """The last judgement on a site: study it if anything was fetched since; always ends with `judged`."""
        site = self._sites.get(name)
        said = self.study(name, 0) if site is not None and site.pages > site.studied else []
        return [*said, {"do": "judged", "site": name, "stopgaps": site.untold() if site is not None else []}]

    def state(self) -> dict[str, Any]:
        """Return what a later run of the crawl must know beside the visits: what was taken back."""
        return {
            name: {"struck": sorted(site.struck), "since": site.since}
            for name, site in self._sites.items()
            if site.struck or site.since
        }

    def restore(self, state: dict[str, Any], visits: Iterable[tuple[str, Visit]]) -> set[bytes]:
        """Take up the visits of the run before, which are in the store; return their hashes."""
        fetched = set()
        for name, visit in visits:
            site = self._sites.setdefault(name, self._watched(name))
            site.pages += 1
            site.due = site.pages + 1 if site.learned else max(site.due, int(site.pages * GROWTH))
            site.unsaid = True
            fetched.add(visit.id or b"")
            self.novelty.linked(visit, "", news=self.novelty.news(visit).news)
        for name, known in state.items():
            site = self._sites.setdefault(name, self._watched(name))
            site.struck.update(known["struck"])
            site.since.update(known["since"])
        return fetched
