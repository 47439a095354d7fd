"""The cost of ``fingerprint(request)``, and of the texts behind it, against what a user would pick instead."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from benchmarks import peers
from benchmarks.inputs import request_urls, site_tables, with_query
from benchmarks.measure import Contestant, Timing, compare
from scrapy_urinorm import Normalizer, RuleSet
from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TABLES = 1000


def subsets(urls: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The inputs of every comparison."""
    yield "all", urls
    yield "query", with_query(urls)


def without_c(rules: RuleSet) -> Normalizer:
    """A normalizer that does without the module in C."""
    normalizer = Normalizer(rules)
    normalizer.native = None
    return normalizer


def fresh(urls: list[str], rounds: int) -> dict[str, dict[str, Timing]]:
    """Requests that are seen for the first time, the `recommended` preset and 1,000 site tables loaded.

    Hosts and names of parameters are known from an earlier round, but for the contestant that knows nothing.
    """
    urls = request_urls(urls)
    rules = RuleSet.load({"site": site_tables(TABLES)})
    known, pure = Normalizer(rules), without_c(rules)
    made: list[tuple[str, Callable[[], Any]]] = [
        ("Scrapy", peers.scrapy_fingerprinter),
        ("urinorm", lambda: RequestFingerprinter(known)),
        ("urinorm, its first URLs", lambda: RequestFingerprinter(Normalizer(rules))),
        ("urinorm, pure Python", lambda: RequestFingerprinter(pure)),
    ]
    if (dud := peers.dud_fingerprinter()) is not None:
        made.append(("duplicate-url-discarder", lambda: dud))
    contestants = [Contestant(name, lambda make=make: make().fingerprint, peers.requests) for name, make in made]  # type: ignore[misc]  # mypy takes no default of a lambda
    return {name: compare(contestants, chosen, rounds) for name, chosen in subsets(urls)}


def again(urls: list[str], rounds: int) -> dict[str, Timing]:
    """Requests whose fingerprint was asked for before, as the engine, the scheduler and the cache do."""
    urls = request_urls(urls)
    ours = RequestFingerprinter(Normalizer({"site": site_tables(TABLES)})).fingerprint
    stock = peers.scrapy_fingerprinter().fingerprint
    contestants = [
        Contestant(name, lambda f=f: f, functools.partial(peers.used_requests, f))  # type: ignore[misc]  # mypy takes no default of a lambda
        for name, f in (("Scrapy", stock), ("urinorm", ours))
    ]
    return compare(contestants, urls, rounds)


def texts(urls: list[str], rounds: int) -> dict[str, dict[str, Timing]]:
    """``normalize(url)`` and ``key(url)``, with all rules of the preset, against functions that have none."""
    rules = RuleSet.load({"site": site_tables(TABLES)})
    known, pure = Normalizer(rules), without_c(rules)
    contestants: Sequence[Contestant] = [
        Contestant("urinorm normalize", lambda: known.normalize),
        Contestant("urinorm key", lambda: known.key),
        Contestant("urinorm normalize, pure Python", lambda: pure.normalize),
        *peers.normalizers(),
    ]
    return {name: compare(contestants, chosen, rounds) for name, chosen in subsets(urls)}
