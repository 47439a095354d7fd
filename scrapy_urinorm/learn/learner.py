"""Visits in, rules out: the stages of learning, site by site."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.candidate import Candidate, tables
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.site_learner import SiteLearner
from scrapy_urinorm.learn.spool import Spool, bucket_sites
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.processes import cores, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_urinorm.learn.site import Site
    from scrapy_urinorm.visits.record import Visit

COLLECT_PAGES = 20_000
"""Garbage is collected after so many pages: looking for it takes as long for a small site as for a big one."""


@dataclass(slots=True)
class LearnResult:
    """What was learned: active rules, and everything that was considered, with its evidence.

    `rules` is a rule source in the grammar of DESIGN section 1 (a dict that `RuleSet.load` takes). `blocked` counts the
    addresses at which a block page stood in for a page.
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

    def sort(self) -> None:
        """Bring sites into the order of their names; the rules of a site stay in theirs."""
        self.active.sort(key=lambda c: c.site)
        self.others.sort(key=lambda c: c.site)

    @property
    def rules(self) -> dict[str, Any]:
        """The active rules as one source."""
        return {"preset": self.options.preset, **tables(self.active, self.base)}


def learn(visits: Iterable[Visit], options: Options | None = None, rules: Sequence[Any] = ()) -> LearnResult:
    """Learn rules from visits, on top of the preset of the options and the rule sources given.

    Memory is bounded: above some number of visits they are sorted by site on disk, and sites are learned by
    `options.jobs` processes. Raises `RuleFileError` for wrong rule sources and `MissingExtraError` for an engine that
    is not installed.
    """
    options = options or Options()
    Normalizer(list(rules) or None, options.preset)  # a wrong rule file is reported before anything is read
    spool = Spool()
    result = LearnResult(options)
    try:
        for visit in visits:
            spool.add(visit)
        result.visits, result.skipped = spool.count, spool.skipped
        buckets = spool.buckets()
        for part in _learned_buckets(buckets, options, rules) if buckets else _learned_sites(spool, options, rules):
            result.add(part)
    finally:
        spool.close()
    result.sort()
    return result


def _learned_sites(spool: Spool, options: Options, rules: Sequence[Any]) -> Iterator[LearnResult]:
    yield learn_sites(spool.sites(options.max_urls), options, rules)


def _learned_buckets(buckets: Sequence[Path], options: Options, rules: Sequence[Any]) -> Iterator[LearnResult]:
    # Spark runs its own processes; the threads of the other engines do not survive a fork
    jobs = 1 if options.engine == "spark" else min(options.jobs or cores(), len(buckets))
    return in_order(partial(_learn_bucket, options, rules), buckets, jobs, fork=False)


def _learn_bucket(options: Options, rules: Sequence[Any], bucket: Path) -> LearnResult:
    return learn_sites(bucket_sites(bucket, options.max_urls), options, rules)


def learn_sites(sites: Iterable[Site], options: Options, rules: Sequence[Any] = ()) -> LearnResult:
    """Learn the rules of sites one after the other."""
    result = LearnResult(options)
    was_enabled = gc.isenabled()
    waiting = 0
    # millions of small tuples live as long as their site: looking for cycles among them takes a quarter of the time
    gc.disable()
    try:
        for site in sites:
            site.build(options.preset, rules)
            learn_site(site, options, rules, result)
            waiting += len(site.pages)
            if waiting > COLLECT_PAGES:
                gc.collect()
                waiting = 0
    finally:
        if was_enabled:
            gc.enable()
    return result


def learn_site(site: Site, options: Options, rules: Sequence[Any], result: LearnResult) -> None:
    """Learn the rules of one site and add them to the result."""
    result.sites += 1
    result.urls += len(site.pages)
    result.blocked += site.blocked
    learner = SiteLearner(site, options, rules)
    learner.run()
    result.keys += len(learner.replay.members) - learner.skipped_keys
    for candidate in (*learner.replay.accepted, *learner.others):
        candidate.site = site.name
    result.active += learner.replay.accepted
    result.others += learner.others
    for key, table in site.base.items():
        result.base.setdefault(key, {}).update(table)
