"""Visits in, rules out: the stages of learning, site by site."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.earlier import beside_earlier
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, Candidate, tables
from scrapy_urinorm.learn.evidence.own_pairs import OwnPairs
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.site_learner import SiteLearner
from scrapy_urinorm.learn.sites.separators import base_of
from scrapy_urinorm.learn.sites.spool import Bucket, Spool, bucket_sites
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.processes import cores, in_order
from scrapy_urinorm.suffixes import site_of, without_port
from scrapy_urinorm.visits.reader import ReadCounts

if TYPE_CHECKING:
    from scrapy_urinorm.learn.sites.site import Site
    from scrapy_urinorm.visits.record import Visit

    Known = Mapping[str, Sequence[Candidate]]
    """The earlier rules of each site, by its name."""

COLLECT_PAGES = 20_000
"""Garbage is collected after so many pages: looking for it takes as long for a small site as for a big one."""


@dataclass(slots=True)
class LearnResult:
    """What was learned: active rules, and everything that was considered, with its evidence.

    `rules` is a rule source (a dict that `RuleSet.load` takes). `blocked` counts the addresses at which a block page
    stood in for a page, `blocked_like` is one of them; `drawn`, `drawn_like` say it of pages that a script draws in the
    browser, `given`, `given_like` of visits that were asked for with something of their own, `given_errors` of errors
    that were, or of which the spider made items. `sampled` says how many visits there are of each site with more than
    `max_urls`. `withdrawn` are rules of earlier files that are no rules any more, and say why; `seen` names the sites
    with visits. `refused` counts the pages that could not be fetched, by the reason (`validate`).
    """

    options: Options
    active: list[Candidate] = field(default_factory=list)
    others: list[Candidate] = field(default_factory=list)
    base: dict[str, Any] = field(default_factory=dict)
    sites: int = 0
    visits: int = 0
    urls: int = 0
    keys: int = 0
    skipped: int = 0
    blocked: int = 0
    blocked_like: str = ""
    drawn: int = 0
    drawn_like: str = ""
    given: int = 0
    given_like: str = ""
    given_errors: int = 0
    sampled: dict[str, int] = field(default_factory=dict)
    withdrawn: list[Candidate] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    refused: dict[str, int] = field(default_factory=dict)

    def add(self, other: LearnResult) -> None:
        """Add what was learned on other sites."""
        self.active += other.active
        self.others += other.others
        for key, table in other.base.items():
            self.base.setdefault(key, {}).update(table)
        self.sites += other.sites
        self.urls += other.urls
        self.keys += other.keys
        self.blocked += other.blocked
        self.blocked_like = self.blocked_like or other.blocked_like
        self.drawn += other.drawn
        self.drawn_like = self.drawn_like or other.drawn_like
        self.given += other.given
        self.given_like = self.given_like or other.given_like
        self.given_errors += other.given_errors
        self.sampled |= other.sampled
        self.withdrawn += other.withdrawn
        self.seen |= other.seen

    def complete(self, known: Known, rules: Sequence[Any]) -> None:
        """Add the earlier rules of sites without visits, where the pairs in the `rules` of the user let them, and bring
        sites into the order of their names.

        The rules of a site stay in theirs.
        """
        for name in known.keys() - self.seen:
            kept, gone = OwnPairs(rules, self.options.preset, name).parted(known[name])
            self.active += kept
            self.others += gone
            self.withdrawn += gone
        self.active.sort(key=lambda c: c.site)
        self.others.sort(key=lambda c: c.site)
        self.base = {key: dict(sorted(table.items())) for key, table in self.base.items()}

    @property
    def rules(self) -> dict[str, Any]:
        """The active rules as one source."""
        return {"preset": self.options.preset, **tables(self.active, self.base)}


def learn(
    visits: Iterable[Visit],
    options: Options | None = None,
    rules: Sequence[Any] = (),
    earlier: Sequence[Candidate] = (),
) -> LearnResult:
    """Learn rules from visits, on top of the preset of the options and the rule sources given.

    The `earlier` rules of other files stay rules unless the visits contradict.

    Memory is bounded: above some number of visits they are sorted by site on disk, and sites are learned by
    `options.jobs` processes. Raises `RuleFileError` for wrong rule sources and `MissingExtraError` without NumPy.
    """
    options = options or Options()
    Normalizer(list(rules) or None, options.preset)  # a wrong rule file is reported before anything is read
    spool = Spool()
    result = LearnResult(options)
    known = by_site(earlier)
    try:
        for visit in visits:
            spool.add(visit)
        # a file says at its end that the crawl came to its own
        whole = visits.whole if isinstance(visits, ReadCounts) else frozenset[str]()
        result.visits, result.skipped = spool.count, spool.skipped
        if buckets := spool.buckets():
            for part in _learned_buckets(buckets, options, rules, known, whole):
                result.add(part)
        else:
            result.add(learn_sites(spool.sites(options.max_urls), options, rules, known, whole))
    finally:
        spool.close()
    result.complete(known, rules)
    return result


def by_site(earlier: Iterable[Candidate]) -> Known:
    """Return the rules of earlier files by the name of their site."""
    known: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in earlier:
        candidate.earlier = True
        candidate.site = site_of(without_port(candidate.scope))
        known[candidate.site].append(candidate)
    return known


def _learned_buckets(
    buckets: Sequence[Bucket], options: Options, rules: Sequence[Any], known: Known, whole: AbstractSet[str]
) -> Iterator[LearnResult]:
    jobs = min(options.jobs or cores(), len(buckets))
    # the threads of NumPy's libraries do not survive a fork
    return in_order(partial(_learn_bucket, options, rules, known, whole), buckets, jobs, fork=False)


def _learn_bucket(
    options: Options, rules: Sequence[Any], known: Known, whole: AbstractSet[str], bucket: Bucket
) -> LearnResult:
    return learn_sites(bucket_sites(bucket, options.max_urls), options, rules, known, whole)


def learn_sites(
    sites: Iterable[Site],
    options: Options,
    rules: Sequence[Any],
    known: Known,
    whole: AbstractSet[str] = frozenset(),
) -> LearnResult:
    """Learn the rules of sites one after the other; `known` are their earlier rules, by the name of the site, `whole`
    the crawls that came to their end by themselves.
    """
    result = LearnResult(options)
    was_enabled = gc.isenabled()
    waiting = 0
    # millions of small tuples live as long as their site: looking for cycles among them takes a quarter of the time
    gc.disable()
    try:
        for site in sites:
            site.whole = whole
            earlier = known.get(site.name, ())
            site.build(options.preset, rules, sessions=earlier if "platforms" in options.families else None)
            result.add(_learn_site(site, options, rules, earlier))
            waiting += len(site.pages)
            if waiting > COLLECT_PAGES:
                gc.collect()
                waiting = 0
    finally:
        if was_enabled:
            gc.enable()
    return result


def _learn_site(site: Site, options: Options, rules: Sequence[Any], earlier: Sequence[Candidate]) -> LearnResult:
    ground = (*site.said_sessions, *site.separators)
    urls = len(site.pages) + sum(one.saved for one in ground if one.status == ACTIVE)
    active, rejected, gone, others = beside_earlier(ground, earlier)
    learner = SiteLearner(site, options, rules, others)
    learner.run()
    learner.passing.close(learner.others)
    # only what earlier files say was not held against the user's pairs
    active, broken = learner.replay.own.parted(active)
    for candidate in (*active, *learner.replay.accepted, *rejected, *broken, *learner.others):
        candidate.site = site.name
        candidate.graph |= learner.proof is not None
        if not candidate.earlier:
            candidate.crawls = tuple(sorted(site.crawls))
    return LearnResult(
        options,
        active=[*active, *learner.replay.accepted],
        others=[*rejected, *broken, *learner.others],
        base={"host": {}} | base_of(site.separators),
        sites=1,
        urls=urls,
        keys=len(learner.replay.members) - learner.skipped_keys,
        blocked=site.blocked,
        blocked_like=site.blocked_like,
        drawn=site.drawn,
        drawn_like=site.drawn_like,
        given=site.given.count,
        given_like=site.given.like,
        given_errors=site.given.errors,
        sampled={site.name: site.sampled_from} if site.sampled_from else {},
        withdrawn=[*gone, *broken, *learner.withdrawn()],
        seen={site.name},
    )
